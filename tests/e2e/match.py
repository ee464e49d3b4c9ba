#!/usr/bin/python3
"""`pigpen match` as its user sees it."""
from harness import check, equal, main, test


@test
def two_random_bots_finish(t):
    done = t.pigpen("match", "dirty_pig", "random", "random", "--json").ok()
    equal(len(done.json()["matches"]), 1, "matches")


main()
