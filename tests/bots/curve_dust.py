#!/usr/bin/python3
"""A remote bot that plays until it is asked, and then sends parts of a message that never
ends, so small that libzmq has no memory of their own to ask for.

    curve_dust.py tcp://HOST:PORT SERVER_KEY NAME PUBLIC SECRET

libzmq's own clients hold parts back until the last is there, so this speaks ZMTP 3.0 with
CURVE (ZeroMQ RFCs 23 and 26) over a plain socket, with libsodium for the boxes.
"""
import ctypes
import ctypes.util
import os
import socket
import struct
import sys

import msgpack
import zmq.utils.z85 as z85

sodium = ctypes.CDLL(ctypes.util.find_library("sodium"))
MAC = 16
MORE = b"\1"


def new_pair():
    public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    sodium.crypto_box_keypair(public, secret)
    return public.raw, secret.raw


def box(data, nonce, public, secret):
    out = ctypes.create_string_buffer(len(data) + MAC)
    sodium.crypto_box_easy(out, data, ctypes.c_ulonglong(len(data)), nonce, public, secret)
    return out.raw


def unbox(data, nonce, public, secret):
    out = ctypes.create_string_buffer(len(data))
    if sodium.crypto_box_open_easy(out, data, ctypes.c_ulonglong(len(data)), nonce, public,
                                   secret):
        sys.exit("a box that cannot be opened")
    return out.raw[:len(data) - MAC]


class Link:
    def __init__(self, endpoint, server, public, secret):
        host, port = endpoint[len("tcp://"):].rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.public, self.secret = new_pair()
        self.number = 0
        self.socket.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"CURVE".ljust(20, b"\0")
                            + bytes(32))
        self.take(64)
        self.shake_hands(server, public, secret)

    def take(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                sys.exit("the connection was closed")
            data += more
        return data

    def frame(self):
        flags, = self.take(1)
        size = struct.unpack(">Q", self.take(8))[0] if flags & 2 else self.take(1)[0]
        return self.take(size)

    def next_number(self):
        self.number += 1
        return struct.pack(">Q", self.number)

    def command(self, body):
        size = bytes([4, len(body)]) if len(body) < 256 else b"\6" + struct.pack(">Q", len(body))
        self.socket.sendall(size + body)

    def shake_hands(self, server, public, secret):
        number = self.next_number()
        self.command(b"\5HELLO\1\0" + bytes(72) + self.public + number +
                     box(bytes(64), b"CurveZMQHELLO---" + number, server, self.secret))
        welcome = self.frame()
        opened = unbox(welcome[24:], b"WELCOME-" + welcome[8:24], server, self.secret)
        self.server, cookie = opened[:32], opened[32:]
        number, nonce = self.next_number(), os.urandom(16)
        vouch = box(self.public + server, b"VOUCH---" + nonce, self.server, secret)
        properties = b"\x0bSocket-Type" + struct.pack(">I", 6) + b"DEALER"
        self.command(b"\x08INITIATE" + cookie + number +
                     box(public + nonce + vouch + properties, b"CurveZMQINITIATE" + number,
                         self.server, self.secret))
        self.frame()
        self.common = ctypes.create_string_buffer(32)
        sodium.crypto_box_beforenm(self.common, self.server, self.secret)

    def message(self, flags, body):
        """One short part, as bytes."""
        number = self.next_number()
        size = 1 + len(body)
        out = ctypes.create_string_buffer(size + MAC)
        sodium.crypto_box_easy_afternm(out, flags + body, ctypes.c_ulonglong(size),
                                       b"CurveZMQMESSAGEC" + number, self.common)
        whole = b"\7MESSAGE" + number + out.raw
        return bytes([0, len(whole)]) + whole

    def send(self, **message):
        self.socket.sendall(self.message(b"\0", msgpack.packb(message)))

    def receive(self):
        while True:
            whole = self.frame()
            opened = unbox(whole[16:], b"CurveZMQMESSAGES" + whole[8:16], self.server,
                           self.secret)
            if opened[0] & 2:
                continue  # a heartbeat
            if len(opened) > 1:
                return msgpack.unpackb(opened[1:])


def main():
    endpoint, server, name, public, secret = sys.argv[1:]
    link = Link(endpoint, *(z85.decode(key.encode()) for key in (server, public, secret)))
    link.send(t="hello", v=[1], token=name)
    while True:
        message = link.receive()
        if message["t"] == "match":
            link.send(t="ready", match=message["match"])
        elif message["t"] == "act":
            break
        elif message["t"] == "bye":
            return
    while True:
        link.socket.sendall(b"".join(link.message(MORE, b"x") for _ in range(1000)))


main()
