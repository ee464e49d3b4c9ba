#!/usr/bin/python3
"""A ladder that is killed, starved of disk or kept from writing loses nothing.

PIGPEN_SOAK=1 kills fifty times instead of six, and plays 10,000 matches in one run.
"""
import os
import random
import shutil
import signal
import time

from harness import PIGPEN, ROOT, check, contains, equal, main, skip, test, wait_for
from support.ladders import (children, facts, healthy, ladder, play, rows, standings,
                             workers)

SETS = 40
KILLS = 50 if os.environ.get("PIGPEN_SOAK") else 6


def complete(path):
    return rows(path, "SELECT count(*) FROM sets WHERE state = 'complete'")[0][0]


@test
def killed_at_random_moments_it_ends_as_if_undisturbed(t):
    path = ladder(t, "random", "greedy", "first")
    calm, sets = t.path("calm"), SETS + 12 * KILLS
    shutil.copytree(path, calm)
    play(t, calm, sets)
    seed = random.randrange(10**9)
    dice = random.Random(seed)
    print("note: ladder kills, seed %d" % seed)
    kills, folders = 0, set()
    sockets = {"XDG_RUNTIME_DIR": t.path("r")}
    os.mkdir(t.path("r"))
    while kills < KILLS:
        left = sets - complete(path)
        check(left > 0, "the run was over after %d kills (seed %d)" % (kills, seed))
        run = t.start_pigpen("ladder", "run", path, "--sets", str(left), "--jobs", "2",
                             env=sockets)
        goal = complete(path) + dice.randrange(0, 8)
        wait_for(lambda: complete(path) >= goal or run.poll() is not None, "progress")
        time.sleep(dice.random() * 0.05)
        folders |= set(os.listdir(path + "/live"))
        if dice.random() < 0.3:
            # Everything at once, as when the machine goes down.
            for pid in [run.pid, *workers(run)]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        else:
            run.kill()
        t.finish(run)
        kills += 1
    if complete(path) < sets:
        t.pigpen("ladder", "run", path, "--sets", str(sets - complete(path)), env=sockets,
                 seconds=600).ok()
    wait_for(lambda: not t.processes(), "all processes to be gone", 60)
    equal(facts(t, path), facts(t, calm), "results (seed %d)" % seed)
    ours, calmly = standings(t, path), standings(t, calm)
    equal({n: e["elo"] for n, e in ours.items()}, {n: e["elo"] for n, e in calmly.items()},
          "ratings")
    healthy(t, path)
    check(folders, "no folder under live/ was ever seen")
    t.pigpen("match", "dirty_pig", "first", "first", "--no-replay", env=sockets).ok()
    equal(os.listdir(t.path("r")), [], "folders of sockets left behind")
    left = [f for f in os.listdir(path) if f.endswith(".new")]
    equal(left + os.listdir(path + "/inbox"), [], "files left behind")


@test
def a_worker_that_is_killed_is_replaced_and_nobody_is_blamed(t):
    path = ladder(t, "random", "greedy")
    run = t.start_pigpen("ladder", "run", path, "--sets", "60", "--jobs", "2")
    for _ in range(3):
        before = complete(path)
        victims = wait_for(lambda: workers(run) or run.poll() is not None, "a worker")
        if run.poll() is not None:
            break
        os.kill(victims[0], signal.SIGKILL)
        wait_for(lambda: complete(path) > before or run.poll() is not None, "progress")
    done = t.finish(run, 600).ok()
    contains(done.err, "workers died", "the last line")
    equal(complete(path), 60, "sets")
    equal(rows(path, "SELECT count(*) FROM seats WHERE fault NOT NULL"), [(0,)], "faults")
    healthy(t, path)


def size_of(pid):
    """(kB of memory, descriptors), or None if it has gone."""
    try:
        with open("/proc/%d/status" % pid) as file:
            kb = [int(line.split()[1]) for line in file if line.startswith("VmRSS:")]
        return (kb[0], len(os.listdir("/proc/%d/fd" % pid))) if kb else None
    except OSError:
        return None


@test
def a_long_run_does_not_grow(t):
    """Every worker's memory, descriptors and processes after a quarter of the run and at
    its end."""
    sets = 5000 if os.environ.get("PIGPEN_SOAK") else 1000
    path = ladder(t, "random", "first", game="galloping_pigs", options=("--keep", "none"))
    run = t.start_pigpen("ladder", "run", path, "--sets", str(sets), "--jobs", "2",
                         "--at-once", "4", "--quiet")
    early, late, processes = {}, {}, []
    while run.poll() is None:
        done = complete(path)
        for pid in children(run.pid) if done >= sets // 4 else []:
            size = size_of(pid)
            if size:
                early.setdefault(pid, size)
                late[pid] = size
        processes += [len(t.processes())] if done >= sets // 4 else []
        time.sleep(0.05)
    t.finish(run).ok()
    equal(complete(path), sets, "sets")
    check(len(early) == 2, "workers that were seen: %s" % early)
    for pid, (kb, descriptors) in late.items():
        check(kb <= early[pid][0] + 4096, "a worker grew from %d to %d kB"
              % (early[pid][0], kb))
        check(descriptors <= early[pid][1] + 24, "a worker's descriptors grew from %d to %d"
              % (early[pid][1], descriptors))
    # Two bots, two rotations, in each of two workers, and a warden for each.
    check(max(processes) <= 64, "%d processes at once" % max(processes))
    print("note: %d matches in one run: workers of %s kB with %s descriptors, at first %s"
          % (2 * sets, [s[0] for s in late.values()], [s[1] for s in late.values()],
             list(early.values())))


@test
def interrupted_it_stops_cleanly(t):
    path = ladder(t, "random", "greedy")
    run = t.start_pigpen("ladder", "run", path, "--for", "1h", "--jobs", "2")
    wait_for(lambda: complete(path) > 3, "progress")
    mine = sockets() & {os.path.basename(d) for d in os.listdir(path + "/live")}
    equal(len(mine), 1, "folders of sockets")
    run.send_signal(signal.SIGTERM)
    done = t.finish(run)
    equal(done.status, 1, "status: the hour was not over")
    wait_for(lambda: not t.processes(), "all processes to be gone", 60)
    healthy(t, path)
    equal(mine & sockets(), set(), "folders of sockets left behind")


@test
def a_full_disk_is_said_and_nothing_is_lost(t):
    if os.geteuid() != 0:
        skip("a small file system needs root")
    disk = t.path("disk")
    os.mkdir(disk)
    if t.run("mount", "-t", "tmpfs", "-o", "size=1500k", "none", disk).status:
        skip("a tmpfs cannot be mounted here")
    try:
        path = os.path.join(disk, "ladder")
        # Small bots: the C ones would fill the disk by themselves. Their program lies
        # outside their folder, where a sandbox would not show it.
        t.pigpen("ladder", "init", path, "--game", "dirty_pig", "--sandbox", "off").ok()
        for name in ("one", "two"):
            t.pigpen("ladder", "add", "--no-check", path, t.bot(
                name, [ROOT + "/sample_bots/c/first/first"], matches=64)).ok()
        done = t.pigpen("ladder", "run", path, "--jobs", "2", seconds=600)
        equal(done.status, 2, "status: %s" % done)
        check("No space left" in done.err or "full" in done.err or
              "cannot be written" in done.err, "message: " + done.err)
        contains(done.err, "what was complete is stored", "message")
        had = complete(path)
        check(had > 0, "nothing was stored before the disk was full")
        t.run("mount", "-o", "remount,size=20m", disk).ok()
        play(t, path, 5)
        equal(complete(path), had + 5, "sets")
        healthy(t, path)
    finally:
        t.run("umount", "-l", disk)


@test
def a_database_that_cannot_be_written_is_said(t):
    path = ladder(t, "random", "greedy")
    play(t, path, 3)
    user = []
    if os.geteuid() == 0:
        # Root may write everything.
        if not shutil.which("setpriv"):
            skip("setpriv is not there, and root may write every file")
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        t.run("chmod", "-R", "a+rwX", t.folder).ok()
        os.chmod(path + "/key", 0o644)
    os.chmod(path + "/ladder.db", 0o444)
    done = t.run(*user, PIGPEN, "ladder", "run", path, "--sets", "2")
    equal(done.status, 2, "status: %s" % done)
    contains(done.err, "ladder.db cannot be written", "message")
    os.chmod(path + "/ladder.db", 0o644)
    equal(complete(path), 3, "sets")
    play(t, path, 2)
    healthy(t, path)


main()
