#!/usr/bin/python3
"""All benchmarks, one table and one JSON: what `make bench` runs.

    tests/bench/run.py [NAME…]        only those, such as `match replay`; all by default

A benchmark is a program that prints whatever it likes and writes build/bench/NAME.json. The
rows that it puts there under "table" ({what, value, unit, floor?, target?, better?:
"more"|"less"}) stand in the table at the end; everything goes into build/bench/bench.json.
To add one: a bench_NAME.c (tests/bench/report.h writes the rows) or a NAME.py here, and its
name in BENCHES.
"""
import json
import os
import platform
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = os.path.join(ROOT, "build", "bench")
BENCHES = {
    "rules": "build/bench/bench_rules",
    "rules_instructions": "tests/bench/rules_instructions.py",
    "match": "build/bench/bench_match",
    "replay": "build/bench/bench_replay",
    "commands": "tests/bench/commands.py",
    "ladder": "tests/bench/ladder.py",
    "scale": "build/bench/bench_scale",
    "web": "tests/bench/web.py",
}


def machine():
    with open("/proc/cpuinfo") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return {"cores": os.cpu_count(), "processor": models[0] if models else platform.machine(),
            "kernel": platform.release(), "load_1_minute": os.getloadavg()[0]}


def read_piece(name):
    path = os.path.join(OUT, name + ".json")
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def readable(value):
    if value >= 1000:
        return "{:,.0f}".format(value)
    return "%.2f" % value if value < 100 else "%.0f" % value


def print_row(row):
    floor, target = row.get("floor"), row.get("target")
    more = row.get("better") == "more"
    met = target and (row["value"] >= target if more else row["value"] <= target)
    print("%-52s %14s %-16s %14s %6s  %s" % (
        row["what"], readable(row["value"]), row["unit"],
        readable(floor) if floor else "", "%.2f" % (row["value"] / floor) if floor else "",
        "%s %s%s" % ("≥" if more else "≤", readable(target), "" if met else "  missed")
        if target else ""))


def main():
    names = sys.argv[1:] or list(BENCHES)
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        sys.exit("no benchmark %s; there are %s" % (", ".join(unknown), ", ".join(BENCHES)))
    os.makedirs(OUT, exist_ok=True)
    report = {"machine": machine(), "pieces": {}}
    for name in names:
        print("== " + name, flush=True)
        subprocess.run([os.path.join(ROOT, BENCHES[name])], cwd=ROOT, check=True)
        report["pieces"][name] = read_piece(name)
    report["table"] = [row for piece in report["pieces"].values() for row in piece.get("table", [])]
    with open(os.path.join(OUT, "bench.json"), "w") as file:
        json.dump(report, file, indent=1)
    print("\n%-52s %14s %-16s %14s %6s  %s" % ("what", "measured", "", "floor", "ratio", "target"))
    for row in report["table"]:
        print_row(row)


main()
