#!/usr/bin/python3
"""Is anybody ever late who should not be? Very many matches at once of well-behaved bots.

    tests/bench/fairness.py [MATCHES [AT_ONCE]]       20,000 matches, 250 in flight

C and Python bots, in processes that play many matches at once, and in processes of one
match: Python ones that live on, and C ones that are new for each match. The move limit is
2 s. Any fault of these bots would accuse somebody who did nothing wrong. Printed are the
faults, the void matches, and how long answers took as the arbiter measured it; with bots
that answer at once that is the lateness of the whole machine. Results go to
build/bench/fairness.json; the exit status is 1 if anybody was accused.
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PIGPEN = os.path.join(ROOT, "pigpen")
CLOCK = "bank=600s,inc=2s,move=2s"
REPLAYS_READ_MAX = 4000
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from harness import read_replay  # noqa: E402


def python_bot(folder, matches):
    bot = os.path.join(folder, "python")
    os.mkdir(bot)
    shutil.copy(os.path.join(ROOT, "tests", "bots", "unruly.py"), bot)
    with open(os.path.join(bot, "bot.json"), "w") as file:
        json.dump({"name": "python", "matches": matches,
                   "command": ["/usr/bin/python3", "unruly.py", "calm", str(matches)]}, file)
    return bot


def quantile(values, share):
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0


def answer_times(folder):
    """Microseconds that answers took, from a sample of the replays."""
    paths = sorted(glob.glob(os.path.join(folder, "*.replay")))
    times = []
    for path in paths[::len(paths) // REPLAYS_READ_MAX + 1]:
        times += [value[6] - value[5] for kind, value in read_replay(path)
                  if kind == "action" and len(value) > 6]
    return sorted(times)


def play(bot, process, matches, at_once):
    """One field; a row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = python_bot(folder, 64 if process == "many" else 1) if bot == "python" \
            else "c/first"
        start = time.monotonic()
        done = subprocess.run(
            [PIGPEN, "match", "galloping_pigs", path, path, "-n", str(matches), "-j",
             str(at_once), "--clock", CLOCK, "--json", "--quiet", "--sandbox", "off",
             "--out", os.path.join(folder, "out"),
             *(["--fresh"] if process == "fresh" else [])],
            stdout=subprocess.PIPE, check=False)
        seconds = time.monotonic() - start
        return row(bot, process, at_once, json.loads(done.stdout),
                   answer_times(os.path.join(folder, "out")), seconds)


def row(bot, process, at_once, report, times, seconds):
    matches = report["matches"]
    faults = [f for m in matches for f in m["faults"] if f["class"] != "arbiter"]
    return {
        "bot": bot, "process": process, "at_once": at_once, "matches": len(matches),
        "seconds": round(seconds, 1), "faults": len(faults),
        "timeouts": sum(f["class"] == "timeout" for f in faults),
        "voids": sum(m["void"] is not None for m in matches),
        "answers": len(times),
        "answer_ms": {name: round(quantile(times, share) / 1000, 3) for name, share in
                      (("p50", .5), ("p99", .99), ("p99.9", .999), ("max", 1))},
        "first_fault": faults[0] if faults else None,
    }


def main():
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    at_once = int(sys.argv[2]) if len(sys.argv) > 2 else 250
    fields = [("c", "many", matches, at_once), ("python", "many", matches, at_once),
              ("python", "one match", matches, at_once), ("c", "fresh", matches, at_once)]
    print("%-14s %-10s %7s %8s %8s %6s %5s %9s %9s %9s %9s" % (
        "bot", "process", "at once", "matches", "timeouts", "faults", "voids", "p50 ms",
        "p99 ms", "p99.9 ms", "max ms"))
    rows = []
    for field in fields:
        r = play(*field)
        rows.append(r)
        late = r["answer_ms"]
        print("%-14s %-10s %7d %8d %8d %6d %5d %9.2f %9.2f %9.2f %9.2f" % (
            r["bot"], r["process"], r["at_once"], r["matches"], r["timeouts"], r["faults"],
            r["voids"], late["p50"], late["p99"], late["p99.9"], late["max"]), flush=True)
    os.makedirs(os.path.join(ROOT, "build", "bench"), exist_ok=True)
    with open(os.path.join(ROOT, "build", "bench", "fairness.json"), "w") as file:
        json.dump(rows, file, indent=1)
    accused = sum(r["faults"] for r in rows)
    print("%d matches, %d accused falsely, %d void" % (
        sum(r["matches"] for r in rows), accused, sum(r["voids"] for r in rows)))
    sys.exit(1 if accused else 0)


main()
