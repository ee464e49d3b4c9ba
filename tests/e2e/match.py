#!/usr/bin/python3
"""`pigpen match` as its user sees it: repeatable, interruptible, and clear about what
is wrong. What bots do wrong is in faults.py.
"""
import glob
import json
import os
import pty
import re
import signal

from harness import (PIGPEN, bad_bot, cases, check, contains, equal, main, read_replay,
                     records_of, seen, test, wait_for)

PATIENT = ("--clock", "move=30s")
GAMES = {"pig_pile": 3, "pig_it_hog_it": 4, "galloping_pigs": 4, "dirty_pig": 3,
         "tennessee_pig": 4}
BY_BOT, BY_FORCED, BY_FALLBACK, BY_PENALTY = range(4)


def canonical(t, match):
    """What happened in a match: no times, ids, nonces or digests."""
    return t.pigpen("replay", "export", "--canonical", match["replay"]).ok().out


def play(t, game, bots, *more, out="replays"):
    return t.pigpen("match", game, *bots, *PATIENT, "--json", "--out", t.path(out), *more)


@cases(**{game: game for game in GAMES})
def same_seed_same_matches_whatever_jobs(t, game):
    bots = ["random"] * (GAMES[game] - 1) + ["python/random"]
    # Random players need very long for three games of it.
    short = ("-o", "max_rounds=10") if game == "pig_it_hog_it" else ()
    runs = []
    for jobs in (1, 7):
        result = play(t, game, bots, "--seed", "oink", "--matches", "6", "--jobs",
                      str(jobs), *short, out="jobs%d" % jobs).ok().json()
        equal([match["number"] for match in result["matches"]], list(range(6)), "numbers")
        runs.append([canonical(t, match) for match in result["matches"]])
    equal(runs[0], runs[1], "content of the replays")
    equal(len(set(runs[0])), 6, "different matches of one run")


@test
def other_seed_other_matches(t):
    one, two = [canonical(t, play(t, "dirty_pig", ["first", "first"], "--seed", seed,
                                  out=seed).ok().json()["matches"][0])
                for seed in ("oink", "grunt")]
    check(one != two, "two seeds gave the same match")


@cases(sigint=signal.SIGINT, sigterm=signal.SIGTERM)
def a_signal_ends_it_in_order(t, number):
    """The match under way is void, files are complete, nobody is left."""
    sockets = t.path("s")
    os.mkdir(sockets)
    bot = bad_bot(t, "hang", False)
    process = t.start_pigpen("match", "dirty_pig", bot, "first", *PATIENT, "--json",
                             "--out", t.path("replays"), "--matches", "3",
                             env={"XDG_RUNTIME_DIR": sockets})
    wait_for(lambda: seen(bot), "the bot to hang")
    process.send_signal(number)
    done = t.finish(process)
    result = done.json()
    equal(done.status, 1, "exit status")
    equal(result["finished"], False, "finished")
    match, = result["matches"]
    contains(match["void"], signal.Signals(number).name, "reason")
    equal(match["faults"], [], "faults")
    equal(read_replay(match["replay"])[-1][0], "seal", "last record")
    outcome, = records_of(match["replay"], "result")
    equal(outcome["result"], None, "result")
    contains(outcome["void"], signal.Signals(number).name, "the replay's reason")
    equal(t.processes(), [], "processes")
    equal(os.listdir(sockets), [], "sockets that are left")


@test
def a_signal_among_many_matches(t):
    process = t.start_pigpen("match", "dirty_pig", "first", "first", *PATIENT, "--json",
                             "--out", t.path("replays"), "--matches", "100000", "--jobs",
                             "8")
    wait_for(lambda: len(glob.glob(t.path("replays/*.replay"))) > 20, "some matches")
    process.send_signal(signal.SIGINT)
    result = t.finish(process).json()
    played = {match["replay"]: match for match in result["matches"]}
    check(20 <= len(played) < 100000, "%d matches played" % len(played))
    equal(set(glob.glob(t.path("replays/*.replay"))), set(played), "replays")
    for path, match in list(played.items())[:10] + list(played.items())[-10:]:
        equal(read_replay(path)[-1][0], "seal", "last record")
        equal(records_of(path, "result")[0]["void"], match["void"], "the replay's reason")
    for match in result["matches"]:
        check(match["void"] is None or "SIGINT" in match["void"], "reason: %s" % match)


@test
def kill_9_leaves_nobody_and_valid_prefixes(t):
    sockets = t.path("s")
    os.mkdir(sockets)
    bots = [bad_bot(t, "hang_with_children", False, "bad%d" % i) for i in range(2)]
    process = t.start_pigpen("match", "dirty_pig", *bots, *PATIENT, "--out",
                             t.path("replays"), env={"XDG_RUNTIME_DIR": sockets})
    wait_for(lambda: seen(bots[0]) or seen(bots[1]), "a bot to hang")
    check(len(t.processes()) >= 6, "the children are not there")
    process.kill()
    process.communicate()
    wait_for(lambda: not t.processes(), "all processes to end")
    replay, = glob.glob(t.path("replays/*.replay"))
    kinds = [kind for kind, _ in read_replay(replay)]
    equal(kinds[0], "header", "first record")
    check("chance" in kinds and "sent" in kinds, "records are missing: %s" % kinds)
    check("seal" not in kinds and "result" not in kinds, "it is sealed")
    wait_for(lambda: not os.listdir(sockets), "the sockets to be removed")


@test
def a_file_cut_off_anywhere_is_a_valid_prefix(t):
    """The chain holds up to the last whole record, wherever the cut is."""
    match, = play(t, "dirty_pig", ["first", "first"]).ok().json()["matches"]
    with open(match["replay"], "rb") as file:
        data = file.read()
    whole = read_replay(match["replay"])
    for cut in range(16, len(data), max(1, len(data) // 200)):
        t.write("cut.replay", "")
        with open(t.path("cut.replay"), "wb") as file:
            file.write(data[:cut])
        part = read_replay(t.path("cut.replay"))
        equal(part, whole[:len(part)], "records before byte %d" % cut)


@test
def cpu_clock_does_not_charge_waiting(t):
    result = t.pigpen("match", "dirty_pig", bad_bot(t, "sleep_a_bit", False), "first",
                      "--clock", "move=1500ms", "--clock-kind", "cpu", "--json").ok().json()
    match, = result["matches"]
    equal(match["faults"], [], "faults")
    check(match["bots"][0]["think_ms_max"] < 1500, "thinking time holds the sleep")


@cases(burn_cpu="burn_cpu", burn_cpu_in_child="burn_cpu_in_child")
def cpu_clock_charges_the_process_tree(t, mode):
    result = t.pigpen("match", "dirty_pig", bad_bot(t, mode), "first", "--matches", "2",
                      "--clock", "move=700ms", "--clock-kind", "cpu", "--json").json()
    first, second = result["matches"]
    fault, = first["faults"]
    equal(fault["class"], "timeout", "class")
    contains(fault["why"], "cpu", "why")
    equal(first["ranks"], [2, 1], "ranks")
    equal(second["faults"], [], "faults of the second match")


@test
def cpu_clock_has_a_cap_on_the_wall(t):
    result = t.pigpen("match", "dirty_pig", bad_bot(t, "hang"), "first",
                      "--clock", "move=20s,wall=3s", "--clock-kind", "cpu",
                      "--json").json()
    fault, = result["matches"][0]["faults"]
    equal(fault["class"], "timeout", "class")
    contains(fault["why"], "within the 3000 ms of wall time", "why")


@test
def processes_live_on_unless_fresh(t):
    pids = {}
    for name, more in (("kept", ()), ("fresh", ("--fresh",))):
        bot = bad_bot(t, "witness", False, name)
        play(t, "dirty_pig", [bot, "first"], "--matches", "3", *more, out=name).ok()
        pids[name] = [entry["pid"] for entry in seen(bot) if "pid" in entry]
        equal(len(pids[name]), 3, "matches seen")
    equal(len(set(pids["kept"])), 1, "processes without --fresh")
    equal(len(set(pids["fresh"])), 3, "processes with --fresh")


@test
def opponents_are_anonymous_unless_names(t):
    for name, more, expected in (("quiet", (), None),
                                 ("named", ("--names",), ["named", "random"])):
        bot = bad_bot(t, "witness", False, name)
        play(t, "dirty_pig", [bot, "random"], "--trace-wire", t.path(name + ".trace"),
             *more, out=name + ".out").ok()
        equal(seen(bot)[0]["names"], expected, "names")
        with open(t.path(name + ".trace")) as file:
            told = [line for line in file if '"out"' in line]
        equal(any("random" in line for line in told), bool(more), "the name on the wire")


@test
def one_event_for_every_action(t):
    """Forced or not, own or others'; and `end` brings the result."""
    bot = bad_bot(t, "witness", False)
    for game, others in (("dirty_pig", 2), ("tennessee_pig", 3)):
        open(t.path("bad/seen"), "w").close()
        match, = play(t, game, [bot] + ["random"] * others, out=game).ok().json()["matches"]
        end = seen(bot)[-1]
        equal(end["result"]["ranks"], match["ranks"], "ranks in `end`")
        records = read_replay(match["replay"])
        told = sum(len([1 for sent in value if sent[0] == 2 and sent[1] == 0])
                   for kind, value in records if kind == "sent")
        equal(end["events"], told, "event messages")
        if game == "dirty_pig":
            changes = [kind for kind, _ in records if kind in ("chance", "action")]
            equal(end["events"], len(changes), "events for actions and orders")


@test
def the_seed_of_a_bot_follows_from_the_seed(t):
    """Equal seeds give equal `rng`, each seat and match another one."""
    rngs = []
    for name in ("one", "two"):
        bots = [bad_bot(t, "witness", False, name + side) for side in "ab"]
        play(t, "dirty_pig", bots, "--matches", "3", "--seed", "oink", out=name).ok()
        rngs.append([entry["rng"] for bot in bots for entry in seen(bot) if "rng" in entry])
    equal(rngs[0], rngs[1], "rng of two runs")
    equal(len(set(rngs[0])), 6, "different rng")


@cases(ipc=("reconnect", 0), tcp=("reconnect_tcp", 0), events=("reconnect_with_events", 0),
       second_seat=("reconnect", 1))
def a_bot_that_comes_back_plays_on(t, case):
    """Token and secret on a new connection: `resume` with the open question."""
    mode, seat = case
    bot = bad_bot(t, mode, False, **({"transport": "tcp"} if mode == "reconnect_tcp" else {}))
    bots = ["first", "first"]
    bots[seat] = bot
    match, = play(t, "dirty_pig", bots).ok().json()["matches"]
    equal(match["faults"], [], "faults")
    noted = [entry for entry in seen(bot) if "refused" not in entry]
    equal(noted, [{"dropped": 2}, {"welcome": True},
                  {"resumed": match["match"], "question": 2}], "what the bot saw")
    links = [value[::2] for value in records_of(match["replay"], "link")]
    equal(links[-1], [seat, "back"], "the replay's link records")


@test
def trace_wire_holds_every_frame(t):
    match, = play(t, "dirty_pig", ["first", "random"], "--trace-wire",
                  t.path("trace")).ok().json()["matches"]
    with open(t.path("trace")) as file:
        frames = [json.loads(line) for line in file]
    times = [frame["ns"] for frame in frames]
    equal(times, sorted(times), "times")
    count = {}
    for frame in frames:
        for message in frame["messages"]:
            key = (frame["dir"], message["t"])
            count[key] = count.get(key, 0) + 1
    decisions = sum(bot["decisions"] for bot in match["bots"])
    for key, expected in {("in", "hello"): 2, ("out", "welcome"): 2, ("out", "match"): 2,
                          ("in", "ready"): 2, ("out", "act"): decisions,
                          ("in", "action"): decisions, ("out", "end"): 2,
                          ("out", "bye"): 2}.items():
        equal(count.get(key), expected, "%s %s" % key)


def on_a_terminal(t, *words):
    """Exit status and output of a command that has a terminal."""
    master, slave = pty.openpty()
    process = t.start([PIGPEN, *words], stdout=slave, stderr=slave)
    os.close(slave)
    text = b""
    while True:
        try:
            more = os.read(master, 65536)
        except OSError:
            break
        if not more:
            break
        text += more
    os.close(master)
    process.wait()
    return process.returncode, text.decode(errors="replace")


def commands(t, *words):
    """Every command of `pigpen`, as its words."""
    found = re.findall(r"^  ([a-z]+) +\S", t.pigpen(*words, "--help").ok().out, re.M)
    check(found, "no commands in the help of %r" % (words,))
    for name in found:
        if not words and name in ("replay", "ladder"):
            yield from commands(t, name)
        else:
            yield (*words, name)


@test
def every_command_explains_itself(t):
    for words in commands(t):
        name = "pigpen " + " ".join(words)
        text = t.pigpen(*words, "--help").ok().out
        equal(t.pigpen("help", *words).ok().out, text, "help of " + name)
        check(re.match("Usage: %s( .*)?\n[A-Z]" % name, text), "%s: %s" % (name, text))
        wide = [line for line in text.splitlines() if len(line) > 80]
        equal(wide, [], "lines of %s wider than a terminal" % name)
        bare = re.findall(r"^ +(?:-., +)?--[a-z0-9-]+(?:=\S+)?\n(?! {20})", text, re.M)
        equal(bare, [], "options of %s without help" % name)
        usage = text.split("\n", 1)[0].split()
        equal(len(set(usage[2:])), len(usage[2:]), "words said twice: %s" % usage)


@test
def a_bar_on_a_terminal(t):
    words = ("match", "dirty_pig", bad_bot(t, "sleep_a_bit", False), "first", *PATIENT,
             "--no-replay", "--seed", "oink", "--sandbox", "off")
    status, text = on_a_terminal(t, *words)
    equal(status, 0, "exit status")
    check("\r" in text and "0 of 1 matches" in text and "[" in text, "no bar: %r" % text)
    for part in ("seat", "score", "mean ms", "worst ms", "faults", "first", "ended by"):
        contains(text, part, "table")
    status, text = on_a_terminal(t, *words, "--quiet")
    check(" of 1 matches" not in text, "a bar although quiet: %r" % text)


@test
def plain_lines_elsewhere(t):
    process = t.start_pigpen("match", "dirty_pig", bad_bot(t, "hang", False), "first",
                             *PATIENT, "--no-replay")
    line = process.stderr.readline().decode()
    contains(line, "0 of 1 matches", "first line on stderr")
    check(line.endswith("\n") and "\r" not in line and "\033" not in line,
          "not plain: %r" % line)
    process.send_signal(signal.SIGINT)
    done = t.finish(process)
    contains(done.out, "match 0 is void: interrupted by SIGINT", "table")


@test
def no_replay_writes_nothing(t):
    t.pigpen("match", "dirty_pig", "first", "first", "--no-replay").ok()
    equal(os.listdir(t.folder), [], "files")


@test
def compressed_replays_are_whole(t):
    match, = play(t, "dirty_pig", ["first", "first"], "--compress").ok().json()["matches"]
    with open(match["replay"], "rb") as file:
        equal(file.read(4), b"\x28\xb5\x2f\xfd", "magic of zstd")
    t.pigpen("replay", "verify", match["replay"]).ok()


USER_ERRORS = {
    "nothing": ([], "name a game and its bots"),
    "no_such_game": (["poker", "first"], "pig_pile, pig_it_hog_it"),
    "too_few_bots": (["dirty_pig", "first"], "2 to 4 bots, not by 1"),
    "too_many_bots": (["dirty_pig"] + ["first"] * 5, "2 to 4 bots, not by 5"),
    "wrong_team_size": (["tennessee_pig", "first", "first"], "is played by 4 bots"),
    "no_such_bot": (["dirty_pig", "nobody", "first"], "there is no bot 'nobody'"),
    "no_manifest": (["dirty_pig", "/usr", "first"], "/usr holds no bot.json"),
    "no_such_option": (["dirty_pig", "first", "first", "-o", "x=1"], "it has: ask_forced"),
    "option_value": (["galloping_pigs", "first", "first", "-o", "rounds=0"],
                     "allowed: 1..30"),
    "clock": (["dirty_pig", "first", "first", "--clock", "foo=1"],
              "bank=, inc=, move=, wall="),
    "clock_unit": (["dirty_pig", "first", "first", "--clock", "move=5parsecs"],
                   "us, ms, s or min"),
    "clock_kind": (["dirty_pig", "first", "first", "--clock-kind", "sun"], "wall, cpu"),
    "on_fault": (["dirty_pig", "first", "first", "--on-fault", "cry"],
                 "forfeit, substitute"),
    "matches": (["dirty_pig", "first", "first", "--matches", "0"], "number from 1"),
    "jobs": (["dirty_pig", "first", "first", "--jobs", "many"], "number from 1"),
    "retries": (["dirty_pig", "first", "first", "--retries", "-1"], "number from 0"),
    "unknown_flag": (["dirty_pig", "first", "first", "--frobnicate"], "--frobnicate"),
    "out": (["dirty_pig", "first", "first", "--out", "/proc/nowhere"], "--no-replay"),
    "trace": (["dirty_pig", "first", "first", "--trace-wire", "/no/where"], "/no/where"),
}


@cases(**USER_ERRORS)
def user_errors(t, case):
    """Exit status 2, nothing on stdout, and what is allowed."""
    words, part = case
    done = t.pigpen("match", *words)
    equal(done.status, 2, "exit status of %s" % done)
    equal(done.out, "", "standard output")
    contains(done.err, part, "message")
    equal(os.listdir(t.folder), [], "files")


BAD_MANIFESTS = {
    "no_json": ("{", "bot.json"),
    "no_object": ("[]", "JSON object"),
    "no_command": ('{"name": "x"}', '"command" is missing'),
    "odd_command": ('{"command": [1]}', '"command" must hold strings'),
    "odd_transport": ('{"command": ["true"], "transport": "pigeon"}', '"zmq", "tcp" or "stdio"'),
    "other_game": ('{"command": ["true"], "games": ["pig_pile"]}', "does not play dirty_pig"),
    "odd_matches": ('{"command": ["true"], "matches": 0}', '"matches" must be a number'),
    "misspelt": ('{"command": ["true"], "matchs": 9, "games": ["pig_pile"]}',
                 'unknown key "matchs"'),
    "odd_name": ('{"command": ["true"], "name": "a/b"}', '"name" must'),
}


@cases(**BAD_MANIFESTS)
def bad_manifests(t, case):
    text, part = case
    t.write("odd/bot.json", text)
    done = t.pigpen("match", "dirty_pig", t.path("odd"), "first")
    equal(done.status, 2, "exit status of %s" % done)
    contains(done.err, part, "message")


@test
def output_that_cannot_be_written_is_no_success(t):
    for words in (["games"], ["match", "dirty_pig", "first", "first", "--json", "-q"]):
        with open("/dev/full", "w") as full:
            done = t.pigpen(*words, stdout=full)
        equal(done.status, 1, "exit status of " + words[0])
        contains(done.err, "the output could not be written: No space left", words[0])


main(workers=3)
