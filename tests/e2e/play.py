#!/usr/bin/python3
"""A person's seat over HTTP: whole matches by a program, and what rude ones get."""
import contextlib
import glob
import http.client
import json
import os
import re
import signal

from harness import PATIENCE_S, check, contains, equal, main, skip, test, wait_for
from support.ladders import ladder

RANDOM = "sample/c/random"
DIRTY = {"game": "dirty_pig", "seats": ["human", RANDOM]}


class Table:
    """A served ladder at which people play."""

    def __init__(self, t, *words, sandbox="off", env=None):
        self.played = t.path("played")
        self.process = t.start_pigpen(
            "serve", ladder(t, "random", "greedy", sandbox=sandbox), "--port", "0",
            "--played", self.played, *words, env=env)
        line = self.process.stdout.readline().decode()
        self.port = int(re.search(r":(\d+)/$", line.strip()).group(1))

    def ask(self, method, path, body=None, headers=None):
        """(status, document)"""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        with contextlib.closing(link):
            link.request(method, "/api/play/" + path, body, headers or {})
            answer = link.getresponse()
            return answer.status, json.loads(answer.read() or b"null")

    def post(self, path, document, **headers):
        return self.ask("POST", path, json.dumps(document), headers)

    def begin(self, document):
        status, told = self.post("matches", document)
        equal(status, 201, "status of a new match: %s" % told)
        return told["id"]

    @contextlib.contextmanager
    def stream(self, match):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        with contextlib.closing(link):
            link.request("GET", "/api/play/streams/" + match)
            yield events(link.getresponse())

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
    equal(came.count(("now", {})), 1, "how often it is now")
    came.remove(("now", {}))
    return came


@test
def a_match_is_played_to_its_end_and_kept(t):
    with table(t) as place:
        match = place.begin(DIRTY)
        with place.stream(match) as stream:
            came = play_out(place, match, stream)
        names = [name for name, _ in came]
        equal(names[0], "head", "the first event")
        equal(came[-1], ("over", {"why": None}), "the last event")
        equal(came[0][1]["for"], 0, "the audience")
        check(names.count("ask") > 3, "hardly a question")
        check(any("result" in data for name, data in came if name == "step"), "no result")
        replay, = glob.glob(place.played + "/%s/*.replay" % match)
        t.pigpen("replay", "verify", replay).ok()
        status, viewer = place.ask("GET", "viewer/" + match)
        equal((status, viewer["head"]["for"]), (200, "all"), "the viewer's data")
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
                if name == "ask" and [name for name, _ in told].count("ask") < 3:
                    place.post("actions/" + match, {"turn": data["turn"], "choice": 0})
            told = [event for event in told if event[0] != "now"]
            with place.stream(match) as later:
                equal([next(later) for _ in told], told, "the past")
                equal(next(later), ("now", {}), "its end")
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
        for name, data in came:
            if name == "step":
                check(data.get("seat", 1) == 1 and "note" not in data, "others' choices")
                own = (data.get("table") or {}).get("own") or {}
                check(set(own) <= {"1"}, "others' hands: %s" % own)


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
        equal(place.post("matches", DIRTY, Host="evil.example")[0], 403, "a foreign name")
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
