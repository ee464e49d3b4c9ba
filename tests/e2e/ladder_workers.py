#!/usr/bin/python3
"""Workers that hang, burst or starve: their matches are played again, and only who did it
is blamed.
"""
import os
import re
import signal
import time

from harness import (bad_bot, cases, check, contains, equal, main, slurp,
                     test, wait_for)
from support.ladders import children, healthy, ladder, player, rows, standings, workers

WORKER_MB = 160


def complete(path):
    return rows(path, "SELECT count(*) FROM sets WHERE state = 'complete'")[0][0]


def faults(path):
    return rows(path, "SELECT name, fault FROM seats JOIN entrants ON entrants.id = entrant "
                "WHERE fault NOT NULL")


@test
def a_worker_that_hangs_is_replaced_and_nobody_is_blamed(t):
    path = ladder(t, "random", "greedy")
    run = t.start_pigpen("ladder", "run", path, "--sets", "60", "--jobs", "2")
    pid = wait_for(lambda: workers(run), "a worker")[0]
    wait_for(lambda: complete(path) > 2, "progress")
    os.kill(pid, signal.SIGSTOP)
    done = t.finish(run).ok()
    contains(done.err, "1 workers hung", "the last line")
    equal(complete(path), 60, "sets")
    equal(faults(path), [], "faults")
    healthy(t, path)


@test
def a_worker_that_is_held_up_for_a_while_goes_on(t):
    """For longer than any move may take."""
    path = ladder(t, "random", "greedy", options=("--clock", "move=1s"))
    run = t.start_pigpen("ladder", "run", path, "--sets", "400", "--jobs", "2", "--at-once",
                         "4")
    wait_for(lambda: complete(path) > 2, "progress")
    for _ in range(3):
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in workers(run):
                os.kill(pid, number)
            time.sleep(2 if number == signal.SIGSTOP else 0.2)
    done = t.finish(run).ok()
    check("hung" not in done.err and "died" not in done.err, "the last line: " + done.err)
    equal(complete(path), 400, "sets")
    equal(faults(path), [], "faults")
    healthy(t, path)


@test
def a_hung_worker_does_not_outlive_its_coordinator(t):
    path = ladder(t, "random", "greedy")
    # The folder of sockets is the next run's to remove; here there is none.
    os.mkdir(t.path("r"))
    run = t.start_pigpen("ladder", "run", path, "--for", "1h", "--jobs", "2",
                         env={"XDG_RUNTIME_DIR": t.path("r")})
    wait_for(lambda: complete(path) > 2, "progress")
    for pid in workers(run):
        os.kill(pid, signal.SIGSTOP)
    run.kill()
    t.finish(run)
    wait_for(lambda: not t.processes(), "all processes to be gone")


def size_kb(pid):
    found = re.search(rb"VmHWM:\s+(\d+) kB", slurp(pid, "status"))
    return int(found[1]) if found else 0


def burst(t, mode):
    """Three bots, one of which sends parts of a message that never ends: the first part is
    its fault, and no worker grows or dies of it."""
    path = ladder(t, "random", "greedy", bad_bot(t, mode, once=False, name="bomb"),
                  options=("--worker-mb", str(WORKER_MB), "--bench-matches", "2",
                           "--clock", "move=60s"))
    run = t.start_pigpen("ladder", "run", path, "--sets", "8", "--jobs", "2", "--at-once",
                         "2")
    largest = 0
    while run.poll() is None:
        largest = max([largest] + [size_kb(pid) for pid in workers(run)])
        time.sleep(0.02)
    done = t.finish(run).ok()
    check(0 < largest < WORKER_MB * 1024 // 4, "a worker of %d kB" % largest)
    check("workers died" not in done.err, done.err)
    table = standings(t, path)
    equal(table["bomb"]["state"], "benched", "state")
    equal(table["bomb"]["faults"], table["bomb"]["matches"], "faults of the bomb")
    equal({name for name, _ in faults(path)}, {"bomb"}, "who faulted")
    equal(complete(path), 8, "sets")
    healthy(t, path)
    equal({fault for _, fault in faults(path)}, {"malformed"}, "classes")


@cases(large="multipart_bomb", small="multipart_dust")
def endless_parts_cost_only_who_sent_them(t, mode):
    burst(t, mode)


def sentinels(run):
    return [pid for worker in workers(run) for pid in children(worker)
            if slurp(pid, "comm").strip() == b"pigpen-sentinel"]


@test
def excuses_are_counted_over_all_workers(t):
    """A bot that is always late, on a host that looks starved: three matches are void,
    and those that were under way when the third was."""
    late = player(t, "late", on_act='__import__("time").sleep(1.5)')
    path = ladder(t, late, "first", options=("--clock", "move=1s"))
    run = t.start_pigpen("ladder", "run", path, "--sets", "6", "--jobs", "2")
    stopped = set()
    while run.poll() is None:
        for pid in set(sentinels(run)) - stopped:
            os.kill(pid, signal.SIGSTOP)
            stopped.add(pid)
        time.sleep(0.02)
    done = t.finish(run).ok()
    check(len(stopped) == 2, "%d sentinels were stopped" % len(stopped))
    again = int(re.search(r"(\d+) played again", done.err)[1])
    # A worker holds one match that it plays and one more.
    check(3 <= again <= 3 + 2 * 2, "%d matches were void" % again)
    equal(faults(path), 12 * [("late", "timeout")], "faults")
    healthy(t, path)


main(workers=2)
