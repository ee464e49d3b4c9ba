#!/usr/bin/python3
"""Writes the perft tables of specs/games/*.md with ./pigpen perft (make perft-tables).

Everything after the comment below `## Perft` up to the next heading is replaced. The
unit test test_perft.c reads the tables and counts the smaller numbers again.
"""
import json
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SEED = "pigpen"
NODES_MAX = 30_000_000
MARK = "<!-- perft table: make perft-tables -->"
ROWS = {
    "pig_pile": [(3, "", 7), (4, "deal=dealt", 8), (12, "deal=dealt", 6)],
    "pig_it_hog_it": [(4, "", 8), (4, "suit_in_bid=true", 7), (4, "all_pass=dealer", 8)],
    "galloping_pigs": [(2, "", 8), (4, "", 7), (3, "food_on_track=true", 6)],
    "dirty_pig": [(2, "", 7), (3, "hand=4", 6), (4, "", 6)],
    "tennessee_pig": [(4, "", 8), (4, "cut=ask", 7)],
}
TEXT = """
Sequences of d actions from the start of a match, with the card orders below the table
(`pigpen perft {id} --seed {seed} …`). Every action counts, forced ones too; where several
seats choose at once, the lowest seat that still owes an answer chooses first.
"""


def perft(game, seats, options, depth):
    command = [os.path.join(ROOT, "pigpen"), "perft", game, "--seats", str(seats),
               "--seed", SEED, "--depth", str(depth), "--json"]
    for option in options.split():
        command += ["--option", option]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def grow(game, seats, options, depth_max):
    """As deep as depth_max, but not far beyond NODES_MAX."""
    depth = 3
    while True:
        counted = perft(game, seats, options, depth)
        nodes = counted["nodes"]
        if depth == depth_max or nodes[-1] * (nodes[-1] / nodes[-2]) > NODES_MAX:
            return counted
        depth += 1


def section(game):
    rows = [(seats, options, grow(game, seats, options, depth)) for seats, options, depth in ROWS[game]]
    deepest = max(len(counted["nodes"]) for _, _, counted in rows)
    lines = [TEXT.format(id=game, seed=SEED).strip(), ""]
    lines.append("| seats | options | " + " | ".join("d = %d" % (d + 1) for d in range(deepest)) + " |")
    lines.append("|" + "---|" * (deepest + 2))
    for seats, options, counted in rows:
        cells = [str(n) for n in counted["nodes"]] + [""] * (deepest - len(counted["nodes"]))
        lines.append("| %d | %s | %s |" % (seats, options or "default", " | ".join(cells)))
    lines.append("")
    for seats, options, counted in rows:
        lines.append("%d seats, %s:" % (seats, options or "default"))
        lines.append("")
        for order in counted["orders"]:
            lines.append("    %s %d: %s" % (order["kind"], order["index"], order["order"]))
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main():
    for game in ROWS:
        path = os.path.join(ROOT, "specs", "games", game + ".md")
        with open(path) as file:
            text = file.read()
        head, mark, tail = text.partition(MARK)
        if not mark:
            raise SystemExit("%s has no line %s" % (path, MARK))
        following = re.search(r"^## ", tail, re.M)
        rest = "\n" + tail[following.start():] if following else ""
        with open(path, "w") as file:
            file.write(head + mark + "\n\n" + section(game) + rest)
        print("wrote", os.path.relpath(path, ROOT))


if __name__ == "__main__":
    main()
