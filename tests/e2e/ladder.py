#!/usr/bin/python3
"""Ladders from `init` to `doctor`: who enters, who plays whom, what is stored, and that a
process never sees a deal twice. tests/e2e/ladder_endurance.py kills them.
"""
import csv
import glob
import io
import json
import os
import re
import signal
import sqlite3
import stat

from harness import ROOT, check, contains, equal, main, test, wait_for
from support.ladders import facts, healthy, ladder, play, player, results, rows, standings

@test
def a_ladder_from_init_to_standings(t):
    path = ladder(t, "random", "greedy", "first", check_bots=True)
    equal(stat.S_IMODE(os.stat(path + "/key").st_mode), 0o600, "mode of the key")
    play(t, path, 20, "--jobs", "2")
    table = standings(t, path)
    check(table["greedy"]["elo"] > table["random"]["elo"], "greedy is not above random")
    equal(table["random"]["elo"], 1000, "the anchor's rating")
    equal(sum(e["faults"] for e in table.values()), 0, "faults")
    equal(len(results(t, path)), 40, "matches")
    healthy(t, path)
    for words in (["standings"], ["matrix"], ["history"]):
        out = t.pigpen("ladder", words[0], path, *words[1:]).ok().out
        check(max(len(line) for line in out.splitlines()) <= 80,
              words[0] + " is wider than 80 columns:\n" + out)
        contains(out, "greedy", words[0])
    lines = list(csv.DictReader(io.StringIO(
        t.pigpen("ladder", "results", path, "--csv").ok().out)))
    equal(len(lines), 80, "lines of CSV")
    whole = t.pigpen("ladder", "export", path).ok().json()
    equal(sorted(whole), ["history", "ladder", "matrix", "results", "sets", "standings"],
          "keys of the export")


@test
def every_entrant_holds_every_seats_cards(t):
    path = ladder(t, "random", "greedy", "first", game="pig_pile",
                  options=("--option", "rounds=1"))
    play(t, path, 4)
    sets = {}
    for match in results(t, path):
        for number, seat in enumerate(match["seats"]):
            sets.setdefault(match["set"], set()).add((number, seat["entrant"]))
    equal(len(sets), 4, "sets")
    for held in sets.values():
        equal(len(held), 9, "pairs of seat and entrant in a set")


@test
def results_do_not_depend_on_jobs(t):
    path = ladder(t, "random", "greedy", "first")
    other = t.path("other")
    t.run("cp", "-a", path, other).ok()
    play(t, path, 24, "--jobs", "1")
    play(t, other, 24, "--jobs", "3", "--at-once", "4")
    equal(facts(t, other), facts(t, path), "results")
    equal(t.pigpen("ladder", "standings", other, "--json").out,
          t.pigpen("ladder", "standings", path, "--json").out, "standings")


@test
def a_process_never_sees_a_deal_twice(t):
    """Bots note which process played which match; two of them at three seats, so that one
    of them sits there twice."""
    note = r'os.write(2, b"played %d %d\n" % (os.getpid(), m["match"]))'
    path = ladder(t, player(t, "one", on_match=note), player(t, "two", on_match=note),
                  game="pig_pile", options=("--option", "rounds=1"))
    play(t, path, 6, "--jobs", "2", "--at-once", "2")
    match = {number: (s, r) for s, r, number in
             rows(path, "SELECT set_id, rotation, match_id FROM matches")}
    seen, rotations = {}, {}
    for log in glob.glob(path + "/logs/*.log"):
        text = open(log, errors="replace").read()
        for pid, number in re.findall(r"played (\d+) (\d+)\n", text):
            s, r = match[int(number)]
            seen.setdefault(pid, []).append(s)
            rotations.setdefault(pid, set()).add(r)
    equal(sum(len(sets) for sets in seen.values()), 3 * len(match), "seats played")
    for pid, sets in seen.items():
        equal(len(sets), len(set(sets)), "different sets of process " + pid)
        equal(len(rotations[pid]), 1, "rotations of process " + pid)


@test
def deals_come_from_the_secret_key(t):
    path = ladder(t, "random", "first")
    other = t.path("other")
    t.run("cp", "-a", path, other).ok()
    key = t.path("other", "key")
    text = open(key).read()
    with open(key, "w") as file:
        file.write(("0" if text[0] != "0" else "1") + text[1:])
    play(t, path, 6)
    play(t, other, 6)
    check(facts(t, path) != facts(t, other), "another key gave the same results")
    # The doctor notices replays that were not dealt from the key.
    with open(key, "w") as file:
        file.write(text)
    done = t.pigpen("ladder", "doctor", other)
    equal(done.status, 1, "status of doctor")
    contains(done.out, "not dealt from the set's seed", "doctor")


@test
def the_doctor_finds_what_was_changed(t):
    path = ladder(t, "random", "first")
    play(t, path, 4)
    healthy(t, path)
    replays = sorted(glob.glob(path + "/replays/*/*"))
    equal(len(replays), 8, "replays")
    os.rename(replays[0], replays[0] + ".away")
    with open(replays[1], "r+b") as file:
        file.seek(-3, 2)
        byte = file.read(1)
        file.seek(-3, 2)
        file.write(bytes([byte[0] ^ 1]))
    with sqlite3.connect(path + "/ladder.db") as database:
        database.execute("UPDATE seats SET rank = 3 - rank WHERE set_id = 3 AND rotation = 0")
        database.execute("UPDATE seats SET score = score + 1 WHERE set_id = 3 "
                         "AND rotation = 0 AND seat = 0")
        database.execute("UPDATE matches SET chain = zeroblob(16) WHERE set_id = 4 "
                         "AND rotation = 0")
    done = t.pigpen("ladder", "doctor", path)
    equal(done.status, 1, "status of doctor")
    names = [os.path.relpath(name, path) for name in replays]
    contains(done.out, names[0] + ".away: it is not in the store", "an unknown file")
    contains(done.out, names[0] + ": cannot be opened", "a file that is gone")
    check(re.search(re.escape(names[1]) + ": (?!it is not in)", done.out),
          "the file with the changed byte is not named: " + done.out)
    contains(done.out, "another result", "a changed result")
    contains(done.out, "chain hash is not the one in the store", "another match's replay")
    equal(len(done.out.splitlines()), 6, "problems and a closing line: " + done.out)


@test
def a_bot_that_crashes_is_counted_and_benched_and_the_others_play_on(t):
    path = ladder(t, "random", "greedy",
                  player(t, "crasher", on_act='sys.exit("I give up")'),
                  options=("--bench-matches", "4", "--keep", "faults+sample"))
    play(t, path, 16, "--jobs", "2")
    table = standings(t, path)
    equal(table["crasher"]["state"], "benched", "state")
    contains(table["crasher"]["reason"], "faulted in", "reason")
    equal(table["crasher"]["faults"], table["crasher"]["matches"], "faults")
    equal(table["random"]["faults"] + table["greedy"]["faults"], 0, "faults of others")
    faulted = [m for m in results(t, path) if any(s["fault"] for s in m["seats"])]
    check(all(m["replay"] for m in faulted), "a replay of a faulted match is missing")
    fault = [s["fault"] for m in faulted for s in m["seats"] if s["fault"]][0]
    equal(fault["class"], "crash", "class")
    contains(fault["stderr"], "I give up", "stderr")
    healthy(t, path)
    t.pigpen("ladder", "unbench", path, "crasher").ok()
    equal(standings(t, path)["crasher"]["state"], "active", "state after unbench")
    play(t, path, 1)
    equal(standings(t, path)["crasher"]["state"], "active", "what was before is forgiven")
    before = standings(t, path)["crasher"]["matches"]
    t.pigpen("ladder", "remove", path, "crasher", "--reason", "enough").ok()
    play(t, path, 4)
    equal(standings(t, path)["crasher"]["matches"], before, "matches after remove")


@test
def a_bot_that_kills_its_worker_is_found_out(t):
    """Its parent is the warden and the warden's parent the worker."""
    kill = ('os.kill(int(open("/proc/%d/stat" % os.getppid()).read().rsplit(")", 1)[1]'
            '.split()[1]), signal.SIGKILL)')
    path = ladder(t, "random", "greedy", player(t, "assassin", on_act=kill),
                  options=("--bench-matches", "2"))
    done = play(t, path, 10, "--jobs", "2")
    contains(done.err, "workers died", "the last line")
    table = standings(t, path)
    equal(table["assassin"]["state"], "benched", "state")
    equal(table["assassin"]["faults"], table["assassin"]["matches"], "faults")
    equal(table["random"]["faults"] + table["greedy"]["faults"], 0, "faults of others")
    equal({c for (c,) in rows(path, "SELECT DISTINCT fault FROM seats WHERE fault NOT NULL")},
          {"flood"}, "classes")
    healthy(t, path)


@test
def a_bot_that_does_not_pass_the_check_is_not_entered(t):
    path = ladder(t, "random")
    broken = t.bot("broken", ["/bin/false"])
    done = t.pigpen("ladder", "add", path, broken, "first")
    equal(done.status, 2, "status")
    contains(done.err, "is not entered: check", "message")
    equal(sorted(standings(t, path)), ["first", "random"], "entrants")
    equal(sorted(os.listdir(path + "/bots")), ["first", "random"], "bots/")
    unbuilt = t.bot("unbuilt", ["./player"], build=["false"])
    done = t.pigpen("ladder", "add", path, unbuilt)
    equal(done.status, 2, "status")
    contains(done.err, "is not entered: build", "message")


@test
def a_new_version_takes_the_place_of_the_old_one(t):
    path = ladder(t, "random", player(t, "novice", version="1"))
    play(t, path, 4)
    t.pigpen("ladder", "add", "--no-check", path, player(t, "novice", version="2")).ok()
    listed = t.pigpen("ladder", "standings", path, "--json").ok().json()["standings"]
    novices = {e["version"]: e for e in listed if e["name"] == "novice"}
    equal(novices["1"]["state"], "removed", "state of the old version")
    contains(novices["1"]["reason"], "replaced by", "reason")
    equal(novices["2"]["state"], "active", "state of the new version")
    equal(novices["1"]["sets"], 4, "the old one's results")
    play(t, path, 4)
    history = t.pigpen("ladder", "history", path).ok().out
    for entry in novices.values():
        contains(history, "novice@" + entry["hash"][:8], "history")
    widths = {len(line) for line in history.splitlines()}
    equal(len(widths), 1, "widths of the lines of\n" + history)
    healthy(t, path)


@test
def a_second_run_refuses_and_requests_wait_for_the_next_epoch(t):
    path = ladder(t, "random", "greedy")
    first = t.start_pigpen("ladder", "run", path, "--jobs", "1")
    wait_for(lambda: rows(path, "SELECT count(*) FROM matches")[0][0] > 0, "a result")
    second = t.pigpen("ladder", "run", path, "--sets", "1")
    equal(second.status, 2, "status of the second run")
    contains(second.err, "is being run by another process", "message")
    contains(t.pigpen("ladder", "add", "--no-check", path, "first").ok().out,
             "before it plans its next epoch", "add")
    wait_for(lambda: rows(path, "SELECT count(*) FROM entrants")[0][0] == 3, "the entrant")
    first.send_signal(signal.SIGINT)
    done = t.finish(first)
    equal(done.status, 0, "status of the run")
    contains(done.err, "stopped", "message")
    healthy(t, path)
    equal(t.processes(), [], "processes")


@test
def looking_does_not_disturb_a_run_and_sees_one_moment(t):
    path = ladder(t, "random", "greedy", "first")
    run = t.start_pigpen("ladder", "run", path, "--sets", "150", "--jobs", "2")
    looks = 0
    while run.poll() is None:
        done = t.pigpen("ladder", "doctor", path)
        equal(done.status, 0, "doctor during a run: " + done.out + done.err)
        whole = t.pigpen("ladder", "export", path).ok().json()
        complete = sum(s["state"] == "complete" for s in whole["sets"])
        equal(len(whole["results"]), 2 * complete, "matches of complete sets")
        equal(whole["standings"]["sets"], complete, "sets in the standings")
        looks += complete > 0
    t.finish(run).ok()
    check(looks > 0, "the run was over before anything was seen")
    equal(rows(path, "SELECT count(*) FROM seats WHERE fault NOT NULL"), [(0,)], "faults")


@test
def partnerships_of_one_or_of_different_entrants(t):
    for teams, rotations, seats in (("same", 2, 2), ("mixed", 4, 4)):
        path = t.path(teams)
        t.pigpen("ladder", "init", path, "--game", "tennessee_pig", "--teams", teams,
                 "--option", "max_hands=2").ok()
        bots = ["random", "greedy", "first", player(t, "novice")]
        t.pigpen("ladder", "add", "--no-check", path, *bots).ok()
        play(t, path, 4)
        equal(rows(path, "SELECT DISTINCT rotations FROM sets"), [(rotations,)], teams)
        for (n,) in rows(path, "SELECT count(DISTINCT entrant) FROM places GROUP BY set_id"):
            equal(n, seats, "entrants at a table of " + teams)
        healthy(t, path)


@test
def a_gauntlet_and_a_round_robin(t):
    path = ladder(t, "random", "greedy", "first", player(t, "novice"),
                  options=("--schedule", "gauntlet", "--challenger", "first"))
    play(t, path, 6)
    hers = rows(path, "SELECT count(DISTINCT set_id) FROM places JOIN entrants "
                      "ON entrants.id = entrant WHERE name = 'first'")
    equal(hers, [(6,)], "the challenger's sets")
    other = t.path("round")
    t.pigpen("ladder", "init", other, "--game", "dirty_pig", "--schedule",
             "round_robin").ok()
    t.pigpen("ladder", "add", "--no-check", other, "random", "greedy", "first").ok()
    play(t, other, 6)
    met = rows(other, "SELECT count(*) FROM (SELECT DISTINCT a.entrant, b.entrant FROM "
                      "places a JOIN places b USING (set_id) WHERE a.entrant < b.entrant)")
    equal(met, [(3,)], "pairs that met")


@test
def replays_beyond_the_budget_go(t):
    path = ladder(t, "random", "first", options=("--keep", "none"))
    play(t, path, 4)
    equal(glob.glob(path + "/replays/*/*"), [], "replays with keep none")
    healthy(t, path)
    settings = json.load(open(path + "/ladder.json"))
    settings.update(keep="all", disk_mb=1, compress=False)
    json.dump(settings, open(path + "/ladder.json", "w"))
    play(t, path, 120, "--at-once", "4")
    size = sum(os.path.getsize(f) for f in glob.glob(path + "/replays/*/*"))
    check(0 < size <= 1 << 20, "%d bytes of replays are kept" % size)
    healthy(t, path)


@test
def logs_beyond_the_budget_go_the_oldest_first(t):
    path = ladder(t, "random", "first")
    settings = json.load(open(path + "/ladder.json"))
    settings.update(logs_mb=1)
    json.dump(settings, open(path + "/ladder.json", "w"))
    for age in range(4):
        log = t.write("ladder/logs/old-%d.log" % age, "x" * (400 << 10))
        os.utime(log, (10**9 - age, 10**9 - age))
    play(t, path, 2)
    left = {os.path.basename(f) for f in glob.glob(path + "/logs/old-*")}
    equal(left, {"old-0.log", "old-1.log"}, "old logs that are left")


@test
def a_cap_that_no_worker_lives_with_is_named(t):
    path = ladder(t, "random", "first", options=("--worker-mb", "10"))
    done = t.pigpen("ladder", "run", path, "--sets", "1")
    equal(done.status, 2, "status")
    contains(done.err, "is their memory cap of 10 MB large enough?", "message")


@test
def mistakes_are_explained(t):
    path = ladder(t, "random", "first")
    for words, part in (
            (["run", t.path("nowhere")], "nowhere"),
            (["run", t.folder], "is not a ladder"),
            (["init", path, "--game", "dirty_pig"], "is not empty"),
            (["init", t.path("x"), "--game", "chess"], "there is no game 'chess'"),
            (["init", t.path("x"), "--game", "dirty_pig", "--schedule", "swiss"],
             "adaptive, round_robin, gauntlet"),
            (["bench", path, "nobody"], "no entrant 'nobody'"),
            (["run", path, "--for", "soon"], "2h"),
            (["results", path], "--json or --csv"),
            (["doctor", path, "--json"], "unrecognized option"),
            (["dance"], "dance")):
        done = t.pigpen("ladder", *words)
        equal(done.status, 2, "status of " + " ".join(words))
        contains(done.err, part, " ".join(words))
    with open(path + "/ladder.json", "w") as file:
        file.write('{"format": 1, "game": "dirty_pig", "keep": "some"}')
    done = t.pigpen("ladder", "standings", path)
    equal(done.status, 2, "status with a bad ladder.json")
    contains(done.err, '"keep" must be one of all, faults+sample, none', "message")


@test
def a_worker_plays_a_file_of_jobs(t):
    """What a batch system gives it; the same deals with seats changed, then again."""
    bots = [{"t": "bot", "id": i, "folder": ROOT + "/sample_bots/c/" + name,
             "name": name, "hash": "00"} for i, name in ((7, "random"), (9, "greedy"))]
    jobs = [{"t": "play", "job": n, "rotation": n % 2, "seed": "ab" * 32,
             "seats": [7, 9] if n % 2 == 0 else [9, 7], "replay": None} for n in range(4)]
    lines = [{"t": "rules", "game": "dirty_pig", "at_once": 2}] + bots + jobs
    tasks = t.write("tasks", "".join(json.dumps(line) + "\n" for line in lines))
    with open(tasks) as file:
        done = t.pigpen("ladder", "worker", stdin=file).ok()
    answers = {a["job"]: a for a in map(json.loads, done.out.splitlines())}
    equal(sorted(answers), [0, 1, 2, 3], "jobs")
    for a in answers.values():
        equal((a["t"], a["void"], a["replay"]), ("done", None, None), "an answer")
        equal([s["fault"] for s in a["seats"]], [None, None], "faults")
    for n in (0, 1):
        equal([s["rank"] for s in answers[n]["seats"]],
              [s["rank"] for s in answers[n + 2]["seats"]], "ranks when played again")


@test
def after_a_void_match_new_processes_play(t):
    """Two matches as ever, one whose replay cannot be written, one more."""
    note = r'os.write(2, b"played %d %d\n" % (os.getpid(), m["match"]))'
    bots = [{"t": "bot", "id": i, "folder": player(t, name, on_match=note), "name": name,
             "hash": "00"} for i, name in ((7, "one"), (9, "two"))]
    jobs = [{"t": "play", "job": n, "rotation": 0, "seed": "ab" * 32, "seats": [7, 9],
             "replay": t.path("nowhere", "x.replay") if n == 2 else None}
            for n in range(4)]
    rules = {"t": "rules", "game": "dirty_pig", "at_once": 1, "sandbox": "off",
             "logs": t.folder}
    tasks = t.write("tasks", "".join(json.dumps(line) + "\n" for line in
                                     [rules] + bots + jobs))
    with open(tasks) as file:
        done = t.pigpen("ladder", "worker", stdin=file).ok()
    answers = {a["job"]: a for a in map(json.loads, done.out.splitlines())}
    contains(answers[2]["void"], "the replay cannot be written", "the third match")
    pids = {n: set() for n in answers}
    for log in glob.glob(t.path("*.log")):
        text = open(log, errors="replace").read()
        for pid, number in re.findall(r"played (\d+) (\d+)\n", text):
            for n, answer in answers.items():
                if answer["match"] == int(number):
                    pids[n].add(pid)
    equal(len(pids[0]), 2, "processes of the first match")
    equal(pids[1], pids[0], "processes of the second match")
    equal(pids[3] & pids[0], set(), "processes that went on after the void match")
    equal(len(pids[3]), 2, "processes of the last match")


@test
def a_worker_refuses_lines_that_make_no_sense(t):
    for text in ("", "nonsense\n", '{"t":"dance"}\n', '{"t":"rules","game":"chess"}\n',
                 '{"t":"rules","game":"dirty_pig","at_once":0}\n',
                 '{"t":"play","job":1}\n',
                 '{"t":"rules","game":"dirty_pig"}\n{"t":"play","job":1}\n'):
        with open(t.write("tasks", text)) as file:
            done = t.pigpen("ladder", "worker", stdin=file)
        equal(done.status, 2, "status of %r" % text)
        equal(done.out, "", "answers to %r" % text)


@test
def compare_decides_and_stops(t):
    done = t.pigpen("compare", "greedy", "random", "--game", "dirty_pig", "--json",
                    "--seed", "pigs", seconds=600)
    equal(done.status, 0, "status: " + done.err)
    verdict = done.json()
    equal(verdict["verdict"], "H1", "verdict")
    check(verdict["llr"] >= verdict["upper"] and verdict["sets"] < 200, str(verdict))
    again = t.pigpen("compare", "greedy", "random", "--game", "dirty_pig", "--json",
                     "--seed", "pigs", "--jobs", "3", "--at-once", "4").ok().json()
    equal(again["sets"], verdict["sets"], "sets with more jobs")
    equal(again["llr"], verdict["llr"], "LLR with more jobs")
    done = t.pigpen("compare", "random", "greedy", "--game", "dirty_pig", seconds=600)
    equal(done.status, 1, "status of the worse one")
    contains(done.out, "is not better", "verdict")


@test
def compare_fills_larger_tables_in_balance(t):
    verdict = t.pigpen("compare", "greedy", "random", "--game", "pig_pile", "--seats", "3",
                       "--option", "rounds=1", "--json", seconds=600).ok().json()
    equal(verdict["verdict"], "H1", "verdict")
    equal(verdict["faults_a"] + verdict["faults_b"], 0, "faults")


main(workers=2)
