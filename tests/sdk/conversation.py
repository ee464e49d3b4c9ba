"""The conversation that every SDK must lead, held with a bot in its language.

The SDKs have one shape, so they have one test: `main` starts the given bot again and
again, plays the arbiter over a real ROUTER socket, and checks what the bot says and
what its handlers were told. The bot is a fixture (bot.py, bot.js) that writes one JSON
line for each call of a handler, `["act", 1, 2, …]`, and decides as its view says:
`answer` is returned, `note` goes with it, `random` asks for that many numbers,
`fail` lets the handler throw.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback

import msgpack
import zmq

PATIENCE_MS = 60000  # for what must happen, on a machine that is very busy
SECRET = bytes(range(32))
IMPATIENT = {"PIGPEN_RECONNECT_MS": "1000"}
LIMITS = {
    "message_bytes": 65536, "frame_bytes": 1048576, "nesting": 16, "messages": 16,
    "note_bytes": 10, "stderr_bytes": 1000, "ready_ms": 1000, "bye_ms": 1000,
    "memory_bytes": 0, "processes": 0, "descriptors": 0, "disk_bytes": 0}


class Arbiter:
    """A ROUTER at an address of its own and one bot that connects to it."""

    def __init__(self, command, transport="ipc", curve=False, environment=None):
        self.folder = tempfile.mkdtemp(prefix="pigpen-sdk-")
        self.context = zmq.Context()
        self.keys = zmq.curve_keypair() if curve else None
        self.router = None
        self.listen("ipc://%s/s" % self.folder if transport == "ipc" else "tcp://127.0.0.1:*")
        self.peer = None
        settings = {"PIGPEN_ENDPOINT": self.endpoint, "PIGPEN_TOKEN": "token"}
        if curve:
            public, secret = zmq.curve_keypair()
            path = os.path.join(self.folder, "ann.key")
            with open(path, "w") as file:
                file.write("name ann\npublic %s\nsecret %s\n" % (
                    public.decode(), secret.decode()))
            settings.update(PIGPEN_SERVER_KEY=self.keys[0].decode(), PIGPEN_KEY_FILE=path)
        settings.update(environment or {})
        env = {k: v for k, v in {**os.environ, **settings}.items() if v is not None}
        self.bot = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.stderr = []
        self.drain = threading.Thread(target=self._drain)
        self.drain.start()

    def _drain(self):
        self.stderr.extend(self.bot.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.bot.poll() is None:
            self.bot.kill()
        self.bot.wait()
        self.drain.join()
        self.bot.stdout.close()
        self.bot.stderr.close()
        self.router.close(0)
        self.context.term()
        shutil.rmtree(self.folder)

    def listen(self, address):
        self.router = self.context.socket(zmq.ROUTER)
        self.router.setsockopt(zmq.ROUTER_MANDATORY, 1)
        if self.keys:
            self.router.curve_secretkey = self.keys[1]
            self.router.curve_server = True
        self.router.bind(address)
        self.endpoint = self.router.getsockopt_string(zmq.LAST_ENDPOINT).rstrip("\0")

    def restart(self):
        """The connection is cut; the same address listens again."""
        self.router.close(0)
        self.context.term()  # only then is the address free
        self.context = zmq.Context()
        self.listen(self.endpoint)

    def send(self, *messages):
        """All in one frame."""
        self.router.send_multipart([self.peer, b"".join(map(msgpack.packb, messages))])

    def frame(self):
        """The messages of the bot's next frame."""
        assert self.router.poll(PATIENCE_MS), "the bot is silent; stderr: %s" % self.stderr
        self.peer, *frames = self.router.recv_multipart()
        assert len(frames) == 1, frames
        unpacker = msgpack.Unpacker()
        unpacker.feed(frames[0])
        return list(unpacker)

    def message(self):
        messages = self.frame()
        assert len(messages) == 1, messages
        return messages[0]

    def told(self, *expected):
        """The next call of a handler was this."""
        line = self.bot.stdout.readline()
        assert line, "the bot has ended; stderr: %s" % self.stderr
        same(json.loads(line), list(expected))

    def greet(self):
        hello = self.message()
        self.send({"t": "welcome", "v": 1, "session": 7, "secret": SECRET, "limits": LIMITS})
        return hello

    def begin(self, number=1, *before):
        """A match; `before` are the calls of handlers that it brings about before."""
        self.send(match(number))
        same(self.message(), {"t": "ready", "match": number})
        for call in before:
            self.told(*call)
        self.told("match", number, "dirty_pig", 1, 2, [-1, -1])

    def ended(self, status):
        """The bot ends by itself; returns its stderr."""
        same(self.bot.wait(PATIENCE_MS / 1000), status)
        self.drain.join(PATIENCE_MS / 1000)
        assert not self.drain.is_alive(), "a process of the bot's still holds its stderr"
        return "".join(self.stderr)


def match(number, **more):
    return {"t": "match", "match": number, "game": "dirty_pig", "rules": 1,
            "options": {"hand": 3}, "seat": 1, "seats": 2, "teams": [-1, -1],
            "clock": {"kind": "wall", "bank_ms": 0, "inc_ms": 0, "move_ms": 1000},
            "commit": bytes(32), "rng": bytes(range(1, 33)), **more}


def act(number, turn, view=None, **more):
    return {"t": "act", "match": number, "turn": turn, "view": view or {}, "events": [],
            "legal": [{"a": "x"}, {"a": "y"}], "clock": {"bank_ms": 5, "move_ms": 1000}, **more}


def same(got, expected):
    assert got == expected, "got %r, expected %r" % (got, expected)


def says_hello(command):
    with Arbiter(command) as arbiter:
        hello = arbiter.greet()
        language = hello.pop("lang")
        assert language in ("python", "javascript"), language
        same(hello, {"t": "hello", "v": [1], "token": "token", "name": "fixture",
                     "version": "1.5", "matches": 8, "events": True, "batch": True})


def is_ready_after_its_match_handler(command):
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.begin(41)


def answers_with_a_choice_an_action_and_a_note(command):
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.begin()
        head = {"t": "action", "match": 1}
        arbiter.send(act(1, 1, {"answer": 1}, events=[{"e": "deal"}]))
        same(arbiter.message(), {**head, "turn": 1, "choice": 1})
        arbiter.told("act", 1, 1, [{"e": "deal"}], [{"a": "x"}, {"a": "y"}], 5, 1000)
        arbiter.send(act(1, 2, {"answer": {"a": "y", "pig": 2}}))
        same(arbiter.message(), {**head, "turn": 2, "action": {"a": "y", "pig": 2}})
        arbiter.send(act(1, 3, {"answer": 0, "note": "because"}))
        same(arbiter.message(), {**head, "turn": 3, "choice": 0, "note": "because"})
        arbiter.send(act(1, 4, {"answer": {"a": "y"}, "note": b"\x00\xff"}))
        same(arbiter.message(), {**head, "turn": 4, "action": {"a": "y"}, "note": b"\x00\xff"})


def cuts_a_note_at_the_limit_between_characters(command):
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.begin()
        for note, cut in (("0123456789", "0123456789"), ("0123456789a", "0123456789"),
                          ("012345678é", "012345678"), ("01234567é9", "01234567é"),
                          ("\U0001f437\U0001f437\U0001f437", "\U0001f437\U0001f437")):
            arbiter.send(act(1, 1, {"answer": 0, "note": note}))
            same(arbiter.message()["note"], cut)
        arbiter.send(act(1, 1, {"answer": 0, "note": bytes(11)}))
        same(arbiter.message()["note"], bytes(10))


def plays_several_matches_in_batches(command):
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.send(match(1), match(2, seat=0), match(3))
        ready = []
        while len(ready) < 3:
            ready += arbiter.frame()
        same(ready, [{"t": "ready", "match": n} for n in (1, 2, 3)])
        for number, seat in ((1, 1), (2, 0), (3, 1)):
            arbiter.told("match", number, "dirty_pig", seat, 2, [-1, -1])
        arbiter.send(*(act(n, 1, {"answer": n % 2}) for n in (3, 1, 2)))
        answers = []
        while len(answers) < 3:
            answers += arbiter.frame()
        same(answers, [{"t": "action", "match": n, "turn": 1, "choice": n % 2}
                       for n in (3, 1, 2)])


def gathers_its_answers_in_one_frame(command):
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.send(*(match(n) for n in range(1, 9)))
        frames, messages = 0, 0
        while messages < 8:
            messages += len(arbiter.frame())
            frames += 1
        same(frames, 1)


def tells_what_happens(command):
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.begin(1)
        arbiter.begin(2)
        arbiter.send({"t": "event", "match": 1, "events": [{"e": "draw"}]},
                     {"t": "refuse", "match": 1, "turn": 4, "clause": "DP-2.2", "why": "no"},
                     {"t": "end", "match": 1, "events": [{"e": "match"}],
                      "result": {"ranks": [1, 2]}},
                     {"t": "error", "match": 2, "code": "taken", "why": "too slow"})
        arbiter.told("event", 1, [{"e": "draw"}])
        arbiter.told("refuse", 1, 4, "DP-2.2", "no")
        arbiter.told("end", 1, {"ranks": [1, 2]}, [{"e": "match"}])
        arbiter.told("end", 2, None, [])


def forgets_a_match_that_is_over(command):
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.begin(1)
        arbiter.send({"t": "end", "match": 1, "events": [], "result": None},
                     act(1, 1), {"t": "event", "match": 1, "events": []})
        arbiter.told("end", 1, None, [])
        arbiter.begin(2)


def ignores_unknown_keys_and_empty_frames(command):
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.send()
        arbiter.send({**match(1), "colour": "pink", "more": {"a": [1]}})
        same(arbiter.message(), {"t": "ready", "match": 1})
        arbiter.send({**act(1, 1, {"answer": 1}), "colour": None})
        same(arbiter.message()["choice"], 1)


def draws_the_same_numbers_from_the_same_seed(command):
    def numbers(seed):
        with Arbiter(command) as arbiter:
            arbiter.greet()
            arbiter.send(match(1, rng=seed))
            arbiter.message()
            arbiter.send(act(1, 1, {"answer": 0, "random": 20}))
            arbiter.message()
            for _ in "match", "act":
                arbiter.bot.stdout.readline()
            return json.loads(arbiter.bot.stdout.readline())
    first = numbers(bytes(32))
    same(numbers(bytes(32)), first)
    same(len(set(first)), 20)
    assert all(0 <= n < 1 for n in first), first
    other = numbers(bytes(31) + b"\1")
    assert not set(first) & set(other), (first, other)


def resumes_after_a_lost_connection(command):
    with Arbiter(command, "tcp") as arbiter:
        first = arbiter.greet()
        arbiter.begin(1)
        arbiter.restart()
        same(arbiter.message(), {**first, "secret": SECRET})
        # The arbiter has not noticed that the old connection is dead: ask again.
        arbiter.send({"t": "error", "code": "live", "why": "the old connection lives"})
        same(arbiter.message(), {**first, "secret": SECRET})
        arbiter.send(
            {"t": "welcome", "v": 1, "session": 7, "secret": SECRET, "limits": LIMITS},
            {**match(1), "t": "resume", "view": {"answer": 1},
             "act": {"turn": 5, "legal": [{"a": "z"}], "clock": {"bank_ms": 1, "move_ms": 2}}},
            {**match(2), "t": "resume", "view": {"answer": 0}})
        same(arbiter.message(), {"t": "action", "match": 1, "turn": 5, "choice": 1})
        arbiter.told("resume", 1, {"answer": 1})
        arbiter.told("act", 1, 5, [], [{"a": "z"}], 1, 2)
        arbiter.told("match", 2, "dirty_pig", 1, 2, [-1, -1])
        arbiter.told("resume", 2, {"answer": 0})


def ends_what_is_not_resumed(command):
    """The `end` of a match was lost with the connection."""
    with Arbiter(command, "tcp") as arbiter:
        arbiter.greet()
        arbiter.begin(1)
        arbiter.begin(2)
        arbiter.restart()
        arbiter.greet()
        arbiter.send({**match(2), "t": "resume", "view": {}})
        arbiter.told("resume", 2, {})
        arbiter.begin(3, ["end", 1, None, []])
        arbiter.send(act(2, 5, {"answer": 1}))
        same(arbiter.message(), {"t": "action", "match": 2, "turn": 5, "choice": 1})


def gives_up_without_an_arbiter(command):
    """Whether it was there at first or not."""
    for greeted in (False, True):
        with Arbiter(command, "tcp", curve=True, environment=IMPATIENT) as arbiter:
            if greeted:
                arbiter.greet()
                arbiter.begin(1)
            arbiter.router.close(0)
            arbiter.context.term()
            # It may have connected before the socket was closed.
            assert re.fullmatch(r"(fixture: the connection to \S+ is lost; trying again\n)%s"
                                r"fixture: no connection to \S+ for 1 s; giving up\n"
                                % ("" if greeted else "?"), arbiter.ended(1)), arbiter.stderr
            arbiter.context = zmq.Context()
    with Arbiter(command, environment={"PIGPEN_RECONNECT_MS": "soon"}) as arbiter:
        assert "PIGPEN_RECONNECT_MS is not a number" in arbiter.ended(2)


def leaves_after_bye(command):
    for transport in ("ipc", "tcp"):
        with Arbiter(command, transport) as arbiter:
            arbiter.greet()
            arbiter.begin(1)
            arbiter.send({"t": "bye", "code": "done", "why": ""}, act(1, 1))
            same(arbiter.ended(0), "")
            same(arbiter.bot.stdout.readline(), "")


def ends_when_the_arbiter_is_gone(command):
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.begin(1)
        arbiter.router.close(0)
        same(arbiter.ended(1), "fixture: the arbiter has gone without a bye\n")


def ends_when_it_is_refused(command):
    with Arbiter(command) as arbiter:
        arbiter.message()
        arbiter.send({"t": "error", "code": "token", "why": "nobody is expected"})
        same(arbiter.ended(1), "fixture: the arbiter says token: nobody is expected\n")


def ends_when_it_cannot_read_the_arbiter(command):
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.router.send_multipart([arbiter.peer, msgpack.packb(match(1))[:-1]])
        assert "fixture: " in arbiter.ended(1)
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.send({"t": "song"})
        same(arbiter.ended(1), "fixture: the arbiter sent an unknown message, 'song'\n")


def says_what_is_missing_in_the_environment(command):
    for name in ("PIGPEN_ENDPOINT", "PIGPEN_TOKEN"):
        with Arbiter(command, environment={name: None}) as arbiter:
            assert name + " is not set" in arbiter.ended(2)


def crashes_when_a_handler_throws(command):
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.begin(1)
        arbiter.send(act(1, 1, {"fail": "on purpose"}))
        assert "on purpose" in arbiter.ended(1)


def refuses_an_answer_that_is_none(command):
    with Arbiter(command) as arbiter:
        arbiter.greet()
        arbiter.begin(1)
        arbiter.send(act(1, 1, {"answer": "mud"}))
        assert "index into act.legal" in arbiter.ended(1)


def speaks_through_curve(command):
    with Arbiter(command, "tcp", curve=True) as arbiter:
        arbiter.greet()
        arbiter.begin(1)


CASES = [
    says_hello, is_ready_after_its_match_handler, answers_with_a_choice_an_action_and_a_note,
    cuts_a_note_at_the_limit_between_characters, plays_several_matches_in_batches,
    gathers_its_answers_in_one_frame, tells_what_happens, forgets_a_match_that_is_over,
    ignores_unknown_keys_and_empty_frames, draws_the_same_numbers_from_the_same_seed,
    resumes_after_a_lost_connection, ends_what_is_not_resumed, gives_up_without_an_arbiter,
    leaves_after_bye, ends_when_the_arbiter_is_gone,
    ends_when_it_is_refused, ends_when_it_cannot_read_the_arbiter,
    says_what_is_missing_in_the_environment, crashes_when_a_handler_throws,
    refuses_an_answer_that_is_none, speaks_through_curve]


def main(command):
    """Runs every case with this bot; exits with 1 if one failed."""
    failed = 0
    for case in CASES:
        try:
            case(command)
            print("ok   %s" % case.__name__, flush=True)
        except Exception:
            failed += 1
            print("FAIL %s\n%s" % (case.__name__, traceback.format_exc()), flush=True)
    print("%d passed, %d failed" % (len(CASES) - failed, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
