#!/usr/bin/python3
"""A bot without a ZeroMQ library, which plays properly but for one thing.

    raw.py MODE

It speaks ZMTP over its socket by itself, so that it can do what no library does. MODE is
a function of this file that is called before hello; what it returns goes into READY.
What a test wants to know goes to the file `seen` in its folder, one JSON object a line.
"""
import errno
import json
import os
import socket
import struct
import sys

import msgpack

PATH = os.environ["PIGPEN_ENDPOINT"][len("ipc://"):]
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(16) + bytes(32)
kept = []  # connections that must stay open


def saw(**what):
    with open("seen", "a") as file:
        file.write(json.dumps(what) + "\n")


def frame(payload, flags=0):
    if len(payload) < 256:
        return bytes([flags, len(payload)]) + payload
    return bytes([flags | 2]) + struct.pack(">Q", len(payload)) + payload


def ready(properties):
    body = b"\x05READY" + b"".join(
        bytes([len(name)]) + name + struct.pack(">I", len(value)) + value
        for name, value in properties.items())
    return frame(body, 4)


def connect(timeout=None):
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(timeout)
    link.connect(PATH)
    return link


def shake_hands(link, properties=None):
    link.sendall(GREETING + ready({b"Socket-Type": b"DEALER", **(properties or {})}))


class Link:
    """A connection that carries messages."""

    def __init__(self, properties):
        self.link = connect()
        shake_hands(self.link, properties)
        self.read(64)

    def read(self, count):
        data = b""
        while len(data) < count:
            more = self.link.recv(count - len(data))
            if not more:
                sys.exit("the arbiter has closed the connection")
            data += more
        return data

    def send(self, **message):
        self.link.sendall(frame(msgpack.packb(message)))

    def receive(self):
        while True:
            flags = self.read(1)[0]
            size = struct.unpack(">Q", self.read(8))[0] if flags & 2 else self.read(1)[0]
            payload = self.read(size)
            if not flags & 4 and payload:
                return msgpack.unpackb(payload)


def plain():
    """Nothing odd."""
    return {}


def names():
    """Calls itself what it is not."""
    return {b"User-Id": b"ann", b"Identity": b"\0\0\0\0\1", b"Resource": b"/"}


def long_name():
    return {b"User-Id": b"x" * 65}


def many():
    """As many connections as it can get."""
    for _ in range(300):
        link = socket.socket(socket.AF_UNIX)
        link.setblocking(False)
        kept.append(link)
        try:
            link.connect(PATH)
        except OSError as error:
            saw(refused=errno.errorcode[error.errno])
            break
    saw(connected=len(kept) - 1)
    # All but three are given back, or nobody would hear the hello.
    for link in kept[3:]:
        link.close()
    return {}


def heavy():
    """Most of a frame of the largest size on each of three other connections."""
    for _ in range(3):
        link = connect()
        shake_hands(link)
        link.sendall(b"\x02" + struct.pack(">Q", 1 << 20) + bytes((1 << 20) - 1))
        kept.append(link)
    return {}


def beside():
    """Messages on another connection, without end."""
    link = connect()
    shake_hands(link)
    try:
        while True:
            link.sendall(frame(msgpack.packb({"t": "ready", "match": 1})) * 100)
    except OSError:
        saw(stopped=True)
    return {}


def play(link):
    link.send(t="hello", v=[1], token=os.environ["PIGPEN_TOKEN"])
    while True:
        message = link.receive()
        if message["t"] == "match":
            link.send(t="ready", match=message["match"])
        elif message["t"] == "act":
            link.send(t="action", match=message["match"], turn=message["turn"], choice=0)
        elif message["t"] == "bye":
            return
        elif message["t"] == "error":
            sys.exit("the arbiter says %s" % message)


play(Link(globals()[sys.argv[1]]()))
