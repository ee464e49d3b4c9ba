#!/usr/bin/python3
"""A bot that puts what steers a terminal wherever a bot can put text.

    shouting.py MODE [BRIDGE]

It takes the first legal action and shouts: on stdout and stderr, as its name, version and
language, in its notes. At its second question it does what MODE names: `play` goes on,
`crash` ends with a shout as its last line, `type`, `key` and `error` send a message that
holds a shout, `bytes` sends bytes that are no message, `mute` ends before hello.
"""
import os
import sys

import msgpack
import zmq

# A title, an erased screen, a colour by C1, an override of the direction, other controls.
TEXT = ("\x1b]0;owned\x07\x1b[2J\x1b[31m\r\x08\x00\x0b\x7f\u009b31m\u202egnp\u2066\u2028"
        "\npigpen: all is well\n")
BYTES = TEXT.encode() + b"\x9b31m\xff\xfe\xc3\x1b[1m"


def shout():
    os.write(1, BYTES)
    os.write(2, BYTES)


def main(mode):
    shout()
    if mode == "mute":
        sys.exit(1)
    link = zmq.Context().socket(zmq.DEALER)
    link.connect(os.environ["PIGPEN_ENDPOINT"])

    def send(**message):
        link.send(msgpack.packb(message))

    def misbehave(m):
        shout()
        if mode == "crash":
            os.write(2, b"\nlast \x1b]0;owned\x07words \xff")
            os._exit(1)
        if mode == "type":
            send(t=TEXT[:60])
        if mode == "key":
            key = msgpack.packb(TEXT[:40])
            link.send(b"\x83\xa1t\xa5ready" + 2 * (key + b"\x01"))
        if mode == "error":
            send(t="error", code="own", why=TEXT)
            sys.exit(3)
        if mode == "bytes":
            link.send(BYTES)

    send(t="hello", v=[1], token=os.environ["PIGPEN_TOKEN"], name=TEXT[:40],
         version=TEXT[:20], lang=TEXT[9:30])
    while True:
        m = msgpack.unpackb(link.recv(), strict_map_key=False)
        if m["t"] == "match":
            send(t="ready", match=m["match"])
        elif m["t"] == "act":
            if m["turn"] == 2:
                misbehave(m)
            send(t="action", match=m["match"], turn=m["turn"], choice=0, note=TEXT)
        elif m["t"] in ("bye", "error"):
            sys.exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
