#!/usr/bin/python3
"""A bot that remembers every card it ever saw gains nothing in a ladder, although every
deal is played once for each rotation of the seats.
"""
import glob
import json
import os
import shutil

from harness import PYTHON, ROOT, check, equal, main, skip, test
from support.ladders import facts, healthy, play, rows

ROUNDS = {"games": "1", "max_rounds": "1"}
SETS = 24
# No two deals of its first sets have a hand in common by chance.
KEY = "5a" * 32


def rememberer(t, name, *words):
    """With its script in its own folder, as a sandbox wants it."""
    folder = t.bot(name, [PYTHON, "rememberer.py", *words], matches=64)
    shutil.copy(ROOT + "/tests/bots/rememberer.py", folder)
    return folder


def ladder(t, name, bot, sandbox, *run):
    """All of these ladders deal the same cards."""
    path = t.path(name)
    options = [word for item in ROUNDS.items() for word in ("--option", "=".join(item))]
    t.pigpen("ladder", "init", path, "--game", "pig_it_hog_it", *options, "--schedule",
             "round_robin", "--seed", "memory", "--sandbox", sandbox).ok()
    t.write(name + "/key", KEY, 0o600)
    t.pigpen("ladder", "add", "--no-check", path, bot, "c/first", "c/greedy").ok()
    play(t, path, SETS, *run)
    equal(rows(path, "SELECT count(*) FROM seats WHERE fault NOT NULL"), [(0,)], "faults")
    healthy(t, path)
    return path


def dealt_again(t, replay):
    """The seats that remarked so."""
    steps = t.pigpen("replay", "export", replay).ok().json()["steps"]
    return {step["seat"] for step in steps if step.get("note") == "dealt again"}


def recognized(t, path):
    """Matches of a ladder in which a bot knew its hand."""
    return [replay for replay in glob.glob(path + "/replays/*/*") if dealt_again(t, replay)]


def gains_nothing(t, sandbox, *words):
    path = ladder(t, "remembers", rememberer(t, "elephant", *words), sandbox, "--jobs",
                  "2", "--at-once", "2")
    other = ladder(t, "forgets", rememberer(t, "goldfish", "forget"), sandbox)
    equal(recognized(t, path), [], "matches in which a hand was dealt again")
    for log in glob.glob(path + "/logs/*"):
        with open(log, errors="replace") as file:
            check("dealt again" not in file.read(), "a process was dealt a hand again")
    equal(facts(t, path), facts(t, other), "results of one who remembers")


@test
def a_process_that_is_dealt_a_hand_again_notices(t):
    """Without this the other tests would prove nothing: both seatings of one deal, given
    to the same processes as no ladder does it."""
    bots = [{"t": "bot", "id": i, "folder": rememberer(t, name, "remember"), "name": name,
             "hash": "00"} for i, name in ((1, "one"), (2, "two"))]
    jobs = [{"t": "play", "job": n, "rotation": 0, "seed": "ab" * 32, "seats": seats,
             "replay": t.path("%d.replay" % n)}
            for n, seats in enumerate(([1, 2, 1, 2], [2, 1, 2, 1]))]
    rules = {"t": "rules", "game": "pig_it_hog_it", "options": ROUNDS, "sandbox": "off",
             "at_once": 1}
    tasks = t.write("tasks", "".join(json.dumps(line) + "\n" for line in
                                     [rules] + bots + jobs))
    with open(tasks) as file:
        t.pigpen("ladder", "worker", stdin=file).ok()
    equal(dealt_again(t, t.path("0.replay")), set(), "seats of the first match")
    check(dealt_again(t, t.path("1.replay")), "no seat knew its hand in the second match")


@test
def memory_gains_nothing(t):
    gains_nothing(t, "off", "remember")


@test
def processes_in_sandboxes_cannot_tell_each_other(t):
    if t.pigpen("match", "dirty_pig", "c/first", "c/first", "--no-replay", "--sandbox",
                "require").status:
        skip("bots cannot be sandboxed here; `pigpen doctor` says why")
    os.mkdir(t.path("open"), 0o777)
    gains_nothing(t, "require", "share", ".", "/tmp", "/var/tmp", "/dev/shm", "/run",
                  t.path("open"))


@test
def without_sandboxes_they_could(t):
    os.mkdir(t.path("open"))
    path = ladder(t, "remembers", rememberer(t, "elephant", "share", t.path("open")), "off",
                  "--jobs", "1")
    check(recognized(t, path), "no hand was known although all processes shared")


main(workers=2)
