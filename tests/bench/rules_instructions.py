#!/usr/bin/python3
"""Callgrind instructions per decision of each game's random playouts.

    tests/bench/rules_instructions.py      needs valgrind and `make build/bench/bench_rules`

Prints a table and writes build/bench/rules_instructions.json. The number hardly depends on
the machine or its load.
"""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.join(ROOT, "build", "bench", "bench_rules")
RESULT = os.path.join(ROOT, "build", "bench", "rules_instructions.json")
ACTIONS = 200000  # COUNTED_ACTIONS of bench_rules.c
GAMES = {"pig_pile": 4, "pig_it_hog_it": 4, "galloping_pigs": 4, "dirty_pig": 4, "tennessee_pig": 4}


def instructions(game, seats):
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", BENCH, "--count", game,
         str(seats)], cwd=ROOT, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not found:
        sys.exit("callgrind failed for %s:\n%s" % (game, run.stderr))
    return int(found.group(1)) / ACTIONS


def main():
    rows = {}
    print("%-16s %5s %s" % ("game", "seats", "instructions per decision"))
    for game, seats in GAMES.items():
        rows[game] = instructions(game, seats)
        print("%-16s %5d %10.0f" % (game, seats, rows[game]), flush=True)
    with open(RESULT, "w") as file:
        json.dump({"bench": "rules_instructions", "table": [
            {"what": "rules, %s" % game, "value": value, "unit": "instructions"}
            for game, value in rows.items()]}, file, indent=1)


main()
