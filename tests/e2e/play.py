#!/usr/bin/python3
"""A person's seat over HTTP: whole matches by a program, and what rude ones get."""
import contextlib
import glob
import http.client
import json
import os
import re
import signal
import sqlite3
import time

from harness import PATIENCE_S, cases, check, contains, equal, main, skip, test, wait_for
from support.ladders import ladder, player

RANDOM = "sample/c/random"
DIRTY = {"game": "dirty_pig", "seats": ["human", RANDOM]}


class Table:
    """A served ladder at which people play."""

    def __init__(self, t, *words, bots=("random", "greedy"), env=None, **options):
        self.played = t.path("played")
        self.process = t.start_pigpen("serve", ladder(t, *bots, **options), "--port", "0",
                                      "--played", self.played, *words, env=env)
        line = self.process.stdout.readline().decode()
        self.port = int(re.search(r":(\d+)/$", line.strip()).group(1))

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def raw(self, path, method="GET", body=None, headers=None):
        """(status, bytes)"""
        with contextlib.closing(self.connect()) as link:
            link.request(method, "/api/play/" + path, body, headers or {})
            answer = link.getresponse()
            return answer.status, answer.read()

    def ask(self, method, path, body=None, headers=None):
        """(status, document)"""
        status, text = self.raw(path, method, body, headers)
        return status, json.loads(text or b"null")

    def post(self, path, document, **headers):
        return self.ask("POST", path, json.dumps(document), headers)

    def begin(self, document):
        status, told = self.post("matches", document)
        equal(status, 201, "status of a new match: %s" % told)
        return told["id"]

    @contextlib.contextmanager
    def stream(self, match):
        with contextlib.closing(self.connect()) as link:
            link.request("GET", "/api/play/streams/" + match)
            # The answer ends the connection, so the socket is the answer's.
            with link.getresponse() as answer:
                yield events(answer)

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        equal(self.process.wait(PATIENCE_S), 0, "exit status")


def events(answer):
    """(name, document) of each event as it comes."""
    name = None
    for line in answer:
        word, _, rest = line.decode().rstrip("\n").partition(": ")
        if word == "event":
            name = rest
        elif word == "data":
            yield name, json.loads(rest)


@contextlib.contextmanager
def table(t, *words, **options):
    place = Table(t, *words, **options)
    yield place
    place.close()


def play_out(place, match, stream):
    """Always the last legal move; what came, but for `now`, which comes once."""
    came = []
    for name, data in stream:
        came.append((name, data))
        if name == "ask":
            equal(place.post("actions/" + match, {"turn": data["turn"],
                                                  "choice": len(data["legal"]) - 1}),
                  (200, {}), "an answer")
    equal([name for name, _ in came].count("now"), 1, "how often it is now")
    return [event for event in came if event[0] != "now"]


@test
def a_match_is_played_to_its_end_and_kept(t):
    with table(t) as place:
        match = place.begin(DIRTY)
        with place.stream(match) as stream:
            came = play_out(place, match, stream)
        names = [name for name, _ in came]
        equal(names[0], "head", "the first event")
        equal(came[-1], ("over", {"why": None, "file": 1}), "the last event")
        equal(came[0][1]["for"], 0, "the audience")
        check(names.count("ask") > 3, "hardly a question")
        check(any("result" in data for name, data in came if name == "step"), "no result")
        replay, = glob.glob(place.played + "/%s/*.replay" % match)
        t.pigpen("replay", "verify", replay).ok()
        status, viewer = place.ask("GET", "viewer/" + match)
        equal((status, viewer["head"]["for"]), (200, "all"), "the viewer's data")
        with open(replay, "rb") as file:
            equal(place.raw("replay/" + match), (200, file.read()), "the replay's file")
        # The same events again, and after all is forgotten the replay.
        with place.stream(match) as stream:
            equal([name for name, _ in stream], names + ["now"], "the events once more")


@test
def bots_of_a_ladder_are_sandboxed_as_it_says(t):
    """Without bubblewrap nobody plays against the bots of a ladder that requires it."""
    if t.pigpen("doctor").status:
        skip("bots cannot be sandboxed here; `pigpen doctor` says why")
    with table(t, sandbox="require", env={"PATH": t.path("nowhere")}) as place:
        for bot, begins in ((RANDOM, True), ("ladder/ladder/1", False)):
            match = place.begin({"game": "dirty_pig", "seats": ["human", bot]})
            with place.stream(match) as stream:
                name, data = next(event for event in stream
                                  if event[0] in ("ask", "over"))
            equal(name, "ask" if begins else "over", "what came: %s" % data)
            if not begins:
                contains(data["why"], "bubblewrap is not installed", "the reason")
            place.post("leave/" + match, {})


@test
def who_comes_later_is_told_what_is_past(t):
    with table(t) as place:
        match = place.begin(DIRTY)
        told = []
        with place.stream(match) as stream:
            while [name for name, _ in told].count("ask") < 3:
                told.append(next(stream))
                name, data = told[-1]
                heard = time.monotonic()
                if name == "ask" and [name for name, _ in told].count("ask") < 3:
                    answered = time.monotonic()
                    place.post("actions/" + match, {"turn": data["turn"], "choice": 0})
            told = [event for event in told if event[0] != "now"]
            since = time.monotonic()
            with place.stream(match) as later:
                equal([next(later) for _ in told], told, "the past")
                name, data = next(later)
                equal((name, sorted(data)), ("now", ["asked_ms"]), "its end")
                age_s = data["asked_ms"] / 1000
                check(since - heard - 0.002 <= age_s <= time.monotonic() - answered,
                      "the age of the question: %s s" % age_s)
                place.post("actions/" + match, {"turn": told[-1][1]["turn"], "choice": 0})
                equal(next(later), ("answer", {"turn": told[-1][1]["turn"]}), "what came then")


@test
def the_oldest_matches_make_room(t):
    for i in range(1003):
        folder = "played/%032x" % i if i else "played/mine"
        os.makedirs(t.path(folder))
        os.utime(t.path(folder), (1000 + i, 1000 + i))
    with table(t) as place:
        match = place.begin(DIRTY)
        left = set(os.listdir(place.played))
        expected = {match, "mine", *("%032x" % i for i in range(4, 1003))}
        equal((sorted(expected - left), sorted(left - expected)), ([], []), "missing, too many")


@test
def the_person_is_told_what_a_bot_is_told(t):
    with table(t) as place:
        match = place.begin({"game": "pig_pile", "seats": [RANDOM, "human", RANDOM],
                             "options": {"rounds": 1, "max_turns": 30}})
        with place.stream(match) as stream:
            came = play_out(place, match, stream)
        equal(came[0][1]["for"], 1, "the audience")
        hands = 0
        for name, data in came:
            if name == "step":
                check(data.get("seat", 1) == 1 and "note" not in data, "others' choices")
                own = (data.get("table") or {}).get("own") or {}
                check(set(own) <= {"1"}, "others' hands: %s" % own)
                hands += "1" in own
        check(hands > 3, "the person's own hand was shown %d times" % hands)


@test
def refusals_name_their_clause_and_ask_again(t):
    with table(t) as place:
        match = place.begin({"game": "pig_pile", "seats": ["human", RANDOM, RANDOM]})
        with place.stream(match) as stream:
            asked = next(data for name, data in stream if name == "ask")
            for text, clause in (("play 99", ""), ("slop i=0", "PP-")):
                equal(place.post("actions/" + match, {"turn": asked["turn"], "text": text})[0],
                      200, "status")
                refused = next(data for name, data in stream if name == "refuse")
                check(refused["clause"].startswith(clause) and refused["why"], refused)
                asked = next(data for name, data in stream if name == "ask")
        place.post("leave/" + match, {})


@test
def rude_requests_are_refused(t):
    with table(t) as place:
        match = place.begin(DIRTY)
        for document, status in (
                ({"game": "chess", "seats": []}, 400), ({"game": "dirty_pig"}, 400),
                ({**DIRTY, "seats": ["human", "human"]}, 400),
                ({**DIRTY, "seats": ["human", "/bin/sh"]}, 400),
                ({**DIRTY, "seats": ["human", "ladder/../1"]}, 400),
                ({**DIRTY, "options": {"hand": 99}}, 400),
                ({**DIRTY, "options": {"--out": "x"}}, 400),
                ({**DIRTY, "clock": "--help"}, 400), ([], 400), ("x" * 20000, 413)):
            told = place.post("matches", document)
            equal(told[0], status, "status of %.80s" % document)
            check(told[1]["error"], "no sentence")
        equal(place.ask("POST", "matches", "{")[0], 400, "broken JSON")
        for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
            equal(place.post("matches", DIRTY, Origin=origin)[0], 403, "from " + origin)
        equal(place.post("matches", DIRTY, Host="evil.example")[0], 421, "a foreign name")
        equal(place.post("matches", DIRTY, **{"Sec-Fetch-Site": "cross-site"})[0], 403,
              "another site")
        for path in ("actions/" + "0" * 32, "leave/..", "actions/"):
            equal(place.post(path, {"turn": 1, "choice": 0})[0], 404, path)
        for path in ("streams/x", "viewer/" + match, "replay/..%2f" + match):
            equal(place.ask("GET", path)[0], 404, path)
        with place.stream(match) as stream, place.stream(match) as other:
            turn = next(data for name, data in stream if name == "ask")["turn"]
            equal(next(data for name, data in other if name == "ask")["turn"], turn, "turn")
            for answer in ({"turn": turn + 1, "choice": 0}, {"turn": turn - 1, "choice": 0}):
                equal(place.post("actions/" + match, answer)[0], 409, "wrong turn")
            for answer in ({"turn": turn}, {"choice": 0}, {"turn": turn, "text": "x" * 600}):
                equal(place.post("actions/" + match, answer)[0], 400, str(answer)[:40])
            answer = {"turn": turn, "choice": 0}
            both = sorted(place.post("actions/" + match, answer)[0] for _ in range(2))
            equal(both, [200, 409], "two browsers answer")


def begins(**changes):
    """The body of a request for a match."""
    return json.dumps({**DIRTY, **changes}, ensure_ascii=False).encode()


HOSTILE = {
    "cut characters": [begins(options={"x" * i + "é" * 2400: 1}) for i in range(64)],
    "cut clocks": [begins(clock="x" * i + "é" * 200) for i in range(4)],
    "depth": [b"[" * 8192, b'{"a":' * 1600, b"[" * 4000 + b"]" * 4000],
    "numbers": [begins(options={"hand": n}) for n in (
        2 ** 63, -2 ** 63 - 1, 2 ** 63 - 1, -2 ** 63, 10 ** 400, 1.5, -0.0)] + [
        b'{"game":1e999}', b'{"game":NaN}', b'{"game":-}', b'{"game":0x1}'],
    "nulls": [begins() + b"\0", begins() + b"\0{}", b"\0" + begins(), begins(game="a\0b"),
              begins(game="\\u0000"), b'{"game":"a\0b"}', b'{"a\0b":1}'],
    "no text": [b"\xff\xfe", b'{"game":"\xc3"}', b'{"game":"\xed\xa0\x80"}', b'{"\xc3":1}',
                b'{"game":"\\ud800"}', b"\xef\xbb\xbf{}"],
    "keys twice": [b'{"game":"dirty_pig",' + begins()[1:], b'{"options":{"a":1,"a":2}}'],
    "kinds": [b"", b" ", b"null", b"1", b'"x"', b"[]", b"{}", b"[[]]", b"true", begins(game=[]),
              begins(game={}), begins(seats={}), begins(seats="human"), begins(seats=[None, 1]),
              begins(seats=["human"] * 500), begins(seats=["human", ["human"]]),
              begins(options={"hand": None}), begins(options={"hand": {}}), begins(clock="\n"),
              begins(options={"hand": "x" * 7000})],
}


@cases(**{name.replace(" ", "_"): bodies for name, bodies in HOSTILE.items()})
def any_body_is_answered_with_a_reason(t, bodies):
    with table(t) as place:
        match = place.begin(DIRTY)
        with place.stream(match) as stream:
            turn = next(data for name, data in stream if name == "ask")["turn"]
            for path, status in (("matches", 400), ("actions/" + match, 400),
                                 ("actions/" + "0" * 32, 404)):
                for body in bodies:
                    told = place.ask("POST", path, body)
                    equal((told[0], sorted(told[1])), (status, ["error"]),
                          "answer of %s to %.80r: %s" % (path, body, told))
            # The question is still open, and the server is still there.
            equal(place.post("actions/" + match, {"turn": turn, "choice": 0}), (200, {}), "answer")


@test
def any_text_of_a_move_is_refused_and_asked_again(t):
    texts = ["x" * i + "é" * 100 for i in range(2)] + [
        "", " ", "\n", "\x01" * 500, "\u202eplay", "play " + "9" * 400, "play " + "é" * 200, "play i=" +
        "9" * 40, "-1", "\U0010ffff" * 125, '"}\n{"turn":1,"choice":0}\n']
    with table(t) as place:
        match = place.begin(DIRTY)
        with place.stream(match) as stream:
            for text in texts:
                turn = next(data for name, data in stream if name == "ask")["turn"]
                equal(place.post("actions/" + match, {"turn": turn, "text": text}), (200, {}), text)
                refused = next((data for name, data in stream if name in ("refuse", "over")))
                equal(refused.get("clause"), "", "after %r: %s" % (text[:40], refused))
            for choice in (-1, 10 ** 9, 2 ** 63 - 1, -2 ** 63):
                turn = next(data for name, data in stream if name == "ask")["turn"]
                place.post("actions/" + match, {"turn": turn, "choice": choice})
                refused = next((data for name, data in stream if name in ("refuse", "over")))
                equal(refused.get("clause"), "", "after choice %d: %s" % (choice, refused))


@test
def bodies_without_end_keep_nobody_from_playing(t):
    with table(t) as place, contextlib.ExitStack() as links:
        for _ in range(100):
            link = links.enter_context(contextlib.closing(place.connect()))
            link.putrequest("POST", "/api/play/matches")
            link.putheader("Content-Length", "1000")
            link.endheaders(b"{")
        place.begin(DIRTY)


SECRET = "lost my cards"


def crashing(t, where):
    """A bot that ends with a secret on its stderr."""
    words = {where: "sys.exit('%s')" % SECRET}
    return player(t, "crasher", **words)


@cases(when_it_is_asked="on_act", when_it_is_started="on_match")
def what_a_bot_wrote_is_not_for_who_plays(t, where):
    with table(t, bots=[crashing(t, where)]) as place:
        match = place.begin({**DIRTY, "seats": ["human", "ladder/ladder/1"]})
        with place.stream(match) as stream:
            came = play_out(place, match, stream)
        equal(came[-1][0], "over", "the last event")
        viewer = place.raw("viewer/" + match)[1]
        status, file = place.raw("replay/" + match)
        check(status == 404 and SECRET.encode() not in file, "the file: %d %r" % (status, file))
        equal(came[-1][1]["file"], 0, "is there a file?")
        faults = [step["fault"] for step in json.loads(viewer).get("steps", []) if "fault" in step]
        equal([(fault["seat"], fault["class"]) for fault in faults], [(1, "crash")], "faults")
        check("exit" not in faults[0] and "why" not in faults[0], "evidence: %s" % faults)
        check(SECRET not in json.dumps(came) + viewer.decode(), "what it wrote is shown")
        replay, = glob.glob(place.played + "/%s/*.replay" % match)
        contains(t.pigpen("replay", "show", replay).ok().out, SECRET, "the host's replay")


@test
def why_a_match_failed_is_for_the_host(t):
    with table(t, bots=[crashing(t, "on_act")]) as place:
        for name in glob.glob(t.path("ladder", "bots", "crasher", "*", "bot.json")):
            with open(name, "w") as file:
                file.write('"%s\x1b[31m' % SECRET)
        match = place.begin({**DIRTY, "seats": ["human", "ladder/ladder/1"]})
        with place.stream(match) as stream:
            came = list(stream)
        check(SECRET not in json.dumps(came).replace("\\", ""), "what it wrote is shown: %s" % came)
        over = dict(came)["over"]
        check(over["why"] and not over["file"], "the end: %s" % over)
        check(SECRET.encode() not in place.raw("viewer/" + match)[1], "in the viewer's data")
        equal(place.ask("GET", "replay/" + match)[0], 404, "status of the file")
    contains(place.process.stderr.read().decode(), SECRET, "the host's terminal")


@test
def bots_with_any_bytes_for_a_version_are_listed(t):
    with table(t) as place:
        with contextlib.closing(sqlite3.connect(t.path("ladder", "ladder.db"))) as db:
            db.execute("UPDATE entrants SET version = CAST(X'61FF1BC3' AS TEXT)")
            db.commit()
        bots = place.ask("GET", "games.json")[1]["bots"]
        found = [bot["version"] for bot in bots if bot["id"].startswith("ladder/")]
        equal(found, ["a\ufffd\x1b\ufffd"] * 2, "versions")


@test
def a_second_person_is_refused_by_name(t):
    with table(t) as place:
        status, told = place.post("matches", {**DIRTY, "seats": ["human", "human"]})
        equal(status, 400, "status")
        contains(told["error"], "only one seat can be a person's", "message")


@test
def so_many_and_no_more(t):
    with table(t) as place:
        matches = [place.begin(DIRTY) for _ in range(8)]
        equal(place.post("matches", DIRTY)[0], 503, "one too many")
        place.post("leave/" + matches[0], {})
        with place.stream(matches[0]) as stream:
            names = [name for name, _ in stream if name != "now"]
            equal(names[-1], "over", "the last event")
        place.begin(DIRTY)


@test
def who_is_away_for_long_has_left(t):
    with table(t, "--idle", "10") as place:
        for looked in (False, True):
            match = place.begin(DIRTY)
            if looked:  # and left while nothing happens
                with place.stream(match) as stream:
                    next(data for name, data in stream if name == "ask")
            wait_for(lambda match=match: place.ask("GET", "viewer/" + match)[0] == 200, "the end")


@test
def a_server_that_stops_says_so_to_who_plays(t):
    place = Table(t)
    with place.stream(place.begin(DIRTY)) as stream:
        next(data for name, data in stream if name == "ask")
        place.process.send_signal(signal.SIGTERM)
        equal([name for name, _ in stream][-1], "over", "the last event")
    equal(place.process.wait(PATIENCE_S), 0, "exit status")


@test
def nothing_outlives_a_killed_server(t):
    place = Table(t)
    for _ in range(2):
        with place.stream(place.begin(DIRTY)) as stream:
            next(data for name, data in stream if name == "ask")
    check(len(t.processes()) > 4, "hardly a process")
    place.process.kill()
    place.process.wait()
    wait_for(lambda: not t.processes(), "the end of all processes")


@test
def strangers_may_not_play_unless_told(t):
    path = ladder(t, "random", "greedy")
    for words, status in (([], 404), (["--play", "--played", t.path("p")], 200)):
        process = t.start_pigpen("serve", path, "--port", "0", "--bind", "0.0.0.0", *words)
        line = process.stdout.readline().decode()
        link = http.client.HTTPConnection(
            "127.0.0.1", int(re.search(r":(\d+)/$", line.strip()).group(1)))
        with contextlib.closing(link):
            link.request("GET", "/api/play/games.json")
            equal(link.getresponse().status, status, "status with " + " ".join(words))
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)


main()
