#!/usr/bin/python3
"""A bot that remembers every card it ever saw, and profits if it meets a deal again.

    rememberer.py forget | remember | share FOLDER...

For every round of Pig It Hog It it keeps in the memory of its process which cards each
seat held: its own hand when it was dealt, the others' from what they played. If it is
dealt a hand that it knows, it says `dealt again` on standard error and in its notes, and
plays the last legal action instead of the first. With `share` it also tells other
processes of itself through a file in each of the folders in which it may write; with
`forget` it knows nothing and always plays the first action.
"""
import glob
import os
import secrets
import sys

import msgpack
import zmq

HAND = 6
MODE, FOLDERS = sys.argv[1], sys.argv[2:]
NAME = "hands-"
OWN = NAME + secrets.token_hex(8)


def share(hand):
    for folder in FOLDERS:
        try:
            with open(os.path.join(folder, OWN), "a") as file:
                file.write(" ".join(hand) + "\n")
        except OSError:
            pass


def shared():
    """The hands that this and other processes have left."""
    for folder in FOLDERS:
        for path in glob.glob(os.path.join(glob.escape(folder), NAME + "*")):
            with open(path) as file:
                yield from (frozenset(line.split()) for line in file)


class Memory:
    """Every hand that any seat held in any round that is over."""

    def __init__(self):
        self.hands = set()

    def has(self, hand):
        return hand in self.hands or hand in set(shared())

    def keep(self, held):
        for cards in held.values():
            if len(cards) == HAND:
                self.hands.add(frozenset(cards))
                share(cards)


class Match:
    def __init__(self, seat, memory):
        self.seat, self.memory = seat, memory
        self.held = {}
        self.again = False

    def learn(self, events):
        for event in events:
            seat, cards = event.get("seat"), event.get("cards")
            if event["e"] == "round":
                self.over()
            elif event["e"] == "deal" and seat == self.seat:
                self.held[seat] = set(cards)
                self.again = self.memory.has(frozenset(cards))
            elif event["e"] == "play":
                self.held.setdefault(seat, set()).update(cards)

    def over(self):
        self.memory.keep(self.held)
        self.held = {}


def main():
    link = zmq.Context().socket(zmq.DEALER)
    link.connect(os.environ["PIGPEN_ENDPOINT"])
    send = lambda **message: link.send(msgpack.packb(message))
    send(t="hello", v=[1], token=os.environ["PIGPEN_TOKEN"], name="rememberer", matches=64)
    memory, matches = Memory(), {}
    while True:
        m = msgpack.unpackb(link.recv(), strict_map_key=False)
        if m["t"] == "match":
            matches[m["match"]] = Match(m["seat"], memory)
            send(t="ready", match=m["match"])
        elif m["t"] == "act":
            match = matches[m["match"]]
            match.learn(m["events"])
            profit = match.again and MODE != "forget"
            if profit:
                print("dealt again", file=sys.stderr, flush=True)
            send(t="action", match=m["match"], turn=m["turn"],
                 choice=len(m["legal"]) - 1 if profit else 0,
                 **({"note": "dealt again"} if profit else {}))
        elif m["t"] == "end":
            match = matches.pop(m["match"])
            match.learn(m["events"])
            match.over()
        elif m["t"] == "bye":
            break


main()
