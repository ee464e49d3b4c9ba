#!/usr/bin/python3
"""The socket of a local bot: whatever arrives there is that bot's, and what it can make the
arbiter hold is bounded. The bots are tests/bots/raw.py, which speaks ZMTP by itself.
"""
import os

from harness import (PYTHON, ROOT, cases, check, contains, equal, main, seen, test, wait_for)

CONNECTIONS_MAX = 4
MEGABYTE = 1 << 20
MEMORY_MAX = 24 * MEGABYTE  # four frames of a megabyte, and what grows by doubling


def raw_bot(t, mode):
    return t.bot("raw", [PYTHON, os.path.join(ROOT, "tests", "bots", "raw.py"), mode])


def start(t, mode, *words):
    return t.start_pigpen("match", "dirty_pig", raw_bot(t, mode), "first", "--json", "--seed",
                          "pigs", "--out", t.path("replays"), *words)


def faults(t, process):
    match, = t.finish(process).json()["matches"]
    return match["faults"]


@cases(plain="plain", names="names", long_name="long_name")
def what_a_bot_calls_itself_means_nothing(t, mode):
    equal(faults(t, start(t, mode)), [], "faults")


def descriptors(process):
    """Its sockets; 0 if it is gone."""
    try:
        links = [os.readlink("/proc/%d/fd/%s" % (process.pid, name))
                 for name in os.listdir("/proc/%d/fd" % process.pid)]
    except OSError:
        return 0
    return sum(link.startswith("socket:") for link in links)


@test
def a_bot_has_few_connections(t):
    process = start(t, "many")
    most = 0

    def over():
        nonlocal most
        most = max(most, descriptors(process))
        return process.poll() is not None

    wait_for(over, "the end")
    equal(faults(t, process), [], "faults")
    noted = {key: value for entry in seen(t.path("raw")) for key, value in entry.items()}
    check(noted["connected"] <= 3 * CONNECTIONS_MAX, "connections: %s" % noted)
    equal(noted["refused"], "EAGAIN", "what the next one was told")
    # Two bots with a listener and connections each.
    check(most <= 2 * (1 + CONNECTIONS_MAX), "%d sockets" % most)


def peak_bytes(process):
    try:
        with open("/proc/%d/status" % process.pid) as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return 0


def peak_of(t, mode):
    process, most = start(t, mode), 0

    def over():
        nonlocal most
        most = max(most, peak_bytes(process))
        return process.poll() is not None

    wait_for(over, "the end")
    equal(faults(t, process), [], "faults")
    return most


@test
def what_it_can_make_the_arbiter_hold_is_bounded(t):
    before = peak_of(t, "plain")
    grown = peak_of(t, "heavy") - before
    check(grown < MEMORY_MAX, "grew by %d bytes" % grown)


@test
def messages_beside_its_own_connection_are_its_flood(t):
    fault, = faults(t, start(t, "beside"))
    equal(fault["class"], "startup", "class")
    contains(fault["why"], "more messages than questions allow", "why")


main()
