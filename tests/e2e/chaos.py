#!/usr/bin/python3
"""Ladders under chaos: nothing is lost, nobody is accused falsely, nothing is left.

    PIGPEN_CHAOS_SECONDS=300 PIGPEN_CHAOS_SEED=7 tests/e2e/chaos.py     (make chaos)

A ladder of bystanders (well-behaved, never touched), victims (well-behaved, killed and
stopped by chaos), bad bots (each faults in its own way, always alike) and one bot that
answers at the edge of its clock is run while bots, workers and the coordinator are killed
and stopped, other programs take the CPU and the disk fills up. The dice are seeded: the
same seed takes the same decisions in the same order, at moments that differ as far as the
machine does. Then the ladder is compared, set for set, with a copy of it that nobody
disturbed.
"""
import collections
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import time

from harness import (MARKER, PYTHON, ROOT, all_pids, check, command_line, equal, main,
                     slurp, test, wait_for)
from support.ladders import healthy, rows

SECONDS = float(os.environ.get("PIGPEN_CHAOS_SECONDS") or
                (300 if os.environ.get("PIGPEN_SOAK") else 12))
SEED = int(os.environ.get("PIGPEN_CHAOS_SEED") or random.randrange(10 ** 9))
CLOCK = "bank=60s,inc=1s,move=2s"
STOP_LONG_S = 4      # beyond the clock: a time-out of the victim's own
HUNG_S = 10          # after so long a worker that says nothing is replaced
WINDOW_S = 8         # a touch explains a fault of a match that was on, or soon began

BYSTANDERS = ("calm_first", "calm_greedy", "calm_random", "calm_python")
VICTIMS = {"victim_first": "first", "victim_python": "python3"}
# Always the same fault, or None: this one only leaves something behind.
BAD = {"crash": "crash", "segv": "crash", "silent": "timeout", "illegal": "illegal",
       "malformed": "malformed", "oversize": "oversize", "bye": "disconnect",
       "flood": "flood", "stillborn": "startup", "daemon": None}
SHORT_BAD = ("crash", "silent", "malformed", "stillborn", "daemon")


class Chaos:
    """One run with its record of who was touched when."""

    def __init__(self, t, path, disk, dice):
        self.t, self.path, self.disk, self.dice = t, path, disk, dice
        self.run = None
        self.counts = collections.Counter()
        self.touched = []   # (unix time, victim)
        self.later = []     # (monotonic time, function): what a deed undoes
        self.burners = []
        self.filled = False
        self.deeds = {
            "bot killed": (4, self.kill_bot),
            "bot stopped for a moment": (3, lambda: self.stop_bot(0.3)),
            "bot stopped beyond its clock": (2, lambda: self.stop_bot(STOP_LONG_S)),
            "worker killed": (3, self.kill_worker),
            "worker stopped for a moment": (3, lambda: self.stop_worker(
                dice.uniform(0.1, 3))),
            "worker stopped for good": (1, lambda: self.stop_worker(None)),
            "coordinator killed": (2, self.kill_coordinator),
            "coordinator stopped for a moment": (2, self.stop_coordinator),
            "CPU taken by others": (2, self.burn),
        }
        if disk:
            self.deeds["disk filled"] = (1, self.fill_disk)

    # Who is there.

    def workers(self):
        mine = "/proc/%d/task/%d/children" % (self.run.pid, self.run.pid)
        try:
            with open(mine) as file:
                pids = [int(word) for word in file.read().split()]
        except OSError:
            return []
        return [pid for pid in pids if "ladder worker" in command_line(pid)]

    def bots(self, victim):
        """The bot itself: not its warden, nor what stands between them."""
        return [pid for pid in all_pids()
                if command_line(pid).endswith(" " + self.word(victim))
                and slurp(pid, "comm").strip().decode() == VICTIMS[victim]]

    def word(self, victim):
        return victim + "-" + self.t.marker[:12]

    def signal(self, pid, number):
        try:
            os.kill(pid, number)
            return True
        except ProcessLookupError:
            return False

    # Deeds; true if there was something to do it to.

    def pick(self, pids):
        return self.dice.choice(sorted(pids)) if pids else None

    def touch(self, number):
        victim = self.dice.choice(sorted(VICTIMS))
        pid = self.pick(self.bots(victim))
        if pid is None:
            return None
        self.touched.append((time.time(), victim))
        return pid if self.signal(pid, number) else None

    def kill_bot(self):
        return self.touch(signal.SIGKILL) is not None

    def stop_bot(self, seconds):
        pid = self.touch(signal.SIGSTOP)
        if pid is None:
            return False
        self.after(seconds, lambda: self.signal(pid, signal.SIGCONT))
        return True

    def kill_worker(self):
        pid = self.pick(self.workers())
        return pid is not None and self.signal(pid, signal.SIGKILL)

    def stop_worker(self, seconds):
        pid = self.pick(self.workers())
        if pid is None or not self.signal(pid, signal.SIGSTOP):
            return False
        if seconds:
            self.after(seconds, lambda: self.signal(pid, signal.SIGCONT))
        return True

    def kill_coordinator(self):
        self.run.kill()
        self.t.finish(self.run)
        return True

    def stop_coordinator(self):
        run = self.run
        run.send_signal(signal.SIGSTOP)
        self.after(self.dice.uniform(0.1, 2), lambda: run.send_signal(signal.SIGCONT))
        return True

    def burn(self):
        env = {**os.environ, MARKER: self.t.marker}
        new = [subprocess.Popen(["nice", "-n", str(self.dice.choice((0, 5))), PYTHON, "-c",
                                 "while True: pass"], env=env) for _ in range(3)]
        self.burners += new
        self.after(self.dice.uniform(1, 3), lambda: [self.quench(b) for b in new])
        return True

    def quench(self, burner):
        burner.kill()
        burner.wait()

    def fill_disk(self):
        """Until the run has given up."""
        name = os.path.join(self.disk, "filler")
        self.filled = True
        with open(name, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError:
                pass
        return True

    def after(self, seconds, function):
        self.later.append((time.monotonic() + seconds, function))

    def undo(self, everything=False):
        now = time.monotonic()
        due = [f for at, f in self.later if everything or at <= now]
        self.later = [] if everything else [l for l in self.later if l[0] > now]
        for function in due:
            function()

    # The course.

    def start(self):
        self.counts["runs started"] += 1
        self.run = self.t.start_pigpen("ladder", "run", self.path, "--jobs", "2",
                                       "--at-once", "6", "--quiet",
                                       env={"XDG_RUNTIME_DIR": self.t.path("r")})

    def restart(self):
        """The run has ended: was that to be expected?"""
        if self.run.returncode == -signal.SIGKILL:
            self.counts["killed"] += 1
        else:
            done = self.t.finish(self.run)
            check(self.filled and done.status == 2,
                  lambda: "the run gave up (seed %d): %s" % (SEED, done))
            self.counts["given up, disk full"] += 1
        if self.filled:
            os.unlink(os.path.join(self.disk, "filler"))
            self.filled = False
        self.start()

    def go(self, seconds):
        """Deeds for so long, each kind at least once."""
        names = [n for n, (weight, _) in self.deeds.items() for _ in range(weight)]
        queue = sorted(self.deeds)
        self.dice.shuffle(queue)
        end = time.monotonic() + seconds
        self.start()
        while queue or time.monotonic() < end:
            check(time.monotonic() < end + 300, "no end of chaos: left %s" % queue)
            self.undo()
            if self.run.poll() is not None:
                self.restart()
            elif not self.filled:
                name = queue[0] if queue else self.dice.choice(names)
                if self.deeds[name][1]():
                    self.counts[name] += 1
                    if queue:
                        queue.pop(0)
            time.sleep(self.dice.uniform(0.05, 1.5))
        if self.filled:
            wait_for(lambda: self.run.poll() is not None, "the run to give up")
            self.restart()
        self.undo(everything=True)
        self.settle()

    def settle(self):
        """Whoever is stopped for good is found out; then the run is stopped."""
        stopped = {pid for pid in self.workers() if slurp(pid, "stat").rsplit(
            b")", 1)[1].split()[0] == b"T"} if self.run.poll() is None else set()
        wait_for(lambda: not stopped & set(self.workers()), "the hung workers to be ended")
        if self.run.poll() is None:
            self.run.send_signal(signal.SIGTERM)
        self.t.finish(self.run)
        for burner in self.burners:
            self.quench(burner)


def sample(t, name, of, *extra):
    """A copy of a sample bot under another name."""
    folder = t.bot(name, ["./" + of, *extra], matches=64, deterministic=True)
    shutil.copy(os.path.join(ROOT, "sample_bots", "c", of, of), folder)
    return folder


def unruly(t, name, mode, *extra):
    folder = t.bot(name, [PYTHON, "unruly.py", mode, *extra])
    shutil.copy(os.path.join(ROOT, "tests", "bots", "unruly.py"), folder)
    return folder


def make_ladder(t, path, bad):
    words = "-" + t.marker[:12]
    bots = [sample(t, "calm_" + n, n) for n in ("first", "greedy", "random")]
    bots += [unruly(t, "calm_python", "calm")]
    bots += [sample(t, "victim_first", "first", "victim_first" + words),
             unruly(t, "victim_python", "calm", "victim_python" + words)]
    bots += [unruly(t, mode, mode) for mode in bad] + [unruly(t, "edge", "edge")]
    t.pigpen("ladder", "init", path, "--game", "galloping_pigs", "--schedule", "round_robin",
             "--clock", CLOCK, "--sandbox", "off", "--seed", "chaos", "--bench-matches",
             "1000000").ok()
    t.pigpen("ladder", "add", "--no-check", path, *bots).ok()
    # No waiting for the last match of a small epoch.
    with open(path + "/ladder.json") as file:
        settings = json.load(file)
    with open(path + "/ladder.json", "w") as file:
        json.dump({**settings, "sets_per_entrant": 64}, file)


def small_disk(t):
    """A folder on a file system of its own, or None."""
    disk = t.path("disk")
    os.mkdir(disk)
    size = 64 + int(SECONDS / 4)
    if os.geteuid() or t.run("mount", "-t", "tmpfs", "-o", "size=%dm" % size, "none",
                             disk).status:
        print("note: no disk to fill: a small file system cannot be mounted here")
        return None
    return disk


def gaps(path):
    """Sets that are not complete although a later one is."""
    return rows(path, "SELECT count(*) FROM sets WHERE state = 'planned' AND id < "
                "(SELECT max(id) FROM sets WHERE state = 'complete')")[0][0]


def sets(path):
    return rows(path, "SELECT count(*) FROM sets WHERE state = 'complete'")[0][0]


def matches(path):
    """(set, rotation) -> (start, seconds, reason, [(bot, score, rank, decisions, fault)])"""
    found = {}
    for s, r, start, seconds, reason, *seat in rows(
            path, "SELECT m.set_id, m.rotation, m.start, m.seconds, m.reason, e.name, "
            "s.score, s.rank, s.decisions, s.fault, s.fault_why FROM matches m "
            "JOIN seats s USING (set_id, rotation) JOIN entrants e ON e.id = s.entrant "
            "ORDER BY m.set_id, m.rotation, s.seat"):
        found.setdefault((s, r), (start, seconds, reason, []))[3].append(tuple(seat))
    return found


def facts(match):
    return match[2], [seat[:5] for seat in match[3]]


class Judge:
    """Looks at every match and says what was to be expected."""

    def __init__(self, touched, counts):
        self.touched, self.counts = touched, counts
        self.wrong = []

    def explained(self, name, start, seconds):
        return any(who == name and start - WINDOW_S <= at <= start + seconds + WINDOW_S
                   for at, who in self.touched)

    def fault(self, key, match, seat):
        name, fault, why = seat[0], seat[4], seat[5]
        if name in BAD:
            expected = fault == BAD[name]
        elif name in VICTIMS:
            expected = fault in ("crash", "timeout", "startup", "disconnect") and \
                self.explained(name, match[0], match[1])
        else:
            expected = name == "edge" and fault == "timeout"
        self.counts["faults, %s" % ("expected" if expected else "UNEXPECTED")] += 1
        if not expected:
            self.wrong.append("%s: %s: %s: %s" % (key, name, fault, why))

    def match(self, key, match, calm):
        self.counts["matches"] += 1
        for seat in match[3]:
            if seat[4]:
                self.fault(key, match, seat)
        names = {seat[0] for seat in match[3]}
        disturbed = any(seat[4] and seat[0] not in BAD for seat in match[3])
        if disturbed or "edge" in names:
            self.counts["matches with a fault by chaos, or at the edge"] += 1
        elif facts(match) != facts(calm):
            self.wrong.append("%s: %s, undisturbed %s" % (key, match, facts(calm)))
        else:
            self.counts["matches equal to the undisturbed run"] += 1


def nothing_is_left(t, path):
    wait_for(lambda: not t.processes(), "all processes to be gone")
    equal(os.listdir(t.path("r")), [], "folders of sockets left behind")
    left = [f for f in os.listdir(path) if f.endswith(".new")]
    equal(left + os.listdir(path + "/inbox"), [], "files left behind")
    healthy(t, path)
    files = glob.glob(path + "/replays/*/*")
    equal(len(files), rows(path, "SELECT count(*) FROM matches")[0][0], "replays")
    for start in range(0, len(files), 500):
        t.pigpen("replay", "verify", "--quiet", *files[start:start + 500]).ok()
    return len(files)


def print_table(counts, seconds):
    print("note: chaos, seed %d, %.0f s" % (SEED, seconds))
    for name, count in counts.items():
        print("note:   %-48s %6d" % (name, count))


def play_calmly(t, path, count):
    if count:
        t.pigpen("ladder", "run", path, "--sets", str(count), "--jobs", "2", "--at-once",
                 "6", "--quiet", env={"XDG_RUNTIME_DIR": t.path("r")}, seconds=3600).ok()


@test
def chaos(t):
    os.mkdir(t.path("r"))
    disk = small_disk(t)
    try:
        path = os.path.join(disk or t.folder, "ladder")
        make_ladder(t, path, BAD if SECONDS > 60 else SHORT_BAD)
        calm = t.path("calm")
        shutil.copytree(path, calm)
        begin = time.monotonic()
        storm = Chaos(t, path, disk, random.Random(SEED))
        try:
            storm.go(SECONDS)
        finally:
            storm.undo(everything=True)
        play_calmly(t, path, gaps(path))
        took = time.monotonic() - begin
        storm.counts["sets"] = sets(path)
        judge(t, storm, path, calm)
        storm.counts["replays proved"] = nothing_is_left(t, path)
        print_table(storm.counts, took)
    finally:
        if disk:
            t.run("umount", "-l", disk)


def judge(t, storm, path, calm):
    play_calmly(t, calm, sets(path))
    ours, calmly = matches(path), matches(calm)
    equal(sorted(ours), sorted(calmly), "matches of the two runs (seed %d)" % SEED)
    query = "SELECT set_id, place, entrant FROM places ORDER BY 1, 2"
    equal(rows(path, query), rows(calm, query), "plans (seed %d)" % SEED)
    equal(rows(path, "SELECT count(*), count(DISTINCT match_id) FROM matches"),
          [(len(ours), len(ours))], "matches, all different")
    verdict = Judge(storm.touched, storm.counts)
    for key in sorted(ours):
        verdict.match(key, ours[key], calmly[key])
    if verdict.wrong:
        print_table(storm.counts, SECONDS)
    check(not verdict.wrong, lambda: "seed %d, %d wrong:\n%s" % (
        SEED, len(verdict.wrong), "\n".join(verdict.wrong[:20])))


main()
