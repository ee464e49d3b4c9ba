"""Results that nobody played, written into a ladder's database as a run would have.

    synthetic.py LADDER SETS [ring]     duplicate sets of two seats among its entrants

Entrants are the stronger the earlier they came; in a ring each beats the next one, and the
last one the first. A few matches have faults. There are no replays but the one given.
"""
import contextlib
import os
import random
import sqlite3
import sys

SETS_PER_EPOCH = 64
START = 1700000000
FAULT_SHARE = 0.002


def add_entrants(path, count):
    """Names only: such a ladder cannot be run."""
    with database(path) as db:
        db.executemany(
            "INSERT INTO entrants (name,hash,version,author,language,added,state,reason)"
            " VALUES (?,?,'1.0','','c',?,'active','')",
            (("bot%d" % i, "%064d" % i, START) for i in range(count)))


@contextlib.contextmanager
def database(path):
    with contextlib.closing(sqlite3.connect(os.path.join(path, "ladder.db"))) as db:
        yield db
        db.commit()


def share(a, b, count, ring):
    """How often a beats b."""
    if ring:
        return 0.9 if b == a % count + 1 else 0.1 if a == b % count + 1 else 0.5
    return 1 / (1 + 10 ** ((a - b) / count))


def fill(path, sets, ring=False, replay=None):
    """`replay` is a path below the ladder that all matches are said to have."""
    dice = random.Random(1)
    rows = {"sets": [], "places": [], "matches": [], "seats": []}
    with database(path) as db:
        count = db.execute("SELECT count(*) FROM entrants").fetchone()[0]
        epochs = range(1, sets // SETS_PER_EPOCH + 2)
        db.executemany("INSERT INTO epochs VALUES (?,?)", ((e, START + 60 * e) for e in epochs))
        db.executemany("INSERT INTO history VALUES (?,?,?,?,?,?)",
                       ((e, i, 50 - i, 40 - i, 60 - i, e) for e in epochs
                        for i in range(1, count + 1)))
        for number in range(1, sets + 1):
            add_set(rows, number, dice.sample(range(1, count + 1), 2), dice, count, ring, replay)
        for table, list_ in rows.items():
            db.executemany("INSERT INTO %s VALUES (%s)"
                           % (table, ",".join("?" * len(list_[0]))), list_)


def add_set(rows, number, pair, dice, count, ring, replay):
    at = START + number
    rows["sets"].append((number, 1 + number // SETS_PER_EPOCH, 2, "complete", at))
    rows["places"] += [(number, place, entrant) for place, entrant in enumerate(pair)]
    for rotation in range(2):
        first = dice.random() < share(*pair, count, ring)
        fault = dice.random() < FAULT_SHARE
        rows["matches"].append((number, rotation, 2 * number + rotation, at, 0.5, "last_card",
                                replay, 0, int(fault), bytes(32)))
        for place, entrant in enumerate(pair):
            won = (place == 0) == first
            broke = fault and not won
            rows["seats"].append((
                number, rotation, (place + rotation) % 2, entrant, 5 if won else 2, 2 - won, -1,
                40, 0, dice.randrange(1000, 90000), dice.randrange(1000, 9000),
                *(("timeout", "act", "too late", "") if broke else (None,) * 4)))


if __name__ == "__main__":
    fill(sys.argv[1], int(sys.argv[2]), sys.argv[3:] == ["ring"])
