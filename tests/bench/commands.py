#!/usr/bin/python3
"""What whole commands cost: the start of a bot with and without sandbox, and replay export.

    tests/bench/commands.py [RUNS]       medians of 5 runs by default

A start is measured as the difference between matches with new bots (`--fresh`) and with bots
that stay, for each of the two bots. Export is CPU time for each decision of one long replay.
Writes build/bench/commands.json.
"""
import glob
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PIGPEN = os.path.join(ROOT, "pigpen")
MATCHES = 30
MATCH = ["match", "dirty_pig", "first", "first", "-n", str(MATCHES), "--no-replay", "--quiet"]


def pigpen(*words):
    return subprocess.run([PIGPEN, *words], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE).stdout


def seconds(*words):
    start = time.monotonic()
    pigpen(*words)
    return time.monotonic() - start


def start_ms(sandbox):
    words = [*MATCH, "--sandbox", sandbox]
    return (seconds(*words, "--fresh") - seconds(*words)) / (2 * (MATCHES - 1)) * 1000


def export_us(path, decisions):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pigpen("replay", "export", path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / decisions * 1e6


def long_replay(folder):
    pigpen("match", "pig_it_hog_it", *["random"] * 4, "--seed", "bench", "--quiet", "--out", folder)
    return glob.glob(os.path.join(folder, "**", "*.replay"), recursive=True)[0]


def row(what, value, unit):
    print("%-40s %8.2f %s" % (what, value, unit), flush=True)
    return {"what": what, "value": value, "unit": unit}


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    times = {"off": [], "require": []}
    for _ in range(runs):
        for sandbox in times:
            try:
                times[sandbox].append(start_ms(sandbox))
            except subprocess.CalledProcessError:  # no sandbox on this machine
                pass
    names = {"off": "start of a C bot", "require": "start of a C bot in a sandbox"}
    table = [row(names[k], statistics.median(v), "ms") for k, v in times.items() if v]
    with tempfile.TemporaryDirectory(prefix="pigpen-bench-") as folder:
        path = long_replay(folder)
        decisions = len(json.loads(pigpen("replay", "export", path))["steps"])
        us = statistics.median(export_us(path, decisions) for _ in range(runs))
    table.append(row("replay export, pig_it_hog_it", 1e6 / us, "decisions/s"))
    os.makedirs(os.path.join(ROOT, "build/bench"), exist_ok=True)
    with open(os.path.join(ROOT, "build/bench/commands.json"), "w") as file:
        json.dump({"bench": "commands", "runs": runs, "table": table}, file, indent=1)


main()
