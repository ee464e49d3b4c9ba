#!/usr/bin/python3
"""Every way in which a bot can go wrong: the verdict, its evidence, and the result of
everybody else. Real processes, real sockets; the bots are in tests/bots/bad.py.
"""
import glob
import os
import signal
import stat

from harness import (bad_bot, cases, check, command_line, contains, equal, main,
                     read_replay, records_of, seen, slurp, test, wait_for)

BY_BOT, BY_FORCED, BY_FALLBACK, BY_PENALTY = range(4)
PATIENT = "move=30s"
STDERR_BYTES = 256 * 1024  # that are kept of a bot's output
# Where the point is that time runs out.
HASTY = "move=3s"


def exited(status):
    return status << 8


class Fault:
    """What a mode of bad.py must lead to."""

    def __init__(self, classes, why, phase="play", exit=None, stderr="", clause=None,
                 clock=PATIENT, bytes=None):
        self.classes = classes.split("|")
        self.why, self.phase, self.exit, self.stderr = why, phase, exit, stderr
        self.clause, self.clock, self.bytes = clause, clock, bytes


MID_GAME = {
    "hang": Fault("timeout", "no answer to turn 2 within its 3000 ms", clock=HASTY),
    "late_answer": Fault("timeout", "no answer to turn 2", clock=HASTY),
    "chatter": Fault("timeout", "of its messages answered no open question", clock=HASTY),
    "half_frame": Fault("timeout", "no answer to turn 1", clock=HASTY),
    "endless_multipart": Fault("malformed", "several parts", clause="multipart"),
    "stderr_flood_forever": Fault("timeout", "no answer to turn 2", clock=HASTY,
                                  stderr="oink"),
    "flood_frames": Fault("flood", "more messages", clause="flood"),
    "exit_mid_decision": Fault("crash", "exited with status 7", exit=exited(7),
                               stderr="I give up"),
    "segv": Fault("crash", "killed by SIGSEGV", exit=signal.SIGSEGV),
    "grandchild": Fault("crash", "exited with status 9", exit=exited(9),
                        stderr="the parent leaves"),
    "drop": Fault("disconnect", "connection was lost", clock=HASTY),
    "reconnect_without_secret": Fault("disconnect", "connection was lost", clock=HASTY),
    "colossal": Fault("oversize", "", clause="oversize"),
    "bye": Fault("disconnect", "said bye"),
    "illegal": Fault("illegal", "answered turn 2 against choice", clause="choice"),
    "illegal_action": Fault("illegal", "answered turn 2 against"),
    "choice_range": Fault("malformed", "", clause="range"),
    "not_map": Fault("malformed", "map", clause="not_map", bytes="93010203"),
    "not_msgpack": Fault("malformed", "", clause="encoding", bytes="c1c1c1"),
    "unknown_type": Fault("malformed", "dance", clause="unknown"),
    "empty": Fault("malformed", "", clause="empty"),
    "truncated": Fault("malformed", "", clause="truncated"),
    "two_messages": Fault("malformed", "", clause="trailing"),
    "nesting_bomb": Fault("malformed", "", clause="nesting"),
    "map_bomb": Fault("malformed|oversize", ""),
    "huge_string": Fault("oversize", "", clause="oversize"),
    "huge_note": Fault("oversize", "", clause="oversize"),
    "oversize": Fault("oversize", "", clause="oversize"),
    "oversize_again": Fault("oversize", "", clause="oversize"),
    "not_msgpack_again": Fault("malformed", ""),
    "multipart": Fault("malformed", "", clause="multipart"),
    "flood": Fault("flood", "", clause="flood"),
}

STARTUP = {
    "no_hello": Fault("startup", "hello: no hello within 10000 ms", phase="start",
                      stderr="I connect and keep silent"),
    "late_hello": Fault("startup", "hello: no hello within 10000 ms", phase="start"),
    "not_zmtp": Fault("startup", "bytes that no ZeroMQ DEALER socket sends", phase="start"),
    "half_greeting": Fault("startup", "hello: no hello within 10000 ms", phase="start"),
    "wrong_token": Fault("startup", "hello: exited with status 1", phase="start",
                         exit=exited(1), stderr="the arbiter says: token"),
    "wrong_version": Fault("startup", "hello: exited with status 1", phase="start",
                           exit=exited(1), stderr="the arbiter says: version"),
    "not_hello": Fault("startup", "hello: exited with status 1", phase="start",
                       exit=exited(1), stderr="the arbiter says: no_hello"),
    "exit_at_start": Fault("startup", "hello: exited with status 3", phase="start",
                           exit=exited(3), stderr="ModuleNotFoundError: zmq"),
}

HARMLESS = ["bot", "slow_hello", "close_all", "stdout_noise", "stderr_flood", "notes",
            "ignores_bye", "leaves_children", "second_connection", "other_turns"]


def play(t, game, bots, *more, clock=PATIENT):
    done = t.pigpen("match", game, *bots, "--seed", "pigs", "--clock", clock, "--json",
                    "--out", t.path("replays"), *more)
    return done, done.json()


def check_fault(done, fault, expected, seat):
    """Class, evidence, and what the person at the terminal is told."""
    equal(fault["seat"], seat, "seat")
    check(fault["class"] in expected.classes, "class is %s: %s" % (fault["class"], done))
    equal(fault["phase"], expected.phase, "phase")
    contains(fault["why"], expected.why, "why")
    equal(fault["exit"], expected.exit, "exit status")
    contains(fault["stderr"], expected.stderr, "last line of stderr")
    if expected.clause:
        equal(fault["clause"], expected.clause, "clause")
    if expected.bytes:
        equal(fault["bytes"], expected.bytes, "bytes that were sent")
    elif fault["class"] in ("illegal", "malformed", "oversize", "flood") \
            and fault["clause"] != "empty":
        check(fault["bytes"], "no bytes as evidence")
    line = [part for part in done.err.splitlines() if "pigpen: match" in part][0]
    for part in ("seat %d (bad)" % seat, fault["class"], expected.why, expected.stderr,
                 "what to do"):
        contains(line, part, "message on stderr")


def check_replay_fault(path, fault, verdict):
    """The replay says the same."""
    record, = records_of(path, "fault")
    for key in ("seat", "class", "phase", "turn", "why", "exit"):
        equal(record[key], fault[key], "the replay's " + key)
    equal(record["clause"] or "", fault["clause"], "the replay's clause")
    equal((record["bytes"] or b"").hex(), fault["bytes"], "the replay's bytes")
    equal(record["stderr"] or "", fault["stderr"], "the replay's stderr")
    equal(record["verdict"], verdict, "the replay's verdict")
    if fault["class"] == "timeout":
        check(record["budget"] > 0 and record["overrun"] >= 0, "no times in the replay")


def check_complete(match):
    records = read_replay(match["replay"])
    equal(records[-1][0], "seal", "last record of the replay")
    equal(stat.S_IMODE(os.stat(match["replay"]).st_mode), 0o600, "mode of the replay")
    return records


def check_others_unharmed(match, offender):
    """The others have played a whole game and are ranked among themselves."""
    check(match["reason"] != "forfeit", "the match was broken off")
    seats = len(match["ranks"])
    others = [s for s in range(seats) if s != offender]
    equal(match["ranks"][offender], seats, "rank of the offender")
    for s in others:
        better = sum(match["scores"][o] > match["scores"][s] for o in others)
        equal(match["ranks"][s], 1 + better, "rank of seat %d" % s)
        check(match["bots"][s]["decisions"] > 0, "seat %d was never asked" % s)
    records = check_complete(match)
    fault_at = [kind for kind, _ in records].index("fault")
    for kind, value in records[fault_at:]:
        if kind == "action" and value[0] == offender:
            check(value[1] in (BY_FORCED, BY_FALLBACK), "the offender still plays")


def check_clean(match):
    equal(match["void"], None, "void")
    equal(match["faults"], [], "faults")
    check_complete(match)


@cases(**{mode: (mode, MID_GAME[mode]) for mode in MID_GAME})
def three_at_a_table(t, case):
    """The others finish properly; a new process of the same bot plays the next match."""
    mode, expected = case
    done, result = play(t, "galloping_pigs", ["first", bad_bot(t, mode), "first"],
                        "--matches", "3", clock=expected.clock)
    equal(len(result["matches"]), 3, "matches played")
    first = result["matches"][0]
    equal(len(first["faults"]), 1, "faults of the first match")
    check_fault(done, first["faults"][0], expected, 1)
    check_replay_fault(first["replay"], first["faults"][0], "substitute")
    check_others_unharmed(first, 1)
    t.pigpen("replay", "verify", first["replay"]).ok()
    for match in result["matches"][1:]:
        check_clean(match)
    equal(done.status, 0, "exit status")


@cases(**{mode: (mode, MID_GAME[mode]) for mode in MID_GAME})
def two_at_a_table(t, case):
    """The match ends with the other as winner."""
    mode, expected = case
    done, result = play(t, "dirty_pig", [bad_bot(t, mode), "first"], "--matches", "2",
                        clock=expected.clock)
    first, second = result["matches"]
    check_fault(done, first["faults"][0], expected, 0)
    check_replay_fault(first["replay"], first["faults"][0], "forfeit")
    equal(first["ranks"], [2, 1], "ranks")
    equal(first["reason"], "forfeit", "reason")
    check_complete(first)
    check_clean(second)


@cases(**{mode: (mode, STARTUP[mode]) for mode in STARTUP})
def bots_that_do_not_start(t, case):
    """The others play the match that was due; no more are tried."""
    mode, expected = case
    done, result = play(t, "galloping_pigs", ["first", "first", bad_bot(t, mode, False)],
                        "--matches", "2")
    equal(len(result["matches"]), 1, "matches played")
    match, = result["matches"]
    check_fault(done, match["faults"][0], expected, 2)
    check_replay_fault(match["replay"], match["faults"][0], "substitute")
    check_others_unharmed(match, 2)
    equal(done.status, 1, "exit status")
    equal(result["finished"], False, "finished")


@cases(**{mode: mode for mode in HARMLESS})
def odd_but_no_fault(t, mode):
    done, result = play(t, "galloping_pigs", ["first", bad_bot(t, mode, False), "first"],
                        "--matches", "2")
    for match in result["matches"]:
        check_clean(match)
    equal(done.status, 0, "exit status")
    if mode == "stderr_flood":
        log, = glob.glob(t.path("replays/logs/bad-*"))
        size = os.stat(log).st_size
        check(0 <= size - STDERR_BYTES < 1000, "%d bytes were kept of the flood" % size)
        equal(stat.S_IMODE(os.stat(log).st_mode), 0o600, "mode of the log")
    if mode == "notes":
        notes = [value[10] for value in records_of(match["replay"], "action")
                 if value[0] == 1 and value[1] == BY_BOT]
        check(notes and all(note == "n" * 1024 for note in notes), "notes are missing")
    if mode == "second_connection":
        codes = [entry["code"] for entry in seen(t.path("bad"))]
        equal(codes[:4], ["live", "live", "secret", "live"], "refusals")
    if mode == "other_turns":
        for match in result["matches"]:
            equal(match["bots"][1]["dropped"], 4, "answers counted and dropped")
            equal(records_of(match["replay"], "result")[0]["dropped"], [0, 4, 0],
                  "the replay's count")


@test
def no_ready(t):
    """Between `match` and `ready` the phase is named."""
    done, result = play(t, "galloping_pigs", ["first", "first", bad_bot(t, "no_ready")],
                        "--matches", "2")
    first, second = result["matches"]
    check_fault(done, first["faults"][0],
                Fault("timeout", "ready: no `ready` within", phase="ready"), 2)
    check_others_unharmed(first, 2)
    check_clean(second)


@test
def exit_between_matches(t):
    """Nobody else is harmed; if the next match was already offered, it is a crash."""
    done, result = play(t, "galloping_pigs",
                        ["first", bad_bot(t, "exit_between", False), "first"],
                        "--matches", "6")
    equal(len(result["matches"]), 6, "matches played")
    equal(done.status, 0, "exit status")
    for match in result["matches"]:
        if match["faults"]:
            check_fault(done, match["faults"][0],
                        Fault("crash", "exited with status 0", phase="ready",
                              exit=exited(0)), 1)
            check_others_unharmed(match, 1)
        else:
            check_clean(match)


@test
def exit_right_after_hello_while_the_arbiter_stands_still(t):
    """Hello and exit are there together when it goes on: neither hides the other."""
    bot = bad_bot(t, "hello_and_exit", once=False)
    for _ in range(5):
        t.write("bad/stop", "")
        run = t.start_pigpen("match", "dirty_pig", bot, "first", "--json", "--no-replay",
                             "--quiet")
        wait_for(lambda: b"\nState:\tT" in slurp(run.pid, "status") or
                 check(run.poll() is None, "it has ended without standing still"),
                 "the arbiter stands still")
        wait_for(lambda: not any("hello_and_exit" in command_line(pid)
                                 for pid in t.processes()), "the bot has gone")
        run.send_signal(signal.SIGCONT)
        fault = t.finish(run).ok().json()["matches"][0]["faults"][0]
        check(fault["class"] in ("startup", "crash") and "exited with status 0" in fault["why"],
              "the fault is %s" % fault)


@test
def a_command_that_cannot_be_run(t):
    """Known before anything is played, so it is the user's error."""
    done = t.pigpen("match", "dirty_pig", t.bot("bad", ["./not_there"]), "first")
    equal(done.status, 2, "exit status")
    contains(done.err, "not_there: No such file", "message")
    contains(done.err, "bot.json", "message")


@test
def a_command_that_is_no_program(t):
    """An interpreter that is not there shows only when it is run."""
    bot = t.bot("bad", ["./script"])
    t.write("bad/script", "#!/no/such/interpreter\n", 0o755)
    done, result = play(t, "dirty_pig", [bot, "first"])
    match, = result["matches"]
    check_fault(done, match["faults"][0],
                Fault("startup", "'./script' cannot be run", phase="start",
                      exit=match["faults"][0]["exit"]), 0)
    equal(match["ranks"], [2, 1], "ranks")


@test
def all_bots_of_a_table_fault(t):
    bots = [bad_bot(t, mode, False, "bad%d" % i)
            for i, mode in enumerate(("exit_mid_decision", "not_map", "segv"))]
    done, result = play(t, "galloping_pigs", bots, "--matches", "2")
    for match in result["matches"]:
        equal(len(match["faults"]), 3, "faults")
        equal(len(set(match["ranks"])), 1, "different ranks: %s" % match["ranks"])
        check_complete(match)


@test
def retries_ask_again(t):
    """Two refusals, each with its clause, then the answer that counts."""
    done, result = play(t, "dirty_pig", [bad_bot(t, "illegal_then_legal", False), "first"],
                        "--retries", "2")
    match, = result["matches"]
    check_clean(match)
    refusals = records_of(match["replay"], "refusal")
    equal([value[:2] for value in refusals], [[0, 2], [0, 3]], "refusals: seat and turn")
    told = seen(t.path("bad"))
    equal([entry["refused"] for entry in told], [value[2] for value in refusals],
          "clauses")
    check(all(entry["why"] for entry in told), "no reason was given")
    turns = [value[3] for value in records_of(match["replay"], "action")
             if value[0] == 0 and value[1] == BY_BOT]
    equal(turns[:2], [1, 4], "turns of the accepted answers")


@test
def retries_run_out(t):
    done, result = play(t, "dirty_pig", [bad_bot(t, "illegal_then_legal", False), "first"],
                        "--retries", "1")
    match, = result["matches"]
    check_fault(done, match["faults"][0],
                Fault("illegal", "answered turn 3 against"), 0)
    equal(len(records_of(match["replay"], "refusal")), 1, "refusals")


def revoke(t, *more):
    """A bot that plays cards it may not play; a whole match of short rounds."""
    return play(t, "pig_it_hog_it", ["first", bad_bot(t, "revoke", False), "first",
                                     "first"], "-o", "max_rounds=20", "-o", "games=1",
                *more)


@test
def an_offence_costs_points_where_the_game_says_so(t):
    """faults=penalty: no fault of the bot's; the replay says which clause it broke."""
    done, result = revoke(t, "-o", "faults=penalty")
    match, = result["matches"]
    check_clean(match)
    check(match["reason"] != "forfeit", "the match was broken off")
    punished = [value for value in records_of(match["replay"], "action")
                if value[1] == BY_PENALTY]
    check(punished, "nothing was punished")
    for value in punished:
        equal(value[0], 1, "seat")
        check(value[11].startswith("PIHI-"), "clause: %s" % value[11])


@test
def the_same_offence_is_illegal_otherwise(t):
    done, result = revoke(t)
    match, = result["matches"]
    fault, = match["faults"]
    equal(fault["class"], "illegal", "class")
    check(fault["clause"].startswith("PIHI-"), "clause: %s" % fault["clause"])
    equal(match["reason"], "forfeit", "reason")


@test
def forfeit_at_a_table_of_three(t):
    """The match ends; the others share the first place."""
    done, result = play(t, "galloping_pigs", ["first", bad_bot(t, "segv"), "first"],
                        "--on-fault", "forfeit", "--matches", "2")
    first, second = result["matches"]
    check_fault(done, first["faults"][0], MID_GAME["segv"], 1)
    check_replay_fault(first["replay"], first["faults"][0], "forfeit")
    equal(first["ranks"], [1, 3, 1], "ranks")
    equal(first["reason"], "forfeit", "reason")
    check_clean(second)


@test
def substitute_at_a_table_of_two(t):
    """The game goes to its end and the offender is last whatever the cards say."""
    done, result = play(t, "dirty_pig", ["first", bad_bot(t, "segv")],
                        "--on-fault", "substitute")
    match, = result["matches"]
    check_fault(done, match["faults"][0], MID_GAME["segv"], 1)
    check_replay_fault(match["replay"], match["faults"][0], "substitute")
    check(match["reason"] != "forfeit", "the match was broken off")
    equal(match["ranks"], [1, 2], "ranks")


@test
def a_partner_shares_the_loss(t):
    """Two teams: a forfeit is the whole team's."""
    done, result = play(t, "pig_it_hog_it",
                        ["first", "first", bad_bot(t, "segv", False), "first"])
    match, = result["matches"]
    team = match["teams"][2]
    for seat in range(4):
        lost = match["teams"][seat] == team
        equal(match["ranks"][seat], 3 if lost else 1, "rank of seat %d" % seat)
    equal(match["reason"], "forfeit", "reason")


@test
def a_bot_that_never_reads(t):
    """The arbiter does not wait for it: when its queue is full, it is out."""
    bot = bad_bot(t, "never_reads", False, matches=4096)
    done, result = play(t, "dirty_pig", [bot, "first"], "--matches", "2500", "--jobs",
                        "2500", "--no-replay")
    equal(len(result["matches"]), 2500, "matches played")
    for match in result["matches"]:
        fault, = match["faults"]
        equal((fault["seat"], fault["class"]), (0, "disconnect"), "seat and class")
        contains(fault["why"], "does not read what is sent to it", "why")
        equal(match["ranks"], [2, 1], "ranks")


@test
def many_matches_at_once(t):
    """One bot goes wrong while eight matches are under way: only its process's own
    matches are touched, and everything is played."""
    bots = ["first", bad_bot(t, "exit_mid_decision"), "first"]
    done, result = play(t, "galloping_pigs", bots, "--matches", "40", "--jobs", "8")
    equal(len(result["matches"]), 40, "matches played")
    faulted = [match for match in result["matches"] if match["faults"]]
    check(1 <= len(faulted) <= 8, "%d matches with faults" % len(faulted))
    for match in result["matches"]:
        equal(match["void"], None, "void")
        check_complete(match)
        if match["faults"]:
            check_others_unharmed(match, 1)


@test
def nothing_is_left_of_grandchildren(t):
    """While the bot plays they live; when it is over nobody does."""
    play(t, "galloping_pigs", ["first", bad_bot(t, "leaves_children"), "first"])
    equal(t.processes(), [], "processes after the end of pigpen")


main(workers=4)
