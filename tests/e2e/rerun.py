#!/usr/bin/python3
"""`pigpen replay rerun` and `pigpen replay branch`: what a bot is sent again, where it
decides differently, and what comes of another decision.
"""
import glob
import json
import os
import re
import signal
import subprocess

from harness import PYTHON, cases, check, contains, equal, main, read_replay, test

# Game, seats, and options that keep a match short.
GAMES = {"pig_pile": (3, "rounds=1"), "pig_it_hog_it": (4, "max_rounds=3"),
         "galloping_pigs": (4, None), "dirty_pig": (3, None),
         "tennessee_pig": (4, "max_hands=3")}
each_game = cases(**{name: (name, *rest) for name, rest in GAMES.items()})

# A bot of the test's own, written by the protocol alone: it notes the digest of every
# message, takes a legal action by its place, and can be told to misbehave at a turn.
NOTER = r'''
import hashlib, json, os, sys
import msgpack, zmq

settings = json.loads(sys.argv[1])
link = zmq.Context().socket(zmq.DEALER)
link.connect(os.environ["PIGPEN_ENDPOINT"])
link.send(msgpack.packb({"t": "hello", "v": [1], "token": os.environ["PIGPEN_TOKEN"],
                         "name": "noter", "events": settings.get("events", False)}))
notes = open("notes", "a")
print("pid %d" % os.getpid(), flush=True)
while True:
    frame = link.recv()
    if not frame:
        continue
    message = msgpack.unpackb(frame, strict_map_key=False)
    if message["t"] == "bye":
        break
    if message["t"] == "welcome":
        continue
    notes.write(json.dumps({
        "t": message["t"], "turn": message.get("turn"), "pid": os.getpid(),
        "digest": hashlib.blake2b(frame, digest_size=16).hexdigest(),
        "view": message.get("view"), "clock": message.get("clock"),
        "match": message["match"]}, default=lambda value: value.hex()) + "\n")
    notes.flush()
    if message["t"] == "match":
        link.send(msgpack.packb({"t": "ready", "match": message["match"]}))
    if message["t"] == "act":
        answer = {"t": "action", "match": message["match"], "turn": message["turn"],
                  "choice": settings.get("choice", 0) % len(message["legal"])}
        fault = settings["fault"] if message["turn"] == settings.get("at") else None
        if fault == "exit":
            sys.exit("out of ideas")
        if fault == "illegal":
            answer["choice"] = 1000
        if fault == "spelled":
            del answer["choice"]
            answer["action"] = {"a": "no such verb"}
        link.send(b"\xc1" if fault == "malformed" else msgpack.packb(answer))
'''


def noter(t, name="noter", **settings):
    t.write("noter.py", NOTER)
    return t.bot(name, [PYTHON, t.path("noter.py"), json.dumps(settings)])


def notes(bot):
    try:
        with open(os.path.join(bot, "notes")) as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError:
        return []


def play(t, game, *bots, seed="rerun", more=()):
    """Plays one match; the path of its replay."""
    option = GAMES[game][1]
    folder = t.path("replays-%d" % len(glob.glob(t.path("replays-*"))))
    t.pigpen("match", game, *bots, "--seed", seed, "--clock", "bank=60s,inc=1s,move=60s",
             "--out", folder, "--quiet", *(["-o", option] if option else []), *more).ok()
    path, = glob.glob(folder + "/*.replay")
    return path


def export(t, path):
    return t.pigpen("replay", "export", "--full", path).ok().json()


def decisions(document):
    """The actions of a match; number 1 is the first."""
    return [step for step in document["steps"] if "seat" in step]


def sent_digests(path, seat):
    return [message[2].hex() for kind, value in read_replay(path) if kind == "sent"
            for message in value if message[1] == seat]


def rerun(t, path, *words):
    return t.pigpen("replay", "rerun", path, "--json", *words)


@each_game
def a_deterministic_bot_decides_the_same_again(t, table):
    game, seats, _ = table
    path = play(t, game, *["greedy"] * seats)
    taken = decisions(export(t, path))
    for seat in range(seats):
        asked = sum(step["seat"] == seat and step["by"] == "bot" for step in taken)
        check(asked > 0, "seat %d was never asked" % seat)
        found = rerun(t, path, "--seat", str(seat), "--bot", "greedy").ok().json()
        equal(found["same"], asked, "answers that were the same")
        equal(len(found["questions"]), asked, "questions")
        equal(found["first_difference"], None, "first difference")
        equal(found["finished"], True, "finished")


@each_game
def another_bot_is_caught_at_the_right_decisions(t, table):
    """`first` takes the first legal action; where that is not what greedy did is known
    from the export."""
    game, seats, _ = table
    path = play(t, game, *["greedy"] * seats)
    seat = seats - 1
    mine = [(number, step) for number, step in enumerate(decisions(export(t, path)), 1)
            if step["seat"] == seat and step["by"] == "bot"]
    expected = [number for number, step in mine if step["action"] != step["legal"][0]]
    check(expected, "greedy plays like first: nothing is proved")
    done = rerun(t, path, "--seat", str(seat), "--bot", "first")
    equal(done.status, 1, "exit status")
    found = done.json()
    equal([q["decision"] for q in found["questions"] if q["verdict"] == "different"],
          expected, "decisions that differ")
    first = found["first_difference"]
    step = dict(mine)[expected[0]]
    equal((first["decision"], first["then"], first["now"]),
          (expected[0], step["action"], step["legal"][0]), "first difference")
    exported = t.path("seat.json")
    t.pigpen("replay", "export", "--seat", str(seat), path, "-o", exported).ok()
    again = rerun(t, exported, "--bot", "first").json()
    by_turn = [(q["turn"], q["verdict"], q.get("then"), q.get("now"))
               for q in found["questions"]]
    equal([(q["turn"], q["verdict"], q.get("then"), q.get("now"))
           for q in again["questions"]], by_turn, "findings from an export of one seat")
    text = t.pigpen("replay", "rerun", path, "--seat", str(seat), "--bot", "first").out
    contains(text, "first difference: decision %d (turn %d)" % (
        expected[0], first["turn"]), "text")


@cases(quiet=False, events=True)
def the_bytes_are_those_that_the_seat_got(t, events):
    """Counted by the bot itself: the digests are those in the replay, from the replay
    and from an export, whatever the bot answers."""
    bot = noter(t, "player", events=events)
    path = play(t, "dirty_pig", "greedy", bot, "greedy")
    expected = sent_digests(path, 1)
    equal([note["digest"] for note in notes(bot)], expected, "messages in the match")
    exported = t.path("seat.json")
    t.pigpen("replay", "export", "--seat", "1", path, "-o", exported).ok()
    other = noter(t, "from_replay", events=events, choice=7)
    equal(rerun(t, path, "--seat", "1", "--bot", other).status, 1, "exit status")
    equal([note["digest"] for note in notes(other)], expected, "messages again")
    third = noter(t, "from_export", choice=3)
    rerun(t, exported, "--bot", third)
    equal([note["digest"] for note in notes(third)], expected, "messages by export")


@test
def a_changed_replay_is_not_sent(t):
    path = play(t, "dirty_pig", "greedy", "greedy", "greedy")
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))
    done = t.pigpen("replay", "rerun", path, "--seat", "1", "--bot", "greedy")
    equal(done.status, 1, "exit status")
    contains(done.err, "is damaged", "stderr")


def stopped_at(process, stream):
    """The pid that a waiting rerun prints."""
    line = getattr(process, stream).readline().decode()
    found = re.search(r"before (?:decision (\d+) \()?turn (\d+)\)?: the bot's pid is (\d+)",
                      line)
    check(found, "no pid in %r" % line)
    return found.group(1), int(found.group(2)), int(found.group(3))


@test
def it_stops_before_a_decision_until_a_signal_comes(t):
    path = play(t, "dirty_pig", "greedy", "greedy", "greedy")
    mine = [number for number, step in enumerate(decisions(export(t, path)), 1)
            if step["seat"] == 1 and step["by"] == "bot"]
    bot = noter(t)
    process = t.start_pigpen("replay", "rerun", path, "--seat", "1", "--bot", bot,
                             "--until", str(mine[1] + 1), "--wait", "--json")
    decision, turn, pid = stopped_at(process, "stderr")
    equal((decision, turn), (str(mine[2]), 3), "where it stopped")
    equal([note["turn"] for note in notes(bot) if note["t"] == "act"], [1, 2],
          "turns asked before")
    equal(notes(bot)[-1]["pid"], pid, "pid")
    check(process.poll() is None, "it does not wait")
    process.send_signal(signal.SIGUSR1)
    done = t.finish(process)
    equal(done.json()["finished"], True, "finished")
    equal(len([note for note in notes(bot) if note["t"] == "act"]), len(mine), "turns")


@test
def enter_lets_it_go_on_too(t):
    path = play(t, "dirty_pig", "greedy", "greedy", "greedy")
    exported = t.path("seat.json")
    t.pigpen("replay", "export", "--seat", "1", path, "-o", exported).ok()
    process = t.start_pigpen("replay", "rerun", exported, "--bot", "greedy",
                             "--until", "2", "--wait", stdin=subprocess.PIPE)
    equal(stopped_at(process, "stdout")[:2], (None, 2), "where it stopped")
    process.stdin.write(b"\n")
    process.stdin.flush()
    done = t.finish(process)
    equal(done.status, 0, "exit status")
    contains(done.out, "no difference", "text")


@test
def without_wait_it_ends_there(t):
    path = play(t, "dirty_pig", "greedy", "greedy", "greedy")
    bot = noter(t)
    found = rerun(t, path, "--seat", "0", "--bot", bot, "--until", "2").json()
    equal([q["verdict"] == "unasked" for q in found["questions"][:2]], [False, True],
          "unasked")
    equal([note["turn"] for note in notes(bot) if note["t"] == "act"], [1], "turns")


@cases(exit=("exit", "exited with status 1"), malformed=("malformed", "reserved byte"))
def a_bot_that_breaks_off_is_reported(t, case):
    fault, why = case
    path = play(t, "dirty_pig", "greedy", "greedy", "greedy")
    bot = noter(t, fault=fault, at=2)
    done = rerun(t, path, "--seat", "1", "--bot", bot)
    equal(done.status, 1, "exit status")
    found = done.json()
    equal(found["finished"], False, "finished")
    contains(found["ended"], why, "why it ended")
    equal(found["questions"][1]["verdict"], "silent", "verdict of turn 2")
    equal(found["questions"][2]["verdict"], "unasked", "verdict of turn 3")
    if fault == "exit":
        contains(found["output"], "out of ideas", "output")
    text = t.pigpen("replay", "rerun", path, "--seat", "1", "--bot", bot).out
    contains(text, "did not get to the end", "text")


@cases(choice="illegal", action="spelled")
def an_illegal_answer_is_one_that_differs(t, fault):
    path = play(t, "dirty_pig", "greedy", "greedy", "greedy")
    bot = noter(t, fault=fault, at=2)
    found = rerun(t, path, "--seat", "1", "--bot", bot).json()
    equal(found["questions"][1]["verdict"], "illegal", "verdict of turn 2")
    check(found["questions"][1]["problem"], "it is not said what was wrong")
    equal(found["finished"], True, "finished")


@test
def a_seat_that_was_put_out_can_be_asked(t):
    """Its last question has no recorded answer."""
    path = play(t, "dirty_pig", noter(t, fault="exit", at=3), "greedy", "greedy")
    found = rerun(t, path, "--seat", "0", "--bot", "greedy").json()
    equal(len(found["questions"]), 3, "questions")
    equal(found["questions"][2]["verdict"], "new", "verdict of the last")


@test
def a_refused_answer_is_nothing_to_compare_with(t):
    path = play(t, "dirty_pig", noter(t, fault="illegal", at=2), "greedy", "greedy",
                more=("--retries", "1"))
    found = rerun(t, path, "--seat", "0", "--bot", "first").ok().json()
    equal([q["verdict"] for q in found["questions"][:4]], ["same", "new", "same", "same"],
          "verdicts")
    equal(sent_digests(path, 0), [note["digest"] for note in notes(t.path("noter"))],
          "messages in the match")


@test
def rerun_says_what_is_wrong_with_its_words(t):
    path = play(t, "dirty_pig", "greedy", "greedy", "greedy")
    exported = t.path("seat.json")
    t.pigpen("replay", "export", "--seat", "1", path, "-o", exported).ok()
    bad = t.write("bad.json", "{}")
    for words, part in (
            ((path, "--seat", "1"), "--bot"),
            ((path, "--bot", "greedy"), "seats 0 to 2"),
            ((path, "--seat", "3", "--bot", "greedy"), "seats 0 to 2"),
            ((path, "--seat", "x", "--bot", "greedy"), "not a number from 0 to"),
            ((path, "--seat", "1", "--bot", "nobody"), "there is no bot 'nobody'"),
            ((path, "--seat", "1", "--bot", "greedy", "--wait"), "--until"),
            ((path, "--seat", "1", "--bot", "greedy", "--until", "9999"),
             "last decision is"),
            ((exported, "--seat", "0", "--bot", "greedy"), "is of seat 1"),
            ((bad, "--bot", "greedy"), "export --seat N"),
            ((t.path("none"), "--seat", "1", "--bot", "greedy"), "No such file"),
            ((), "name a replay")):
        done = t.pigpen("replay", "rerun", *words)
        equal(done.status, 2, "exit status of %s" % (words,))
        contains(done.err, part, "stderr of %s" % (words,))
    contains(t.pigpen("replay", "rerun", "--help").ok().out, "--until", "help")


def branch(t, path, *words):
    return t.pigpen("replay", "branch", path, "--json", *words)


def choices(document, kind):
    return [choice for choice in document["choices"] if choice["choice"] == kind]


def some_decisions(t, path, count=3):
    """(number, step) of decisions between few moves, spread over the match."""
    free = [(number, step) for number, step in enumerate(decisions(export(t, path)), 1)
            if step["by"] == "bot" and len(step["legal"]) <= 12]
    return [free[len(free) * i // count] for i in range(count)]


@each_game
def the_same_bots_play_the_true_world_as_it_was(t, table):
    game, seats, _ = table
    path = play(t, game, *["greedy"] * seats)
    result = export(t, path)["result"]
    for number, step in some_decisions(t, path):
        out = t.path("branch-%d.replay" % number)
        found = branch(t, path, "--at", str(number), "--seat", str(step["seat"]),
                       "--bot", "greedy", "--out", out).ok().json()
        for kind in "recorded", "own":
            outcome, = choices(found, kind)[0]["outcomes"]
            equal((outcome["ranks"], outcome["scores"]),
                  (result["ranks"], result["scores"]), "result by the %s choice" % kind)
        equal(choices(found, "own")[0]["outcomes"][0]["action"], step["action"],
              "own choice")
        t.pigpen("replay", "diff", path, out).ok()
        t.pigpen("replay", "verify", out).ok()
        equal([(s["seat"], s["action"]) for s in decisions(export(t, out))],
              [(s["seat"], s["action"]) for s in decisions(export(t, path))], "actions")


@each_game
def up_to_the_decision_all_is_as_recorded(t, table):
    """Other bots play on; the seat's messages are the recorded ones up to there, clock
    numbers included."""
    game, seats, _ = table
    path = play(t, game, *["greedy"] * seats)
    number, step = some_decisions(t, path)[1]
    bot, out = noter(t, choice=-1), t.path("branch.replay")
    branch(t, path, "--at", str(number), "--bot", bot, "--others", "first",
           "--out", out).ok()
    then, now = decisions(export(t, path)), decisions(export(t, out))
    equal([(s["seat"], s["action"]) for s in now[:number - 1]],
          [(s["seat"], s["action"]) for s in then[:number - 1]], "actions before")
    equal((now[number - 1]["seat"], now[number - 1]["action"]),
          (step["seat"], step["legal"][-1]), "the decision")
    own = {note["pid"] for note in notes(bot)}
    equal(len(own), 2, "processes: one for each match")
    turns = 1 + sum(s["seat"] == step["seat"] and s["by"] == "bot"
                    for s in then[:number - 1])
    expected = sent_digests(path, step["seat"])[:1 + turns]
    for pid in own:
        equal([note["digest"] for note in notes(bot) if note["pid"] == pid][:1 + turns],
              expected, "messages before the decision")
    t.pigpen("replay", "verify", out).ok()


@test
def a_match_with_a_fault_can_be_branched_behind_it(t):
    path = play(t, "dirty_pig", noter(t, fault="exit", at=2), "greedy", "greedy")
    steps = decisions(export(t, path))
    number = max(n for n, step in enumerate(steps, 1) if step["by"] == "bot")
    check(any(step["by"] == "fallback" for step in steps[:number]), "no fallback before")
    out = t.path("branch.replay")
    branch(t, path, "--at", str(number), "--bot", "greedy", "--out", out).ok()
    equal([(s["seat"], s["action"]) for s in decisions(export(t, out))][:number - 1],
          [(s["seat"], s["action"]) for s in steps[:number - 1]], "actions before")
    t.pigpen("replay", "verify", out).ok()


@each_game
def sampled_worlds_are_the_same_for_all_choices(t, table):
    game, seats, _ = table
    path = play(t, game, *["greedy"] * seats)
    number, step = some_decisions(t, path)[1]
    at = ("--at", str(number), "--bot", "greedy", "--samples", "4")
    found = branch(t, path, *at, "--seed", "a", "--each-choice").ok().json()
    equal([choice["action"] for choice in choices(found, "recorded")], [step["action"]],
          "recorded choice")
    equal(sorted(json.dumps(choice["action"]) for choice in found["choices"]),
          sorted(map(json.dumps, step["legal"])), "choices")
    for choice in found["choices"]:
        equal(len(choice["outcomes"]), 4, "outcomes")
        check(None not in choice["outcomes"], "a world was not played")
    again = branch(t, path, *at, "--seed", "a", "--each-choice", "--jobs", "1")
    equal(again.ok().json(), found, "the same again, one match at a time")
    plain = branch(t, path, *at, "--seed", "a").ok().json()
    recorded, = choices(plain, "recorded")
    own, = choices(plain, "own")
    equal(recorded["outcomes"], choices(found, "recorded")[0]["outcomes"],
          "recorded choice without the others")
    # Greedy would do the same again: in the same worlds, the same must come of it.
    equal([(o["ranks"], o["scores"], o["action"]) for o in own["outcomes"]],
          [(o["ranks"], o["scores"], step["action"]) for o in recorded["outcomes"]],
          "own choice")
    equal(own["against_recorded"]["rank"], 0, "difference of ranks")
    other = branch(t, path, *at, "--seed", "b", "--samples", "8").ok().json()
    check(len({json.dumps(o) for o in choices(other, "recorded")[0]["outcomes"]}) > 1,
          "eight worlds are all alike")


@test
def bots_begin_sampled_worlds_with_what_they_know(t):
    path = play(t, "dirty_pig", "greedy", "greedy", "greedy")
    number, step = some_decisions(t, path)[1]
    bot = noter(t)
    branch(t, path, "--at", str(number), "--bot", bot, "--samples", "2", "--seed", "a",
           "--jobs", "1").ok()
    seen = notes(bot)
    starts = {note["match"]: note for note in reversed(seen)}
    equal(len(starts), 4, "matches: two worlds, two choices")
    equal({note["t"] for note in starts.values()}, {"resume"}, "first messages")
    check("match" not in {note["t"] for note in seen}, "a bot was sent `match`")
    # In every second match the bot itself decides, with exactly the recorded view.
    own = [note for _, note in sorted(starts.items())][1::2]
    equal([note["view"] for note in own], [step["view"]] * 2, "view of the decision")


@test
def a_bot_at_fault_is_reported(t):
    path = play(t, "dirty_pig", "greedy", "greedy", "greedy")
    number, _ = some_decisions(t, path)[0]
    bot = noter(t, fault="exit", at=1)
    done = branch(t, path, "--at", str(number), "--bot", bot, "--samples", "2")
    equal(done.status, 1, "exit status")
    contains(done.json()["first_fault"], "exited with status 1", "fault")
    contains(done.json()["first_fault"], "out of ideas", "fault")
    for choice in done.json()["choices"]:
        equal([outcome["faulted"] for outcome in choice["outcomes"]], [True, True],
              "faulted")
        equal(choice["mean"], {}, "means without a match that counts")


@test
def the_text_shows_a_line_for_each_choice(t):
    path = play(t, "dirty_pig", "greedy", "greedy", "greedy")
    number, step = some_decisions(t, path)[1]
    done = t.pigpen("replay", "branch", path, "--at", str(number), "--bot", "greedy",
                    "--samples", "3", "--seed", "a", "--each-choice").ok()
    contains(done.out, "decision %d of" % number, "text")
    head, table = done.out.split("\n\n", 1)
    equal(len(table.strip().split("\n")), 1 + len(step["legal"]), "lines")
    contains(table.split("\n")[1], "(recorded)", "first line")


@test
def branch_says_what_is_wrong_with_its_words(t):
    path = play(t, "dirty_pig", "greedy", "greedy", "greedy")
    number, step = some_decisions(t, path)[1]
    at, out = ("--at", str(number)), ("--out", path)
    cut = t.path("cut.replay")
    with open(path, "rb") as source, open(cut, "wb") as file:
        file.write(source.read()[:-120])
    for words, part in (
            ((path, "--bot", "greedy"), "--at D"),
            ((path, *at), "--bot"),
            ((path, "--at", "9999", "--bot", "greedy"), "the decisions 1 to"),
            ((path, "--at", "1000000000", "--bot", "greedy"), "the decisions 1 to"),
            ((path, *at, "--seat", str((step["seat"] + 1) % 3), "--bot", "greedy"),
             "taken by seat %d" % step["seat"]),
            ((path, *at, "--bot", "nobody"), "there is no bot 'nobody'"),
            ((path, *at, "--bot", "greedy", "--others", "nobody"),
             "there is no bot 'nobody'"),
            ((path, *at, "--bot", "greedy", "--samples", "0"), "from 1 to"),
            ((path, *at, "--bot", "greedy", *out), "name a new one"),
            ((path, *at, "--bot", "greedy", "--out", t.path("new"), "--samples", "1"),
             "true world"),
            ((cut, *at, "--bot", "greedy"), "--samples K"),
            ((), "name a replay")):
        done = t.pigpen("replay", "branch", *words)
        equal(done.status, 2, "exit status of %s" % (words,))
        contains(done.err, part, "stderr of %s" % (words,))
    contains(t.pigpen("replay", "branch", "--help").ok().out, "--each-choice", "help")
    branch(t, cut, *at, "--bot", "greedy", "--samples", "1").ok()
    os.truncate(cut, 40)
    for words in ((), ("--samples", "1")):
        done = branch(t, cut, *at, "--bot", "greedy", *words)
        equal(done.status, 1, "exit status for a file without a header")
        contains(done.err, "is cut off", "stderr")


@test
def a_forced_move_is_no_decision_to_branch_at(t):
    path = play(t, "galloping_pigs", *["greedy"] * 4)
    forced = [number for number, step in enumerate(decisions(export(t, path)), 1)
              if step["by"] == "forced"]
    check(forced, "nothing was forced")
    done = branch(t, path, "--at", str(forced[0]), "--bot", "greedy")
    equal(done.status, 2, "exit status")
    contains(done.err, "only one legal move", "stderr")


main(workers=2)
