"""Everything a Pigpen bot in Python needs, in one file.

A whole bot:

    import pigpen

    class First(pigpen.Bot):
        def act(self, match, act):
            return 0

    pigpen.run(First())

`act` is asked for a decision; all other handlers may be left out. What it returns is

    3                        the index of an action in act.legal
    {"a": "discard", ...}    an action written out
    (3, "why I did it")      either of them with a note, which is shown in the replay
                             and to nobody else during the match

`run` connects where PIGPEN_ENDPOINT says, greets with PIGPEN_TOKEN and calls the
handlers until the arbiter says bye; then it returns. Greeting, `ready`, reconnecting,
batches and several matches at once are handled here. An exception in a handler ends the
bot, as it should: the arbiter calls it a crash and shows the last line of stderr.

A bot that is started by hand and plays on an arbiter elsewhere needs PIGPEN_SERVER_KEY,
the arbiter's public key, and PIGPEN_KEY_FILE, the file NAME.key that `pigpen keygen NAME`
wrote; its token is then NAME. When it has had no connection for five minutes (or
PIGPEN_RECONNECT_MS; 0: never) it gives up.

The wire is described in specs/protocol.md; views, actions and events of each game in
specs/games/. Needs pyzmq and msgpack.
"""
from __future__ import annotations

import os
import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Union

try:
    import msgpack
    import zmq
    import zmq.utils.monitor
except ImportError as missing:
    sys.exit("%s: %s; install it for %s (Debian: apt-get install python3-zmq "
             "python3-msgpack, elsewhere: pip install pyzmq msgpack)"
             % (sys.argv[0], missing, sys.executable))

__all__ = ["Act", "Action", "Answer", "Bot", "Clock", "ConnectionLost", "Match",
           "NotReady", "run"]

Action = dict[str, Any]
Answer = Union[int, Action, tuple[Union[int, Action], Union[str, bytes]]]

PROTOCOL_VERSION = 1
WELCOME_SECONDS = 30.0  # without an answer to hello we give up
RECONNECT_MS = 300000   # without a connection a bot that plays elsewhere gives up
AGAIN_SECONDS = 0.5     # until a hello that came too early is sent again
LONG_SECONDS = 0.001    # an answer that took longer is sent at once
LINGER_MS = 1000
HEARTBEAT_MS = 5000


class ConnectionLost(Exception):
    """The arbiter went away, refused us, or sent something unreadable."""


class NotReady(ConnectionLost):
    """The environment is not complete."""


@dataclass
class Clock:
    """The clock of one question."""
    move_ms: int  # time for this answer, everything considered; 0: no limit
    bank_ms: int  # what is in the bank before it


@dataclass
class Match:
    """One match that is being played. A bot may hang attributes of its own on it."""
    id: int
    game: str               # "dirty_pig"
    rules: int              # version of the game's rules
    options: dict[str, Any]
    seat: int               # ours, from 0
    seats: int
    teams: list[int]        # one for each seat, -1: none, or not settled
    clock: dict[str, Any]   # the rule: kind, bank_ms, inc_ms, move_ms
    commit: bytes           # the arbiter's promise about the deals
    rng: bytes              # a seed for us alone
    names: list[str]        # by seat; empty: opponents are anonymous
    # Seeded with rng: a bot that uses no other randomness plays the same match again
    # when it is asked the same questions.
    random: random.Random = field(repr=False)


@dataclass
class Act:
    """A question: which of the legal actions?"""
    turn: int               # our questions in this match, from 1
    view: dict[str, Any]    # all that our seat may know
    events: list[Any]       # what happened since the last question
    legal: list[Action]     # everything allowed, sorted
    clock: Clock


class Bot:
    """Handlers. Only `act` must be there."""
    name: str = "bot"
    version: str = ""
    matches: int = 1        # how many at once
    events: bool = False    # call `event` as things happen

    def match(self, match: Match) -> None:
        """A match begins. The arbiter waits until this returns."""

    def act(self, match: Match, act: Act) -> Answer:
        """Decide."""
        raise NotImplementedError("a bot needs act(self, match, act)")

    def event(self, match: Match, events: list[Any]) -> None:
        """Things happened; only if `events` is set."""

    def refuse(self, match: Match, turn: int, clause: str, why: str) -> None:
        """An action of ours was refused; `act` is asked again."""

    def resume(self, match: Match, view: dict[str, Any]) -> None:
        """The connection was lost and is back; the view is complete and current.
        A question that is open follows through `act`, with no events."""

    def end(self, match: Match, result: dict[str, Any] | None,
            events: list[Any]) -> None:
        """The match is over. result is None if it was void or our seat was taken."""


def run(bot: Bot) -> None:
    """Plays until the arbiter says bye. Exits with status 2 if the environment is not
    set, with status 1 if the connection was lost or refused."""
    for name in ("PIGPEN_ENDPOINT", "PIGPEN_TOKEN"):
        if not os.environ.get(name) and not (
                name == "PIGPEN_TOKEN" and os.environ.get("PIGPEN_KEY_FILE")):
            print("%s: %s is not set; bots are started by `pigpen match`, which sets it; "
                  "one that plays elsewhere needs PIGPEN_ENDPOINT, PIGPEN_SERVER_KEY and "
                  "PIGPEN_KEY_FILE" % (bot.name, name), file=sys.stderr)
            sys.exit(2)
    try:
        with _Session(bot) as session:
            session.play()
    except ConnectionLost as lost:
        print("%s: %s" % (bot.name, lost), file=sys.stderr)
        sys.exit(2 if isinstance(lost, NotReady) else 1)


def _reconnect_ms() -> int:
    text = os.environ.get("PIGPEN_RECONNECT_MS", str(RECONNECT_MS))
    if not text.isdecimal():
        raise NotReady("PIGPEN_RECONNECT_MS is not a number of milliseconds; 0 means to "
                       "try for ever")
    return int(text)


class _Session:
    """One connection to one arbiter."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.endpoint = os.environ["PIGPEN_ENDPOINT"]
        self.token = os.environ.get("PIGPEN_TOKEN", "")
        self.remote = False                  # tries to come back when it was cut off
        self.reconnect_ms = _reconnect_ms()
        self.connected = False
        # Without a connection, or a local bot without a welcome, we give up then.
        self.give_up_at: float | None = None
        self.secret: bytes | None = None     # known once greeted
        self.limits: dict[str, int] = {}
        self.matches: dict[int, Match] = {}
        self.unsure: set[int] = set()        # not resumed since we came back
        self.out = bytearray()               # messages that leave together
        self.hello_again = False
        self.over = False
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        # The monitor tells when the connection comes and goes. With IMMEDIATE nothing
        # is queued without one, so hello is the first message of every connection.
        self.socket.setsockopt(zmq.IMMEDIATE, 1)
        self.socket.setsockopt(zmq.LINGER, LINGER_MS)
        self._set_keys()
        self.monitor = self.socket.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED
            | zmq.EVENT_HANDSHAKE_FAILED_AUTH)
        self.poller = zmq.Poller()
        self.poller.register(self.socket, zmq.POLLIN)
        self.poller.register(self.monitor, zmq.POLLIN)

    def __enter__(self) -> _Session:
        try:
            self.socket.connect(self.endpoint)
        except zmq.ZMQError as error:
            self.__exit__()
            raise ConnectionLost("cannot connect to PIGPEN_ENDPOINT=%s: %s"
                                 % (self.endpoint, error)) from None
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.disable_monitor()
        self.monitor.close()
        self.socket.close()
        self.context.term()

    def _set_keys(self) -> None:
        server = os.environ.get("PIGPEN_SERVER_KEY")
        path = os.environ.get("PIGPEN_KEY_FILE")
        if not server and not path:
            return
        try:
            with open(path or "", encoding="ascii") as file:
                key = dict(line.split() for line in file)
            self.socket.curve_serverkey = (server or "").encode()
            self.socket.curve_publickey = key["public"].encode()
            self.socket.curve_secretkey = key["secret"].encode()
            self.token = self.token or key["name"]
        except (OSError, ValueError, KeyError, zmq.ZMQError):
            raise NotReady(
                "PIGPEN_SERVER_KEY (the arbiter's public key, 40 characters) and "
                "PIGPEN_KEY_FILE (which `pigpen keygen` writes) need each other"
                ) from None
        self.socket.setsockopt(zmq.HEARTBEAT_IVL, HEARTBEAT_MS)
        self.remote = True

    def play(self) -> None:
        """Until bye."""
        self._wait_for_connection()
        while not self.over:
            if self.hello_again:
                wait = AGAIN_SECONDS
            elif self.give_up_at is not None:
                wait = max(0.0, self.give_up_at - time.monotonic())
            else:
                wait = None
            if self.poller.poll(None if wait is None else wait * 1000):
                self._look()
            elif self.hello_again:
                self._hello()
            elif self.remote:
                raise ConnectionLost("no connection to %s for %d s; giving up"
                                     % (self.endpoint, self.reconnect_ms // 1000))
            else:
                raise ConnectionLost("no welcome in %d s" % WELCOME_SECONDS)

    def _wait_for_connection(self) -> None:
        if not self.remote:
            self.give_up_at = time.monotonic() + WELCOME_SECONDS
        elif self.reconnect_ms:
            self.give_up_at = time.monotonic() + self.reconnect_ms / 1000

    def _look(self) -> None:
        """Whatever is there."""
        self._read()
        while not self.over and self.monitor.poll(0):
            what = zmq.utils.monitor.recv_monitor_message(self.monitor)["event"]
            if what == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self.connected = True
                if self.remote:
                    self.give_up_at = None
                self._hello()
            elif what == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
                raise ConnectionLost(
                    "the arbiter does not know our key; its host has to add it")
            elif self.endpoint.startswith("ipc:"):
                self._read()  # frames that came before the end
                if not self.over:
                    raise ConnectionLost("the arbiter has gone without a bye")
            elif self.connected:  # else a handshake has failed
                self.connected, self.hello_again = False, False
                self._wait_for_connection()
                print("%s: the connection to %s is lost; trying again"
                      % (self.bot.name, self.endpoint), file=sys.stderr)

    def _read(self) -> None:
        """All frames that are there."""
        try:
            while not self.over:
                self._frame(self.socket.recv(zmq.DONTWAIT))
        except zmq.Again:
            pass

    def _hello(self) -> None:
        hello = {
            "t": "hello", "v": [PROTOCOL_VERSION], "token": self.token,
            "name": self.bot.name, "version": self.bot.version, "lang": "python",
            "matches": self.bot.matches, "events": self.bot.events, "batch": True}
        if self.secret is not None:
            hello["secret"] = self.secret
        self.hello_again = False
        # Answers not sent before the connection was lost are asked for again.
        self.out.clear()
        self._say(hello)
        self._flush()

    def _say(self, message: dict[str, Any]) -> None:
        packed = msgpack.packb(message)
        if len(self.out) + len(packed) > self.limits.get("frame_bytes", len(packed)):
            self._flush()
        self.out += packed

    def _flush(self) -> None:
        if self.out:
            try:
                self.socket.send(bytes(self.out), zmq.DONTWAIT)
            except zmq.Again:
                pass  # not connected: after a reconnect `resume` asks again
            self.out.clear()

    def _frame(self, frame: bytes) -> None:
        """An empty frame only asks whether we are there."""
        unpacker = msgpack.Unpacker(max_buffer_size=max(len(frame), 1))
        unpacker.feed(frame)
        read = 0
        try:
            for message in unpacker:
                self._message(message)
                read = unpacker.tell()
                if self.over:
                    break
        except (ValueError, msgpack.UnpackException) as error:
            raise ConnectionLost("cannot read what the arbiter sent: %s" % error) from error
        if read != len(frame) and not self.over:
            raise ConnectionLost("a frame of the arbiter's ends in the middle of a message")
        self._flush()

    def _message(self, message: dict[str, Any]) -> None:
        handler = getattr(self, "_on_" + message["t"], None)
        if handler is None:
            raise ConnectionLost("the arbiter sent an unknown message, '%s'" % message["t"])
        if self.unsure and message["t"] != "resume":
            self._end_unsure()
        handler(message)

    def _on_welcome(self, message: dict[str, Any]) -> None:
        self.secret = message["secret"]
        self.limits = message["limits"]
        self.give_up_at = None
        self.unsure = set(self.matches)

    def _end_unsure(self) -> None:
        """After welcome come the matches that go on, before anything else. The others
        ended while we were away."""
        over, self.unsure = self.unsure, set()
        for number in sorted(over):
            self.bot.end(self.matches.pop(number), None, [])

    def _begin(self, message: dict[str, Any]) -> Match:
        match = Match(
            id=message["match"], game=message["game"], rules=message["rules"],
            options=message["options"], seat=message["seat"], seats=message["seats"],
            teams=message["teams"], clock=message["clock"], commit=message["commit"],
            rng=message["rng"], names=message.get("names", []),
            random=random.Random(message["rng"]))
        self.matches[match.id] = match
        self.bot.match(match)
        return match

    def _on_match(self, message: dict[str, Any]) -> None:
        if message["match"] not in self.matches:
            self._begin(message)
            self._say({"t": "ready", "match": message["match"]})

    def _on_act(self, message: dict[str, Any]) -> None:
        match = self.matches.get(message["match"])
        if match is None:
            return
        clock = message["clock"]
        start = time.monotonic()
        answer = self.bot.act(match, Act(
            turn=message["turn"], view=message["view"], events=message["events"],
            legal=message["legal"],
            clock=Clock(move_ms=clock["move_ms"], bank_ms=clock["bank_ms"])))
        self._say(self._action(message, answer))
        if time.monotonic() - start > LONG_SECONDS:
            self._flush()

    def _action(self, message: dict[str, Any], answer: Answer) -> dict[str, Any]:
        action: dict[str, Any] = {
            "t": "action", "match": message["match"], "turn": message["turn"]}
        note = None
        if isinstance(answer, tuple):
            answer, note = answer
        if isinstance(answer, int):
            action["choice"] = answer
        elif isinstance(answer, dict):
            action["action"] = answer
        else:
            raise TypeError("act returned %r; it must return an index into act.legal or "
                            "an action, or (either of them, a note)" % (answer,))
        if note:
            action["note"] = self._cut(note)
        return action

    def _cut(self, note: str | bytes) -> str | bytes:
        """A note that is too long would be a fault. Whole characters stay whole."""
        size = self.limits["note_bytes"]
        if isinstance(note, bytes):
            return note[:size]
        return note.encode()[:size].decode(errors="ignore")

    def _on_event(self, message: dict[str, Any]) -> None:
        match = self.matches.get(message["match"])
        if match is not None:
            self.bot.event(match, message["events"])

    def _on_refuse(self, message: dict[str, Any]) -> None:
        match = self.matches.get(message["match"])
        if match is not None:
            self.bot.refuse(match, message["turn"], message["clause"], message["why"])

    def _on_resume(self, message: dict[str, Any]) -> None:
        self.unsure.discard(message["match"])
        match = self.matches.get(message["match"]) or self._begin(message)
        self.bot.resume(match, message["view"])
        if "act" in message:
            self._on_act({**message["act"], "match": match.id, "view": message["view"],
                          "events": []})

    def _on_end(self, message: dict[str, Any]) -> None:
        match = self.matches.pop(message["match"], None)
        if match is not None:
            self.bot.end(match, message["result"], message["events"])

    def _on_error(self, message: dict[str, Any]) -> None:
        if "match" in message:
            match = self.matches.pop(message["match"], None)
            if match is not None:
                self.bot.end(match, None, [])
        elif message["code"] == "live" and (self.remote or self.secret is not None):
            self.hello_again = True
        else:
            raise ConnectionLost("the arbiter says %s: %s"
                                 % (message["code"], message["why"]))

    def _on_bye(self, _: dict[str, Any]) -> None:
        self.over = True
