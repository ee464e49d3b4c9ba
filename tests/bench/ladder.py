#!/usr/bin/python3
"""Matches an hour of a ladder on two workers, for each game, with `random` in C and in Python.

    tests/bench/ladder.py [SECONDS]      for each ladder, 5 by default

Replays are kept and bots play in sandboxes if the machine can do it, as in a real ladder.
Prints a table and writes build/bench/ladder.json.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PIGPEN = os.path.join(ROOT, "pigpen")
GAMES = ("pig_pile", "pig_it_hog_it", "galloping_pigs", "dirty_pig", "tennessee_pig")
LANGUAGES = ("c", "python")


def pigpen(*words):
    return subprocess.run([PIGPEN, *words], check=True, stdout=subprocess.PIPE).stdout


def copy_bot(language, folder, name):
    """A ladder wants bots of different names."""
    path = os.path.join(folder, name)
    shutil.copytree(os.path.join(ROOT, "sample_bots", language, "random"), path)
    with open(os.path.join(path, "bot.json")) as file:
        manifest = json.load(file)
    with open(os.path.join(path, "bot.json"), "w") as file:
        json.dump({**manifest, "name": name}, file)
    return path


def matches_an_hour(game, language, seconds):
    with tempfile.TemporaryDirectory(prefix="pigpen-bench-") as folder:
        path = os.path.join(folder, "ladder")
        pigpen("ladder", "init", path, "--game", game, "--sandbox", "auto")
        pigpen("ladder", "add", "--no-check", path,
               *(copy_bot(language, folder, name) for name in ("one", "two")))
        # The first run starts the bots' interpreters and fills the caches.
        pigpen("ladder", "run", path, "--sets", "4", "--jobs", "2", "--quiet")
        before = len(json.loads(pigpen("ladder", "results", path, "--json")))
        start = time.monotonic()
        pigpen("ladder", "run", path, "--for", "%ds" % seconds, "--jobs", "2", "--at-once",
               "4", "--quiet")
        # Sets under way are finished, so it takes longer than it was told.
        hours = (time.monotonic() - start) / 3600
        after = len(json.loads(pigpen("ladder", "results", path, "--json")))
    return round((after - before) / hours)


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    report = {"bench": "ladder", "seconds": seconds, "matches_an_hour": {}}
    print("%-15s %12s %12s   matches an hour" % ("ladder", *LANGUAGES))
    for game in GAMES:
        rates = {name: matches_an_hour(game, name, seconds) for name in LANGUAGES}
        report["matches_an_hour"][game] = rates
        print("%-15s %12d %12d" % (game, *rates.values()), flush=True)
    os.makedirs(os.path.join(ROOT, "build/bench"), exist_ok=True)
    with open(os.path.join(ROOT, "build/bench/ladder.json"), "w") as file:
        json.dump(report, file, indent=2)


main()
