#!/usr/bin/python3
"""Ladders on a Slurm cluster: the same standings as on one machine, whatever dies."""
import contextlib
import glob
import json
import os
import shutil
import signal
import stat

from harness import check, command_line, contains, equal, main, test, wait_for
from support.cluster import cluster
from support.ladders import facts, healthy, ladder, play, player, rows

SETS = 60


def prepared(t, pace_ms=0):
    """A ladder with long epochs, so that not all time goes into starting tasks; and what
    it comes to on one machine."""
    bots = ["random", "greedy", "first"]
    if pace_ms:
        bots[2] = player(t, "slow", on_act="import time; time.sleep(%f)" % (pace_ms / 1000))
    path, calm = ladder(t, *bots), t.path("calm")
    settings = json.load(open(path + "/ladder.json"))
    settings.update(sets_per_entrant=14)
    json.dump(settings, open(path + "/ladder.json", "w"))
    shutil.copytree(path, calm)
    play(t, calm, SETS, "--jobs", "2", "--at-once", "4")
    return path, calm


def start(t, c, path, sets=SETS, *options):
    return t.start_pigpen("ladder", "run", path, "--on", "slurm", "--tasks", "4",
                          "--sets", str(sets), *options, env=c.env)


def complete(path):
    return rows(path, "SELECT count(*) FROM sets WHERE state = 'complete'")[0][0]


def tasks(t):
    return [pid for pid in t.processes() if " ladder task " in command_line(pid)]


def nothing_is_left(t, c):
    """The cluster notices a little later that a task has ended; one on a node that is down
    stays COMPLETING."""
    wait_for(lambda: not [job for job in c.jobs() if job[1] != "COMPLETING"]
             and not tasks(t), "all tasks to be gone")


def same(t, c, path, calm):
    """Everything as on one machine, and nothing left behind."""
    equal(facts(t, path), facts(t, calm), "results")
    equal(t.pigpen("ladder", "standings", path, "--json").ok().out,
          t.pigpen("ladder", "standings", calm, "--json").ok().out, "standings")
    healthy(t, path)
    nothing_is_left(t, c)


@test
def standings_are_those_of_one_machine(t):
    path, calm = prepared(t)
    with cluster(t) as c:
        run = start(t, c, path, SETS, "--partition", "main", "--sets-per-task", "5",
                    "--sbatch=--time=10", "--sbatch=--comment=ours")
        jobs = wait_for(lambda: glob.glob(path + "/live/slurm-*/jobs"), "jobs")[0]
        equal(stat.S_IMODE(os.stat(jobs).st_mode), 0o600, "mode of a file with seeds")
        second = t.pigpen("ladder", "run", path, "--sets", "1", "--on", "slurm", env=c.env)
        equal(second.status, 2, "status of a second host")
        contains(second.err, "is being run by another process", "a second host")
        done = t.finish(run).ok()
        contains(done.err, "tasks", "the last line")
        check("lost" not in done.err, "tasks were lost: " + done.err)
        same(t, c, path, calm)


def kill_one(pids):
    """False: there was none, or it has just ended by itself."""
    with contextlib.suppress(ProcessLookupError):
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            return True
    return False


@test
def a_node_and_a_task_are_killed(t):
    path, calm = prepared(t, pace_ms=12)
    with cluster(t) as c:
        run = start(t, c, path)
        wait_for(lambda: c.of_node("n1") and c.of_node("n2"), "tasks on both nodes")
        wait_for(lambda: kill_one(set(tasks(t)) & set(c.of_node("n2"))), "a task to kill")
        wait_for(lambda: set(tasks(t)) & set(c.of_node("n1")), "a task on the other node")
        c.kill_node("n1")
        done = t.finish(run, 300).ok()
        contains(done.err, "were lost", "the last line")
        equal(rows(path, "SELECT count(*) FROM seats WHERE fault NOT NULL"), [(0,)], "faults")
        same(t, c, path, calm)


def handed_in(path):
    """(set, rotation, match) of all results that tasks have handed in."""
    found = set()
    for results in glob.glob(path + "/live/slurm-*/results.[0-9]"):
        # The host may be removing the folder at this moment.
        with contextlib.suppress(FileNotFoundError):
            with open(os.path.dirname(results) + "/jobs") as file:
                jobs = {line["job"]: (line["set"], line["rotation"])
                        for line in map(json.loads, file) if line["t"] == "play"}
            with open(results) as file:
                found |= {(*jobs[line["job"]], line["match"])
                          for line in map(json.loads, file)}
    return found


@test
def a_host_that_is_killed_finds_its_tasks_again(t):
    """What tasks handed in before the kill is what is stored in the end."""
    path, calm = prepared(t, pace_ms=4)
    finished = set()
    with cluster(t) as c:
        for kill in range(3):
            had = complete(path)
            run = start(t, c, path, SETS - had)
            wait_for(lambda: complete(path) > had or kill == 0 and handed_in(path),
                     "results")
            run.kill()
            t.finish(run)
            finished |= handed_in(path)
        t.finish(start(t, c, path, SETS - complete(path)), 300).ok()
        same(t, c, path, calm)
        check(finished, "nothing was handed in before a kill")
        stored = set(rows(path, "SELECT set_id, rotation, match_id FROM matches"))
        equal(finished - stored, set(), "results that were played again")


@test
def interrupted_it_cancels_its_tasks_and_keeps_what_is_finished(t):
    path, calm = prepared(t, pace_ms=4)
    with cluster(t) as c:
        run = start(t, c, path)
        wait_for(lambda: complete(path) > 0, "a set")
        wait_for(c.jobs, "tasks in the queue")
        run.send_signal(signal.SIGINT)
        done = t.finish(run)
        equal(done.status, 1, "status")
        contains(done.err, "stopped", "message")
        nothing_is_left(t, c)
        had = complete(path)
        check(0 < had < SETS, "%d sets were complete" % had)
        healthy(t, path)
        # The rest on this machine: a ladder may change its place at any time.
        play(t, path, SETS - had, "--jobs", "2", "--at-once", "4")
        same(t, c, path, calm)


@test
def what_a_cluster_refuses_or_lacks_is_said(t):
    path = ladder(t, "random", "first")
    done = t.pigpen("ladder", "run", path, "--on", "slurm", env={"PATH": "/nowhere"})
    equal(done.status, 2, "status without Slurm")
    contains(done.err, "apt install slurm-client", "message without Slurm")
    for words, part in ((["--tasks", "3"], "needs --on slurm"),
                        (["--on", "pbs"], "--on takes slurm")):
        done = t.pigpen("ladder", "run", path, *words)
        equal(done.status, 2, "status")
        contains(done.err, part, "message")
    with cluster(t) as c:
        done = t.pigpen("ladder", "run", path, "--on", "slurm", "--sets", "1",
                        "--partition", "nowhere", env=c.env)
        equal(done.status, 2, "status of a wrong partition")
        contains(done.err, "Invalid partition", "message of a wrong partition")
        # Bots that are not there on the nodes, a cap that no worker lives with.
        settings = json.load(open(path + "/ladder.json"))
        settings.update(worker_mb=10)
        json.dump(settings, open(path + "/ladder.json", "w"))
        done = t.pigpen("ladder", "run", path, "--on", "slurm", "--sets", "1", env=c.env)
        equal(done.status, 2, "status of a hopeless task")
        contains(done.err, "is their memory cap of 10 MB large enough?", "message")
        contains(done.err, "none played it to its end", "message")
        nothing_is_left(t, c)


main()
