#!/usr/bin/python3
"""A bot that misbehaves in one chosen way.

    bad.py MODE [once]

It takes the first legal action, but does at its second question (or where the mode's
name says) what MODE names. With `once` it does so in its first match only; the file
`done` in its folder tells later processes to play properly. What it learns that a test
wants to know goes to the file `seen` in its folder, one JSON object a line.
"""
import json
import os
import resource
import signal
import socket as raw
import struct
import subprocess
import sys
import time

import msgpack
import zmq

ENDPOINT = os.environ["PIGPEN_ENDPOINT"]
TOKEN = os.environ["PIGPEN_TOKEN"]
FOREVER_S = 3600


def saw(**what):
    with open("seen", "a") as file:
        file.write(json.dumps(what) + "\n")


def die(status, last_words):
    print(last_words, file=sys.stderr, flush=True)
    os._exit(status)


class Bot:
    """Plays properly; a mode replaces one of its methods."""
    hello_extra = {}
    endpoint = ENDPOINT

    def __init__(self):
        self.context = zmq.Context()
        self.link = None
        self.secret = None
        self.once = "once" in sys.argv[2:]

    def connect(self):
        self.link = self.context.socket(zmq.DEALER)
        self.link.linger = 0
        self.link.connect(self.endpoint)
        return self.link

    def send(self, **message):
        self.link.send(msgpack.packb(message))

    def hello(self, **more):
        self.send(t="hello", v=[1], token=TOKEN, name="bad", **self.hello_extra, **more)

    def receive(self):
        while True:
            frame = self.link.recv()
            if frame:
                return msgpack.unpackb(frame)

    def begin(self):
        self.connect()
        self.hello()

    def answer(self, m, **more):
        self.send(**{"t": "action", "match": m["match"], "turn": m["turn"], "choice": 0,
                     **more})

    def on_welcome(self, m):
        self.secret = m["secret"]

    def on_match(self, m):
        self.send(t="ready", match=m["match"])

    def on_act(self, m):
        if m["turn"] == 2:
            self.misbehave(m)
        else:
            self.answer(m)

    def misbehave(self, m):
        self.answer(m)

    def on_end(self, m):
        pass

    def on_refuse(self, m):
        saw(refused=m["clause"], why=m["why"])

    def on_resume(self, m):
        saw(resumed=m["match"], question=m.get("act", {}).get("turn"))
        if "act" in m:
            self.answer({"match": m["match"], "turn": m["act"]["turn"]})

    def on_error(self, m):
        saw(error=m["code"], why=m["why"])
        if "match" in m:
            self.__class__ = Bot if self.once else self.__class__
        else:
            die(1, "the arbiter says: %s: %s" % (m["code"], m["why"]))

    def on_event(self, m):
        pass

    def on_bye(self, m):
        sys.exit(0)

    def run(self):
        self.begin()
        while True:
            m = self.receive()
            getattr(self, "on_" + m["t"])(m)


def sleep(*_):
    time.sleep(FOREVER_S)


class Witness(Bot):
    """Plays properly and notes down what it is told."""
    hello_extra = {"events": True}

    def on_match(self, m):
        self.events = 0
        saw(pid=os.getpid(), match=m["match"], seat=m["seat"], names=m.get("names"),
            rng=m["rng"].hex())
        super().on_match(m)

    def on_event(self, m):
        self.events += 1

    def on_end(self, m):
        saw(ended=m["match"], events=self.events, result=m["result"])


# Before the game.

class NoHello(Bot):
    def begin(self):
        print("I connect and keep silent", file=sys.stderr, flush=True)
        self.connect()


def parent_of(pid):
    with open("/proc/%d/stat" % pid) as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


class HelloAndExit(Bot):
    """If a file tells it to, it first stops the arbiter, the parent of its warden."""
    def begin(self):
        self.link = self.context.socket(zmq.DEALER)
        self.link.linger = FOREVER_S * 1000
        # Before it connects, lest the event is missed.
        monitor = self.link.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
        self.link.connect(self.endpoint)
        monitor.recv_multipart()
        if os.path.exists("stop"):
            os.unlink("stop")
            os.kill(parent_of(os.getppid()), signal.SIGSTOP)
        self.hello()
        self.link.disable_monitor()
        monitor.close()
        self.link.close()
        self.context.term()
        sys.exit(0)


class LateHello(Bot):
    def begin(self):
        self.connect()
        time.sleep(25)  # far beyond 10 s and what a starved arbiter adds to them
        self.hello()


class SlowHello(Bot):
    def begin(self):
        self.connect()
        time.sleep(1.5)
        self.hello()


class WrongToken(Bot):
    def begin(self):
        self.connect()
        self.send(t="hello", v=[1], token="0" * 32)


class WrongVersion(Bot):
    def begin(self):
        self.connect()
        self.send(t="hello", v=[77], token=TOKEN)


class NotHello(Bot):
    def begin(self):
        self.connect()
        self.send(t="ready", match=1)


class ExitAtStart(Bot):
    def begin(self):
        die(3, "ModuleNotFoundError: zmq")


class NoReady(Bot):
    def on_match(self, m):
        sleep()


# Connections.

class SecondConnection(Bot):
    """Another socket with the used token, with and without the secret."""

    def misbehave(self, m):
        for more in ({}, {"secret": self.secret}, {"secret": b"x" * 32}):
            first, second = self.link, self.connect()
            self.hello(**more)
            reply = self.receive()
            saw(second=reply["t"], code=reply.get("code"))
            second.close()
            self.link = first
        self.hello()
        self.answer(m)

    def on_error(self, m):
        saw(same=m["t"], code=m["code"])


class Reconnect(Bot):
    """Drops its connection with a question open, comes back, answers."""

    def misbehave(self, m):
        self.link.close()
        saw(dropped=m["turn"])
        while True:
            self.connect()
            self.hello(secret=self.secret)
            reply = self.receive()
            if reply["t"] == "welcome":
                saw(welcome=reply["secret"] == self.secret)
                return
            saw(refused=reply["code"])
            self.link.close()
            time.sleep(0.05)


class ReconnectTcp(Reconnect):
    endpoint = os.environ.get("PIGPEN_ENDPOINT_TCP", "")


class ReconnectWithEvents(Reconnect):
    hello_extra = {"events": True}


class ReconnectWithoutSecret(Bot):
    def misbehave(self, m):
        self.link.close()
        self.connect()
        while True:
            self.hello()
            saw(refused=self.receive()["code"])
            time.sleep(0.2)


class Drop(Bot):
    def misbehave(self, m):
        self.link.close()
        sleep()


class Bye(Bot):
    def misbehave(self, m):
        self.send(t="bye", why="I have had enough")
        sleep()


class IgnoresBye(Bot):
    def on_bye(self, m):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sleep()


# Ends of the process.

class ExitMidDecision(Bot):
    def misbehave(self, m):
        die(7, "I give up")


class ExitBetween(Bot):
    def on_end(self, m):
        os._exit(0)


class Segv(Bot):
    def misbehave(self, m):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGSEGV)
        sleep()


class Grandchild(Bot):
    """A child in a session of its own plays; its parent exits in the middle."""

    def begin(self):
        parent = os.getpid()
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            self.misbehave = lambda m: (os.kill(parent, signal.SIGUSR1), sleep())
            super().begin()
            return
        signal.signal(signal.SIGUSR1, lambda *_: die(9, "the parent leaves"))
        while True:
            signal.pause()


class LeavesChildren(Bot):
    """Children everywhere, in sessions of their own, that ignore signals."""

    def misbehave(self, m):
        for _ in range(3):
            subprocess.Popen(["sh", "-c", "trap '' TERM INT HUP; sleep 3600 & wait"],
                             start_new_session=True)
        self.answer(m)


# Time.

class Hang(Bot):
    def misbehave(self, m):
        saw(hangs=m["turn"])
        sleep()


class HangWithChildren(LeavesChildren):
    def on_act(self, m):
        super().misbehave(m)
        saw(hangs=m["turn"])
        sleep()


class BurnCpu(Bot):
    def misbehave(self, m):
        while True:
            pass


class BurnCpuInChild(Bot):
    def misbehave(self, m):
        subprocess.run([sys.executable, "-c", "while True: pass"], check=False)


class SleepABit(Bot):
    """Much time that passes, little that it computes."""

    def misbehave(self, m):
        time.sleep(2)
        self.answer(m)


class LateAnswer(Bot):
    def misbehave(self, m):
        time.sleep(m["clock"]["move_ms"] / 1000 + 1)
        self.answer(m)


class Chatter(Bot):
    """Talks all the time, never to the point: its deadline does not move."""

    def misbehave(self, m):
        for _ in range(10):
            self.answer(m, turn=m["turn"] + 1)
            time.sleep(m["clock"]["move_ms"] / 10000)
        sleep()


# Answers.

class OtherTurns(Bot):
    """One answer for another match, an early, a repeated and a stale one, then ours."""

    def misbehave(self, m):
        self.answer(m, match=m["match"] ^ 1)
        self.answer(m, turn=m["turn"] + 1)
        self.answer(m, turn=m["turn"] - 1)
        self.answer(m)
        self.answer(m)


class Illegal(Bot):
    def misbehave(self, m):
        self.answer(m, choice=len(m["legal"]))


class IllegalAction(Bot):
    """An action of the game's own form that is not in `legal`."""

    def misbehave(self, m):
        del m["view"], m["events"]
        self.send(t="action", match=m["match"], turn=m["turn"], action={"a": "oink"})


class IllegalThenLegal(IllegalAction):
    """Two wrong answers, then a right one; all on turns of their own."""

    def on_act(self, m):
        if m["turn"] in (2, 3):
            self.misbehave(m)
        else:
            self.answer(m)


class ChoiceRange(Bot):
    def misbehave(self, m):
        self.answer(m, choice=5000)


class Revoke(Bot):
    """Plays a card that it holds and may not play now, whenever it has one."""

    def on_act(self, m):
        playable = [a.get("card") for a in m["legal"] if a["a"] == "play"]
        wrong = [c for c in m["view"]["me"]["hand"] if playable and c not in playable]
        if wrong:
            self.send(t="action", match=m["match"], turn=m["turn"],
                      action={"a": "play", "card": wrong[0]})
        else:
            self.answer(m)


# Bytes.

class Bytes(Bot):
    def misbehave(self, m):
        self.link.send(self.bytes(m))
        sleep()

    def bytes(self, m):
        return self.frame


class NotMap(Bytes):
    frame = msgpack.packb([1, 2, 3])


class NotMsgpack(Bytes):
    frame = b"\xc1\xc1\xc1"


class UnknownType(Bytes):
    frame = msgpack.packb({"t": "dance"})


class Empty(Bytes):
    frame = b""


class Truncated(Bytes):
    def bytes(self, m):
        return msgpack.packb({"t": "action", "match": m["match"], "turn": 2,
                              "choice": 0})[:-2]


class TwoMessages(Bytes):
    """Two in a frame, without having agreed on batches."""

    def bytes(self, m):
        return 2 * msgpack.packb({"t": "action", "match": m["match"], "turn": 2,
                                  "choice": 0})


class NestingBomb(Bytes):
    frame = b"\x82\xa1t\xa6action\xa1x" + b"\x91" * 50000


class MapBomb(Bytes):
    """Announces four thousand million entries."""
    frame = b"\xdf\xff\xff\xff\xff\xa1t\xa6action"


class HugeString(Bytes):
    def bytes(self, m):
        return msgpack.packb({"t": "action", "match": m["match"], "turn": 2,
                              "choice": 0, "x": "x" * 100000})


class HugeNote(Bytes):
    def bytes(self, m):
        return msgpack.packb({"t": "action", "match": m["match"], "turn": 2,
                              "choice": 0, "note": "x" * 1025})


class Oversize(Bytes):
    frame = b"x" * (2 << 20)


class OversizeAgain(Bot):
    """Goes on although it is out of the match."""

    def misbehave(self, m):
        for _ in range(3):
            self.link.send(b"x" * (2 << 20))
        sleep()


class NotMsgpackAgain(Bot):
    def misbehave(self, m):
        for _ in range(3):
            self.link.send(b"\xc1\xc1\xc1")
        sleep()


class Colossal(Bytes):
    """Above what libzmq lets through: it cuts the connection."""
    frame = b"x" * (8 << 20)


class Multipart(Bot):
    def misbehave(self, m):
        one = msgpack.packb({"t": "action", "match": m["match"], "turn": 2, "choice": 0})
        self.link.send_multipart([one, one, one])
        sleep()


class Flood(Bot):
    def misbehave(self, m):
        for _ in range(2000):
            self.answer(m, turn=1)
        sleep()


class FloodFrames(Bot):
    """More than any queue holds, for as long as it lives."""

    def misbehave(self, m):
        while True:
            self.answer(m, turn=1)


class Notes(Bot):
    """The greatest note that is allowed, with every answer."""

    def on_act(self, m):
        self.answer(m, note="n" * 1024)


# Descriptors.

class StderrFlood(Bot):
    def misbehave(self, m):
        line = b"oink " * 200 + b"\n"
        for _ in range(4000):
            os.write(2, line)
        self.answer(m)


class StderrFloodForever(Bot):
    def misbehave(self, m):
        while True:
            os.write(2, b"oink " * 200 + b"\n")


class StdoutNoise(Bot):
    def on_act(self, m):
        os.write(1, b'{"t":"action","choice":0}\n\x00\xff\x1b[2J\xc1')
        self.answer(m)


class CloseAll(Bot):
    def begin(self):
        for fd in (0, 1, 2):
            os.close(fd)
        super().begin()


def plain_socket():
    transport, address = ENDPOINT.split("://")
    if transport == "tcp":
        host, port = address.rsplit(":", 1)
        return raw.create_connection((host, int(port)))
    link = raw.socket(raw.AF_UNIX)
    link.connect(address)
    return link


class Raw:
    """ZMTP 3.0 by hand over a plain socket."""

    def __init__(self):
        self.link = plain_socket()
        self.link.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00"
                          + b"NULL".ljust(20, b"\0") + bytes(32))
        self.take(64)
        self.command(b"READY", b"\x0bSocket-Type" + struct.pack(">I", 6) + b"DEALER")
        self.frame()

    def take(self, size):
        data = b""
        while len(data) < size:
            more = self.link.recv(size - len(data))
            if not more:
                die(1, "the connection was closed")
            data += more
        return data

    def command(self, name, body):
        body = bytes([len(name)]) + name + body
        self.link.sendall(b"\x04" + bytes([len(body)]) + body)

    def frame(self):
        flags, = self.take(1)
        size = struct.unpack(">Q", self.take(8))[0] if flags & 2 else self.take(1)[0]
        return self.take(size)

    def send(self, more=False, body=None, **message):
        body = msgpack.packb(message) if body is None else body
        self.link.sendall(bytes([2 | more]) + struct.pack(">Q", len(body)) + body)

    def start(self):
        self.send(t="hello", v=[1], token=TOKEN)
        while True:
            m = msgpack.unpackb(self.frame())
            if m["t"] == "match":
                self.send(t="ready", match=m["match"])
            elif m["t"] == "act":
                return m


class EndlessMultipart(Raw):
    """Parts of a message that never ends, slow enough to spare the machine."""

    def run(self):
        self.start()
        while True:
            self.send(more=True, body=b"x" * 1000)
            time.sleep(0.001)


class MultipartBomb(Raw):
    """The same as fast as it can: libzmq keeps every part until the last has come."""

    def run(self):
        self.start()
        while True:
            self.send(more=True, body=b"x" * 65536)


class MultipartDust(Raw):
    """Parts so small that libzmq has no memory of their own to ask for."""

    def run(self):
        self.start()
        while True:
            self.link.sendall(b"\x01\x01x" * 20000)


class HalfFrame(Raw):
    """The head of a frame, and never the rest."""

    def run(self):
        self.start()
        self.link.sendall(b"\x02" + struct.pack(">Q", 100) + b"x")
        sleep()


class NeverReads(Raw):
    """Wants very many matches at once and reads nothing that comes."""

    def run(self):
        self.send(t="hello", v=[1], token=TOKEN, matches=4096)
        sleep()


class NotZmtp(Raw):
    def __init__(self):
        self.link = plain_socket()

    def run(self):
        self.link.sendall(b"GET / HTTP/1.0\r\n\r\n" + os.urandom(200))
        sleep()


class HalfGreeting(NotZmtp):
    def run(self):
        self.link.sendall(b"\xff" + bytes(8) + b"\x7f\x03")
        sleep()


def mode_names():
    """no_hello -> NoHello …"""
    def all_of(kind):
        for one in kind.__subclasses__():
            yield one
            yield from all_of(one)
    found = {}
    for kind in [Bot, *all_of(Bot), *all_of(Raw)]:
        name = "".join("_" + c.lower() if c.isupper() else c for c in kind.__name__)
        found[name.lstrip("_")] = kind
    return found


def main():
    mode = sys.argv[1]
    if "once" in sys.argv[2:]:
        if os.path.exists("done"):
            mode = "bot"
        open("done", "w").close()
    mode_names()[mode]().run()


main()
