#!/usr/bin/python3
"""The page with a ladder of 100,000 matches: requests a second and how long they take; and
whether a running ladder notices that its page is hammered.

    tests/bench/web.py [MATCHES] [SECONDS]      for each path; 100,000 and 3

A few clients ask, each again as soon as it was answered, over a new connection each time.
Beside the clock on the wall stands the server's own CPU time for a request, which
other work on the machine does not change. Prints tables and writes build/bench/web.json.
"""
import contextlib
import glob
import json
import multiprocessing
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PIGPEN = os.path.join(ROOT, "pigpen")
ENTRANTS = 100
CLIENTS = 4
LADDER_SETS = 120
ROUNDS = 3  # with and without load in turn, since other work on the machine comes and goes
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from support import synthetic  # noqa: E402


def pigpen(*words):
    subprocess.run([PIGPEN, *words], check=True, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def served(*words):
    """(process, port)"""
    process = subprocess.Popen([PIGPEN, "serve", *words, "--port", "0"], stdout=subprocess.PIPE,
                               start_new_session=True)
    try:
        line = process.stdout.readline().decode()
        yield process, int(re.search(r":(\d+)/$", line.strip()).group(1))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def cpu_s(pid):
    with open("/proc/%d/stat" % pid) as file:
        fields = file.read().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def quantile(values, share):
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0


class Client(threading.Thread):
    """Asks for the paths in turn until told to stop; `times` are seconds, `bad` are others
    than 200."""

    def __init__(self, port, paths, stop, first):
        super().__init__()
        self.address = "127.0.0.1", port
        self.requests = [b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % p.encode() for p in paths]
        self.stop, self.at, self.times, self.bad = stop, first, [], 0
        self.start()

    def run(self):
        while not self.stop.is_set():
            start = time.monotonic()
            with socket.create_connection(self.address) as link, link.makefile("rb") as file:
                link.sendall(self.requests[self.at % len(self.requests)])
                self.bad += b" 200 " not in file.readline()
                file.read()
            self.at += CLIENTS
            self.times.append(time.monotonic() - start)


def step_aside():
    """Such a process stands for other machines: it takes no time from anybody here."""
    os.setsid()
    os.nice(19)
    with contextlib.suppress(OSError), open("/proc/self/autogroup", "w") as file:
        file.write("19")


def ask_until_told(port, paths, pipe, aside):
    if aside:
        step_aside()
    stop = threading.Event()
    clients = [Client(port, paths, stop, i) for i in range(CLIENTS)]
    pipe.recv()
    stop.set()
    for client in clients:
        client.join()
    pipe.send(([t for c in clients for t in c.times], sum(c.bad for c in clients)))


@contextlib.contextmanager
def load(port, paths, aside=False):
    """Gives a dictionary that holds `times` and `bad` when it has ended."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=ask_until_told, args=(port, paths, theirs, aside))
    process.start()
    told = {}
    try:
        yield told
    finally:
        ours.send(None)
        told["times"], told["bad"] = ours.recv()
        process.join()


def measure(process, port, what, paths, seconds):
    before, start = cpu_s(process.pid), time.monotonic()
    with load(port, paths) as told:
        time.sleep(seconds)
    took, spent = time.monotonic() - start, cpu_s(process.pid) - before
    times = sorted(told["times"])
    row = {"what": what, "requests": len(times), "bad": told["bad"],
           "per_s": len(times) / took, "cpu_us": 1e6 * spent / len(times),
           "p50_ms": 1000 * quantile(times, .5), "p99_ms": 1000 * quantile(times, .99)}
    print("  %-34s %9.0f %9.0f %9.2f %9.2f" % (
        what, row["per_s"], row["cpu_us"], row["p50_ms"], row["p99_ms"]), flush=True)
    return row


def one_replay(folder):
    pigpen("match", "dirty_pig", "c/random", "c/random", "-q", "-O", folder)
    return glob.glob(os.path.join(folder, "*.replay"))[0]


def make_ladder(folder, matches):
    path = os.path.join(folder, "ladder")
    pigpen("ladder", "init", path, "--game", "dirty_pig")
    synthetic.add_entrants(path, ENTRANTS)
    shutil.copy(one_replay(folder), os.path.join(path, "one.replay"))
    synthetic.fill(path, matches // 2, replay="one.replay")
    return path


def paths_of(matches):
    numbers = [1 + i * 7919 % (matches // 2) for i in range(1000)]
    return {
        "standings page": ["/index.html"],
        "its ladders": ["/api/ladders.json"],
        "standings": ["/api/ladder/standings.json"],
        "matrix": ["/api/ladder/matrix.json"],
        "history": ["/api/ladder/history.json"],
        "an entrant": ["/api/ladder/bots/%d.json" % i for i in range(1, 101)],
        "newest matches": ["/api/ladder/lists/all/0.json"],
        "oldest matches": ["/api/ladder/lists/all/%d.json" % (matches // 50 - 1)],
        "matches of an entrant": ["/api/ladder/lists/bot-%d/0.json" % i for i in range(1, 101)],
        "matches with faults": ["/api/ladder/lists/all-faulted/0.json"],
        "match page": ["/match.html"],
        "a match": ["/api/ladder/matches/%d-0.json" % i for i in numbers],
        "a replay for the viewer": ["/api/ladder/matches/%d-1/viewer.json" % i for i in numbers],
    }


def bench_pages(folder, matches, seconds):
    path = make_ladder(folder, matches)
    with served(path) as (process, port):
        before, start = cpu_s(process.pid), time.monotonic()
        with socket.create_connection(("127.0.0.1", port)) as link:
            link.sendall(b"GET /api/ladder/standings.json HTTP/1.0\r\n\r\n")
            while link.recv(65536):
                pass
        first = {"seconds": time.monotonic() - start, "cpu_s": cpu_s(process.pid) - before}
        print("  first standings of %d matches: %.2f s (%.2f s of CPU)" % (
            matches, first["seconds"], first["cpu_s"]))
        print("  %-34s %9s %9s %9s %9s" % ("", "per s", "CPU µs", "p50 ms", "p99 ms"))
        return first, [measure(process, port, what, paths, seconds)
                       for what, paths in paths_of(matches).items()]


def make_players(path):
    pigpen("ladder", "init", path, "--game", "dirty_pig", "--sandbox", "off", "--clock",
           "bank=5s,inc=50ms,move=1s")
    pigpen("ladder", "add", "--no-check", path, "c/random", "c/greedy", "python/random")
    return path


def play_ladder(path):
    """Plays sets; (mean, longest) ms of an answer for each seat of each match, faults, voids."""
    done = subprocess.run([PIGPEN, "ladder", "run", path, "--sets", str(LADDER_SETS), "--jobs",
                           "1", "--at-once", "4"], check=True, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    again = re.search(rb"(\d+) played again", done.stderr)
    with synthetic.database(path) as db:
        seats = db.execute("SELECT think_us,decisions,think_us_max,fault FROM seats"
                           " WHERE decisions>0").fetchall()
    return {"times": [(row[0] / row[1] / 1000, row[2] / 1000) for row in seats],
            "faults": sum(row[3] is not None for row in seats),
            "voids": int(again.group(1)) if again else 0, "requests": 0}


def play_hammered(path):
    """The same while its own page answers as much as it can."""
    with served(path) as (_, port), load(port, [
            "/api/ladders.json", "/api/ladder/standings.json", "/api/ladder/lists/all/0.json",
            "/api/ladder/bots/1.json", "/index.html"], True) as told:
        row = play_ladder(path)
    row["requests"] = len(told["times"])
    return row


def sum_up(rounds):
    times = [time_ for row in rounds for time_ in row["times"]]
    means, longest = (sorted(column) for column in zip(*times))
    return {"matches": len(times) // 2,
            **{key: sum(row[key] for row in rounds) for key in ("requests", "faults", "voids")},
            "mean_ms": {"p50": quantile(means, .5), "p99": quantile(means, .99)},
            "longest_ms": {"p50": quantile(longest, .5), "p99": quantile(longest, .99)}}


def bench_clocks(folder):
    rounds = {"quiet": [], "hammered": []}
    for number in range(ROUNDS):
        for name, play in (("quiet", play_ladder), ("hammered", play_hammered)):
            path = os.path.join(folder, "%s%d" % (name, number))
            os.mkdir(path)
            rounds[name].append(play(make_players(os.path.join(path, "ladder"))))
    print("  %-10s %8s %8s %7s %6s %9s %9s %12s %12s" % (
        "ladder", "matches", "requests", "faults", "voids", "mean p50", "mean p99", "longest p50",
        "longest p99 ms"))
    rows = {name: sum_up(list_) for name, list_ in rounds.items()}
    for name, row in rows.items():
        print("  %-10s %8d %8d %7d %6d %9.3f %9.3f %12.3f %12.3f" % (
            name, row["matches"], row["requests"], row["faults"], row["voids"],
            *row["mean_ms"].values(), *row["longest_ms"].values()), flush=True)
    return rows


def table(first, pages, clocks):
    by_what = {row["what"]: row for row in pages}
    quiet, loud = clocks["quiet"], clocks["hammered"]
    rows = [{"what": "page: first standings of 100,000 matches", "value": first["cpu_s"],
             "unit": "s", "better": "less"}]
    for what in ("standings", "an entrant", "matches of an entrant", "a match",
                 "a replay for the viewer"):
        rows += [{"what": "page: %s" % what, "value": by_what[what]["per_s"],
                  "unit": "requests/s", "better": "more"},
                 {"what": "page: %s, p99" % what, "value": by_what[what]["p99_ms"],
                  "unit": "ms", "better": "less"}]
    return rows + [
        {"what": "page hammered: faults and voids of its ladder", "unit": "",
         "value": loud["faults"] + loud["voids"], "better": "less"},
        {"what": "page hammered: mean time of answers", "value": loud["mean_ms"]["p50"],
         "unit": "ms", "floor": quiet["mean_ms"]["p50"], "better": "less"},
        {"what": "page hammered: longest answers, p99", "value": loud["longest_ms"]["p99"],
         "unit": "ms", "floor": quiet["longest_ms"]["p99"], "better": "less"}]


def main():
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory(prefix="pigpen-bench-") as folder:
        first, pages = bench_pages(folder, matches, seconds)
        clocks = bench_clocks(folder)
    os.makedirs(os.path.join(ROOT, "build/bench"), exist_ok=True)
    with open(os.path.join(ROOT, "build/bench/web.json"), "w") as file:
        json.dump({"bench": "web", "matches": matches, "first_standings": first, "pages": pages,
                   "clocks": clocks, "table": table(first, pages, clocks)}, file, indent=1)
    bad = sum(row["bad"] for row in pages)
    if bad:
        sys.exit("%d answers were not 200" % bad)


main()
