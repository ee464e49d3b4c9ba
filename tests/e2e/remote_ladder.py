#!/usr/bin/python3
"""A ladder with an entrant that connects from elsewhere."""
import json
import os
import re
import signal
import threading

from harness import PIGPEN, PYTHON, ROOT, check, contains, equal, main, records_of, test, wait_for
from support.ladders import healthy, ladder, results, rows, standings
from support.remotes import Key, Remote, raw, wait_closed

ANN = 3  # the number of the entrant, after two local ones
HALF_OPEN = 200
WORKER_MB = 160
FIRST = os.path.join(ROOT, "sample_bots/c/first/first")


class Run:
    """`ladder run --listen`, and what it says."""

    def __init__(self, t, path, *words):
        self.t, self.err = t, ""
        self.process = t.start_pigpen("ladder", "run", path, "--listen",
                                      "tcp://127.0.0.1:0", "--jobs", "2", *words)
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        self.environment = {}
        self.said = 0

    def _read(self):
        for line in self.process.stderr:
            self.err += line.decode(errors="replace")

    def says(self, pattern):
        """Waits for it, after what was waited for before."""
        def look():
            found = re.compile(pattern).search(self.err, self.said)
            if not found:
                check(self.process.poll() is None, "the run has ended: " + self.err)
            return found
        found = wait_for(look, pattern)
        self.said = found.end()
        return found

    def where(self):
        """Endpoint and public key."""
        if not self.environment:
            found = self.says(r"PIGPEN_ENDPOINT=(tcp://\S+) with PIGPEN_SERVER_KEY='(.*)'")
            self.environment = {"PIGPEN_ENDPOINT": found.group(1),
                                "PIGPEN_SERVER_KEY": found.group(2)}
        return self.environment["PIGPEN_ENDPOINT"], self.environment["PIGPEN_SERVER_KEY"]

    def bot(self, key):
        self.where()
        return self.t.start([FIRST], env={**self.environment, "PIGPEN_KEY_FILE": key})

    def end(self):
        out = self.process.stdout.read().decode()
        status = self.process.wait()
        self.reader.join()
        equal(status, 0, "exit status of the run, which says " + self.err)
        return out


def with_remote(t, *locals_):
    path = ladder(t, *locals_)
    done = t.run(PIGPEN, "keygen", "ann").ok()
    t.pigpen("ladder", "add", path, "--remote", "ann", "--key", done.out.split()[1]).ok()
    return path, t.path("ann.key")


def edit(path, **settings):
    name = os.path.join(path, "ladder.json")
    with open(name) as file:
        whole = {**json.load(file), **settings}
    with open(name, "w") as file:
        json.dump(whole, file)


def sets_of(path, name, state="complete"):
    return rows(path, "SELECT count(DISTINCT set_id) FROM places JOIN sets s ON s.id=set_id JOIN "
                "entrants e ON e.id=entrant WHERE name='%s' AND s.state='%s'"
                % (name, state))[0][0]


def complete(path):
    return rows(path, "SELECT count(*) FROM sets WHERE state='complete'")[0][0]


@test
def a_remote_entrant_plays_while_it_is_online(t):
    path, key = with_remote(t, "first", "random")
    run = Run(t, path)
    bot = run.bot(key)
    run.says("ann is online")
    wait_for(lambda: sets_of(path, "ann") >= 2, "sets with ann")
    bot.kill()
    bot.wait()
    run.says("ann is gone")
    others = complete(path)
    wait_for(lambda: complete(path) > others + 2, "sets without ann")
    played = sets_of(path, "ann")
    bot = run.bot(key)
    run.says("ann is online")
    wait_for(lambda: sets_of(path, "ann") > played + 2, "more sets with ann")
    run.process.send_signal(signal.SIGINT)
    run.end()
    equal(bot.wait(), 0, "ann, after bye")
    for match in results(t, path):
        for seat in match["seats"]:
            check(not seat["fault"] or seat["entrant"] == ANN and
                  seat["fault"]["class"] == "disconnect", "a fault: %r" % seat)
    healthy(t, path)


@test
def strangers_at_a_ladders_door_are_counted_and_harm_nobody(t):
    path, key = with_remote(t, "first", "random")
    eve = Key(t, "eve")
    run = Run(t, path)
    run.bot(key)
    run.says("ann is online")
    wait_for(lambda: sets_of(path, "ann"), "a set with ann")
    endpoint, public = run.where()
    port = int(endpoint.rsplit(":", 1)[1])
    others = [Remote(endpoint, public, eve),       # not on the list
              Remote(endpoint, eve.public, eve),   # wrong server key
              Remote(endpoint, None, eve)]         # plain
    for other in others:
        other.socket.send(b"x")
    sockets = [raw(port, b"GET / HTTP/1.1\r\n\r\n" + b"x" * 100), raw(port, os.urandom(4096)),
               *(raw(port, b"\xff" if n % 2 else b"") for n in range(HALF_OPEN))]
    played = sets_of(path, "ann")
    wait_for(lambda: sets_of(path, "ann") > played + 2, "sets with ann meanwhile")
    wait_closed(sockets)
    for other in others:
        check(other.silent(), "a stranger got an answer")
        other.close()
    # The worker has told of them with the matches that it has played since.
    played = sets_of(path, "ann")
    wait_for(lambda: sets_of(path, "ann") > played + 2, "sets with ann afterwards")
    run.process.send_signal(signal.SIGINT)
    out = run.end()
    opened, admitted, unknown, refused = (int(n) for n in run.says(
        r"connections: (\d+) opened, (\d+) admitted, (\d+) with an unknown key, (\d+) refused"
    ).groups())
    equal(admitted, 1, "admitted")
    check(unknown >= 1, "unknown keys: %d" % unknown)
    check(refused >= HALF_OPEN + 4, "refused: %d" % refused)
    check(opened >= HALF_OPEN + 6, "opened: %d" % opened)
    for match in results(t, path):
        for seat in match["seats"]:
            equal(seat["fault"], None, "fault of entrant %d" % seat["entrant"])
    equal({name: row["remote"] for name, row in standings(t, path).items()},
          {"first": False, "random": False, "ann": True}, "who is remote")
    equal([re.search(" remote$", line) is not None for line in out.splitlines()
           if re.search("^ .* (first|random|ann) ", line)].count(True), 1, "marked:\n" + out)
    healthy(t, path)


def faults(path):
    return {(name, fault) for name, fault in rows(
        path, "SELECT name, fault FROM seats JOIN entrants ON entrants.id = entrant "
        "WHERE fault NOT NULL")}


class Dust:
    """A remote bot that kills every worker it plays in, and comes back each time."""

    def __init__(self, run, key):
        self.run, self.key = run, key
        self.bot = None

    def keep_up(self):
        """A worker that is new listens elsewhere, as the port is the system's choice."""
        if self.bot and self.bot.poll() is None:
            return
        found = re.findall(r"PIGPEN_ENDPOINT=(tcp://\S+) with PIGPEN_SERVER_KEY='(.*)'",
                           self.run.err)
        if found:
            self.bot = self.run.t.start([
                PYTHON, os.path.join(ROOT, "tests/bots/curve_dust.py"), *found[-1],
                self.key.name, self.key.public, self.key.secret])


@test
def a_remote_that_kills_workers_is_found_out_by_elimination(t):
    """It cannot be tried alone, but once its opponents were, nobody else is left."""
    path = ladder(t, "first", "random", options=("--worker-mb", str(WORKER_MB),
                                                 "--bench-matches", "2",
                                                 # It is to kill, not to be late.
                                                 "--clock", "move=60s"))
    dust = Key(t, "dust")
    t.pigpen("ladder", "add", path, "--remote", "dust", "--key", dust.public).ok()
    run = Run(t, path)
    bot = Dust(run, dust)

    def convicted():
        bot.keep_up()
        check(run.process.poll() is None, "the run has ended: " + run.err)
        return ("dust", "flood") in faults(path)
    wait_for(convicted, "a verdict on dust", seconds=300)
    others = complete(path)
    wait_for(lambda: complete(path) > others + 2, "more sets")
    run.process.send_signal(signal.SIGINT)
    run.end()
    bot.bot.kill()
    contains(run.err, "workers died", "the last line")
    # It may have been late as well, being busy; nobody else was anything.
    equal({name for name, fault in faults(path)}, {"dust"}, "who has faults")
    healthy(t, path)


@test
def deals_of_a_remote_entrant_are_independent(t):
    path, key = with_remote(t, "first", "random")
    edit(path, compress=False)
    run = Run(t, path, "--sets", "30")
    run.bot(key)
    run.says("ann is online")
    run.end()
    deals = {}
    for number, rotation, replay in rows(
            path, "SELECT set_id, rotation, replay FROM matches WHERE replay IS NOT NULL"):
        order = records_of(os.path.join(path, replay), "chance")[0]
        deals.setdefault(number, []).append(repr(order))
    remote = {n for n, in rows(path, "SELECT DISTINCT set_id FROM places JOIN entrants e ON "
                               "e.id=entrant WHERE name='ann'")}
    seen = [deal for number in deals if number in remote for deal in deals[number]]
    check(seen, "ann has not played")
    equal(len(seen), len(set(seen)), "different deals of ann")
    for number, orders in deals.items():
        if number not in remote:
            equal(len(set(orders)), 1, "deals of set %d, which is local" % number)


@test
def an_absent_remote_is_not_waited_for(t):
    path, _ = with_remote(t, "first", "random")
    Run(t, path, "--sets", "6").end()
    equal(sets_of(path, "ann"), 0, "sets with ann")
    equal(t.pigpen("ladder", "run", path, "--sets", "6").ok().status, 0, "without --listen")
    healthy(t, path)


@test
def a_remote_never_sits_at_a_table_twice(t):
    path, key = with_remote(t, "random")
    run = Run(t, path, "--sets", "6")
    run.bot(key)
    run.says("ann is online")
    run.end()
    equal(sets_of(path, "ann"), 6, "sets with ann")


@test
def what_a_remote_cannot_be_is_said(t):
    path = ladder(t, "first", "random")
    done = t.pigpen("ladder", "add", path, "--remote", "ann")
    equal(done.status, 2, "without a key")
    contains(done.err, "needs --key", "what it says")
    public = t.run(PIGPEN, "keygen", "ann").ok().out.split()[1]
    done = t.pigpen("ladder", "add", path, "--remote", "a/b", "--key", public)
    contains(done.err, "is not a valid name", "what it says")
    other = t.path("teams")
    t.pigpen("ladder", "init", other, "--game", "tennessee_pig", "--teams", "same").ok()
    done = t.pigpen("ladder", "add", other, "--remote", "ann", "--key", public)
    equal(done.status, 2, "teams of one entrant")
    contains(done.err, "a remote bot can hold one", "what it says")


main(workers=2)
