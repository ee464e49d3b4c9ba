#!/usr/bin/python3
"""How cost grows, as pictures in specs/images: CPU time against seats, the length of a
replay, matches in flight, entrants and results.

    tests/bench/growth.py [NAME…]     of seats, flight, length, results, entrants; all by
                                      default, after `make bench` (some minutes)

Each picture says which growth is expected and which was measured: the exponent of the
straight line through the logarithms. Numbers also go to build/bench/growth.json.
"""
import glob
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PIGPEN = os.path.join(ROOT, "pigpen")
BENCH = os.path.join(ROOT, "build", "bench")
IMAGES = os.path.join(ROOT, "specs", "images")
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 560, 320, 70, 50, 20, 50


def exponent(points):
    xs, ys = zip(*((math.log(x), math.log(y)) for x, y in points))
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - x0) * (y - y0) for x, y in zip(xs, ys)) / sum((x - x0) ** 2 for x in xs)


def ticks(low, high):
    """Ones, twos and fives of each power of ten."""
    found = [m * 10.0 ** e for e in range(-4, 10) for m in (1, 2, 5)]
    return [t for t in found if low <= t <= high]


def label(value):
    return "{:,.0f}".format(value) if value >= 1000 else "%g" % value


def svg(title, subtitle, x_name, y_name, points):
    """One line on two logarithmic axes."""
    low_x, high_x = points[0][0] / 1.2, points[-1][0] * 1.2
    low_y, high_y = min(y for _, y in points) / 2, max(y for _, y in points) * 2

    def at_x(x):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(x / low_x) / math.log(high_x / low_x)

    def at_y(y):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log(y / low_y) / math.log(high_y / low_y)

    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" '
             'font-size="11">' % (WIDTH, HEIGHT), '<rect width="100%" height="100%" fill="white"/>',
             '<text x="%d" y="20" font-size="14">%s</text>' % (LEFT, title),
             '<text x="%d" y="37" fill="#555">%s</text>' % (LEFT, subtitle)]
    for t in ticks(low_x, high_x):
        parts.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/>' % (
            at_x(t), at_x(t), TOP, HEIGHT - BOTTOM))
        parts.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>' % (
            at_x(t), HEIGHT - BOTTOM + 15, label(t)))
    for t in ticks(low_y, high_y):
        parts.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/>' % (
            LEFT, WIDTH - RIGHT, at_y(t), at_y(t)))
        parts.append('<text x="%d" y="%.1f" text-anchor="end">%s</text>' % (LEFT - 6, at_y(t) + 4, label(t)))
    parts.append('<polyline fill="none" stroke="#b3446c" stroke-width="2" points="%s"/>' % " ".join(
        "%.1f,%.1f" % (at_x(x), at_y(y)) for x, y in points))
    parts += ['<circle cx="%.1f" cy="%.1f" r="3.5" fill="#b3446c"/>' % (at_x(x), at_y(y)) for x, y in points]
    parts.append('<text x="%d" y="%d" text-anchor="middle">%s</text>' % (
        (LEFT + WIDTH - RIGHT) // 2, HEIGHT - 12, x_name))
    parts.append('<text x="14" y="%d" transform="rotate(-90 14 %d)" text-anchor="middle">%s</text></svg>' % (
        HEIGHT // 2, HEIGHT // 2, y_name))
    return "\n".join(parts) + "\n"


def cpu_us(*words):
    """Of a command that may end with any status (a cut replay is not valid to its end)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e6


def by_seats():
    """Views of Pig Pile; the rules' bench measures each number of seats."""
    with open(os.path.join(BENCH, "rules.json")) as file:
        rows = json.load(file)["rows"]
    return [(r["seats"], 1e6 / r["views_per_s"]) for r in rows if r["game"] == "pig_pile"]


def by_length(folder):
    """Proof of the first part of one long replay."""
    subprocess.run([PIGPEN, "match", "pig_it_hog_it", *["random"] * 4, "--seed", "growth", "--quiet",
                    "--out", folder], check=True, stdout=subprocess.DEVNULL)
    path = glob.glob(os.path.join(folder, "**", "*.replay"), recursive=True)[0]
    with open(path, "rb") as file:
        whole = file.read()
    idle = min(cpu_us(PIGPEN, "--version") for _ in range(5))
    points = []
    for part in (32, 16, 8, 4, 2, 1):
        piece = os.path.join(folder, "part.replay")
        with open(piece, "wb") as file:
            file.write(whole[:len(whole) // part])
        cost = min(cpu_us(PIGPEN, "replay", "verify", piece) for _ in range(5)) - idle
        points.append((len(whole) // part / 1000, cost / 1000))
    return points


def by_flight():
    points = []
    for flight in (1, 4, 16, 64, 256, 1000):
        runs = [subprocess.run([os.path.join(BENCH, "bench_match"), "--play", str(max(600, 3 * flight)),
                                str(flight), "-"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
                for _ in range(3)]
        points.append((flight, min(float(re.match(r"[\d.]+", run).group()) for run in runs)))
    return points


def rating_points(by):
    """What the scale bench measured for pairs: all rows that have the other number in common."""
    with open(os.path.join(BENCH, "scale.json")) as file:
        rows = [r for r in json.load(file)["ratings"] if r["seats"] == 2]
    fixed = ("entrants", 50) if by == "results" else ("results", 250000)
    return sorted((r[by], r["cpu_s"]) for r in rows if r[fixed[0]] == fixed[1])


def draw(name, title, expected, x_name, y_name, points, report):
    power = exponent(points)
    subtitle = "expected %s; measured: grows with the power %.2f" % (expected, power)
    with open(os.path.join(IMAGES, "growth_%s.svg" % name), "w") as file:
        file.write(svg(title, subtitle, x_name, y_name, points))
    report[name] = {"expected": expected, "power": power, "points": points}
    print("%-10s %s" % (name, subtitle), flush=True)


def main():
    wanted = sys.argv[1:] or ["seats", "flight", "length", "results", "entrants"]
    path = os.path.join(BENCH, "growth.json")
    report = {}
    if os.path.exists(path):
        with open(path) as file:
            report = json.load(file)
    if "seats" in wanted:
        draw("seats", "Writing a view of Pig Pile", "linear in seats, beside a fixed part", "seats",
             "µs of CPU per view", by_seats(), report)
    if "flight" in wanted:
        draw("flight", "Matches in flight, arbiter CPU without replay", "falls, then constant",
             "matches in flight", "µs of CPU per decision", by_flight(), report)
    if "length" in wanted:
        with tempfile.TemporaryDirectory(prefix="pigpen-growth-") as folder:
            draw("length", "Proof of a replay", "linear in its length", "kB of replay", "ms of CPU",
                 by_length(folder), report)
    if "results" in wanted:
        draw("results", "Rating 50 entrants with intervals", "linear in results", "results",
             "s of CPU", rating_points("results"), report)
    if "entrants" in wanted:
        draw("entrants", "Rating 250,000 results with intervals",
             "quadratic in entrants beside a fixed part", "entrants", "s of CPU",
             rating_points("entrants"), report)
    with open(path, "w") as file:
        json.dump(report, file, indent=1)


main()
