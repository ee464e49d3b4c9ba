"""Takes each legal action with the same chance: a whole bot on pyzmq and msgpack."""

import os
import random

import msgpack
import zmq

socket = zmq.Context().socket(zmq.DEALER)
socket.connect(os.environ["PIGPEN_ENDPOINT"])


def send(**message):
    socket.send(msgpack.packb(message))


send(t="hello", v=[1], token=os.environ["PIGPEN_TOKEN"], name="random-python",
     version="1", lang="python")
seed = b""
while True:
    message = msgpack.unpackb(socket.recv())
    kind = message["t"]
    if kind == "match":
        # The arbiter's seed makes the choices random and still reproducible.
        seed = message["rng"]
        send(t="ready", match=message["match"])
    elif kind == "act":
        turn = message["turn"]
        choice = random.Random(seed + bytes(str(turn), "ascii")).randrange(
            len(message["legal"]))
        send(t="action", match=message["match"], turn=turn, choice=choice)
    elif kind == "bye":
        break
