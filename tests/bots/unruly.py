#!/usr/bin/python3
"""A bot for chaos: the same questions are always answered alike.

    unruly.py MODE [EXTRA]

It takes the first legal action, EXTRA matches at a time if that is a number and else one,
and does at its third question of a match what MODE says. It needs no file but itself, so that it also plays in a sandbox.
"""
import collections
import os
import signal
import sys
import time

import msgpack
import zmq

MODE = sys.argv[1]
# Beyond every clock, and not beyond the patience of a test.
LONG_S = 60


def daemon():
    """Leaves somebody behind who does not want to go."""
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(LONG_S)
        os._exit(0)


def edge(m):
    """Answers shortly before, at or shortly after its deadline, by turns."""
    limit = m["clock"]["move_ms"] / 1000
    time.sleep(limit + (m["match"] % 5 - 3) * 0.02)


def misbehave(m, link, send):
    if MODE == "crash":
        os._exit(3)
    elif MODE == "segv":
        os.kill(os.getpid(), signal.SIGKILL)
    elif MODE == "illegal":
        send(t="action", match=m["match"], turn=m["turn"], choice=4000)
    elif MODE == "malformed":
        link.send(b"\xc1\xc1")
    elif MODE == "oversize":
        link.send(b"x" * (2 << 20))
    elif MODE == "bye":
        send(t="bye")
    elif MODE == "flood":
        for _ in range(3000):
            send(t="action", match=m["match"], turn=1, choice=0)
    elif MODE == "daemon":
        daemon()
    elif MODE == "edge":
        edge(m)


def main():
    if MODE == "stillborn":
        sys.exit("I never live")
    link = zmq.Context().socket(zmq.DEALER)
    link.connect(os.environ["PIGPEN_ENDPOINT"])

    def send(**message):
        link.send(msgpack.packb(message))

    extra = sys.argv[2] if len(sys.argv) > 2 else ""
    send(t="hello", v=[1], token=os.environ["PIGPEN_TOKEN"], name=MODE,
         matches=int(extra) if extra.isdigit() else 1)
    asked = collections.Counter()
    while True:
        m = msgpack.unpackb(link.recv(), strict_map_key=False)
        if m["t"] == "match":
            asked[m["match"]] = 0
            send(t="ready", match=m["match"])
        elif m["t"] == "act":
            asked[m["match"]] += 1
            if asked[m["match"]] == 3:
                if MODE == "silent":
                    continue
                misbehave(m, link, send)
            send(t="action", match=m["match"], turn=m["turn"], choice=0)
        elif m["t"] == "end":
            del asked[m["match"]]
        elif m["t"] == "bye":
            return


main()
