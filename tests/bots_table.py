#!/usr/bin/python3
"""How strong the sample bots are: writes the table of specs/bots.md.

    tests/bots_table.py [GAME…]     all games, or those named (then nothing is written)

Two bots play duplicate sets: the same deals twice, the second time with the seats
exchanged, so that the luck of the cards cancels. In a match A scores, over all pairs
of a seat of A and a seat of B, the share in which A's seat has the better rank; equal
ranks are half. The score of a set is the mean of its two matches. z is the distance of
the mean from 1/2 in standard errors; p is that of the two-sided sign test on the sets
above and below 1/2, which assumes nothing about how scores are distributed.

Exits with status 1 if A is not better than B with p < 0.001 in every row.
"""
import json
import math
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SPEC = os.path.join(ROOT, "specs", "bots.md")
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
P_MAX = 0.001
SEED = "bots table"

# game, seats, A, B, sets, iterations of a search (None: nobody searches)
ROWS = [
    ("pig_pile", 4, "greedy", "random", 100, None),
    ("pig_it_hog_it", 4, "greedy", "random", 60, None),
    ("galloping_pigs", 2, "greedy", "random", 400, None),
    ("dirty_pig", 2, "greedy", "random", 200, None),
    ("tennessee_pig", 4, "greedy", "random", 100, None),
    ("pig_pile", 4, "search", "greedy", 30, 1000),
    ("pig_it_hog_it", 4, "search", "greedy", 30, 300),
    ("galloping_pigs", 2, "search", "greedy", 300, 500),
    ("dirty_pig", 2, "search", "greedy", 600, 500),
    ("tennessee_pig", 4, "search", "greedy", 60, 400),
]


def play(game, bots, sets, iterations):
    """The ranks of all seats, match by match. The clock is generous, so that the result
    does not depend on the machine."""
    command = [os.path.join(ROOT, "pigpen"), "match", game, *bots, "--seed", SEED,
               "--sandbox", "off",
               "--matches", str(sets), "--jobs", "1" if iterations else "16",
               "--clock", "move=600s", "--no-replay", "--quiet", "--json"]
    env = {**os.environ, "SEARCH_ITERATIONS": str(iterations or 1)}
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s\nfailed: %s" % (" ".join(command), done.stderr))
    matches = json.loads(done.stdout)["matches"]
    if any(match["void"] or match["faults"] for match in matches):
        sys.exit("%s\nhad faults" % " ".join(command))
    return [match["ranks"] for match in matches]


def score(ranks, first):
    """Of A, which has every second seat from `first`."""
    ours, theirs = ranks[first::2], ranks[1 - first::2]
    pairs = [(a, b) for a in ours for b in theirs]
    return sum(1 if a < b else 0.5 if a == b else 0 for a, b in pairs) / len(pairs)


def sign_test(scores):
    """Two-sided, exact."""
    above = sum(s > 0.5 for s in scores)
    below = sum(s < 0.5 for s in scores)
    n = above + below
    tail = sum(math.comb(n, k) for k in range(max(above, below), n + 1))
    return min(1.0, 2 * tail / 2 ** n)


def measure(game, seats, a, b, sets, iterations):
    """One row: mean, standard error, z, p."""
    layouts = [[(a, b)[(seat + first) % 2] for seat in range(seats)] for first in (0, 1)]
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda bots: play(game, bots, sets, iterations), layouts))
    scores = [(score(one, 0) + score(two, 1)) / 2 for one, two in zip(*runs)]
    mean = sum(scores) / sets
    error = math.sqrt(sum((s - mean) ** 2 for s in scores) / (sets - 1) / sets)
    return mean, error, (mean - 0.5) / error if error else math.inf, sign_test(scores)


def line(row, measured):
    game, seats, a, b, sets, iterations = row
    mean, error, z, p = measured
    name = "%s (%d)" % (a, iterations) if iterations else a
    return "| `%s` | %d | %s | %s | %d | %.3f | %.3f | %s | %.1g |" % (
        game, seats, name, b, sets, mean, error,
        "∞" if math.isinf(z) else "%.1f" % z, p)


def write(lines):
    with open(SPEC) as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    with open(SPEC, "w") as file:
        file.write("%s%s\n%s\n%s%s" % (before, BEGIN, "\n".join(lines), END, after))


def main(games):
    lines = ["| game | seats | A (iterations) | B | sets | score of A | std. error | z | p |",
             "|---|---|---|---|---|---|---|---|---|"]
    good = True
    for row in ROWS:
        if games and row[0] not in games:
            continue
        start = time.monotonic()
        measured = measure(*row)
        good &= measured[0] > 0.5 and measured[3] < P_MAX
        lines.append(line(row, measured))
        print("%s  %.0f s" % (lines[-1], time.monotonic() - start), flush=True)
    if not games:
        write(lines)
    sys.exit(0 if good else 1)


main(sys.argv[1:])
