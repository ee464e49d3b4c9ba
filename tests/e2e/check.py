#!/usr/bin/python3
"""The conformance check: it passes what is right and names the step that is not."""
import contextlib
import json
import os
import shutil
import signal
import time

from harness import (PATIENCE_S, PYTHON, ROOT, bad_bot, cases, check, contains, equal, main,
                     skip, slurp, test)
from support.ladders import children, player

# The first step that a mode of tests/bots/bad.py must fail.
WRONG = {
    **dict.fromkeys((
        "no_hello", "late_hello", "exit_at_start", "wrong_token", "wrong_version",
        "not_hello", "not_zmtp", "half_greeting"), "hello"),
    "no_ready": "welcome and ready",
    **dict.fromkeys((
        "hang", "late_answer", "chatter", "half_frame", "endless_multipart", "drop",
        "exit_mid_decision", "segv", "grandchild", "bye", "illegal", "illegal_action",
        "choice_range", "not_map", "not_msgpack", "unknown_type", "empty", "truncated",
        "two_messages", "nesting_bomb", "map_bomb", "huge_string", "huge_note",
        "oversize", "colossal", "multipart", "flood", "flood_frames",
        "stderr_flood_forever"), "answers with choice or action"),
    "ignores_bye": "quits on bye",
}


# A check is several whole matches. The bot in bash starts a program for each question,
# thousands in all, which a machine that starts them slowly may take minutes for.
CHECK_S = 5 * PATIENCE_S


def run_check(t, bot, *more, env=None):
    done = t.pigpen("check", bot, "--json", *more, env=env, seconds=CHECK_S)
    report = done.json()
    equal(report["passed"], done.status == 0, "`passed` against the exit status")
    return report


def first_failure(report):
    failed = [s for s in report["steps"] if s["verdict"] == "fail"]
    return failed[0] if failed else None


@cases(**{name.replace("/", "_"): name for name in (
    "c/random", "c/first", "c/greedy", "c/search", "python/random", "python/greedy",
    "javascript/random", "bash/dirty_pig")})
def a_sample_bot_passes(t, name):
    if name.startswith("javascript") and not shutil.which("node"):
        skip("needs node (make deps-test)")
    report = run_check(t, name, "--clock", "bank=0s,inc=0s,move=60s",
                       env={"SEARCH_ITERATIONS": "50"})
    check(report["passed"], lambda: json.dumps(first_failure(report), indent=1))


@test
def a_host_that_is_starved_is_not_the_bots_fault(t):
    """The bot is late once, while the arbiter's sentinel is kept from running: that match
    is void, and played again."""
    bot = player(t, "late", on_act="""
        if os.path.exists("now") and not os.path.exists("was_late"):
            open("was_late", "w").close(); __import__("time").sleep(2.5)""".strip())
    run = t.start_pigpen("check", bot, "-g", "dirty_pig", "--json", "--clock",
                         "bank=0s,inc=0s,move=2s")
    stopped = set()
    while run.poll() is None:
        for pid in set(children(run.pid)) - stopped:
            if slurp(pid, "comm").strip() == b"pigpen-sentinel":
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
                stopped.add(pid)
                t.write("late/now", "")
        time.sleep(0.005)
    done = t.finish(run)
    check(os.path.exists(bot + "/was_late"), "it was never late")
    check(done.json()["passed"], lambda: json.dumps(first_failure(done.json()), indent=1))


@cases(c="c/first", python="python/greedy", javascript="javascript/random",
       bridge="bash/dirty_pig")
def a_bot_on_an_sdk_comes_back(t, name):
    """A sandbox leaves no network to come back over."""
    if name.startswith("javascript") and not shutil.which("node"):
        skip("needs node (make deps-test)")
    report = run_check(t, name, "-g", "dirty_pig", "--sandbox", "off")
    verdict = {s["name"]: s["verdict"] for s in report["steps"]}
    equal(verdict["resume after a lost connection"], "pass", "resume")


@test
def every_seat_count_is_played_with_all(t):
    report = run_check(t, "c/first", "--all", "-g", "pig_pile")
    names = [s["name"] for s in report["steps"]]
    for seats in range(3, 13):
        check("Pig Pile, %d seats" % seats in names, "%d seats: %s" % (seats, names))


@cases(**WRONG)
def a_bad_bot_fails_at_its_step(t, wanted):
    mode = t.name.split("[")[1].rstrip("]")
    report = run_check(t, bad_bot(t, mode, once=False), "-g", "dirty_pig",
                       "--clock", "move=2s")
    failure = first_failure(report)
    check(failure, "nothing failed")
    equal(failure["name"], wanted, "first failed step (%s)" % failure["why"])
    check(failure["why"], "no reason is given")


@test
def offending_bytes_are_shown(t):
    report = run_check(t, bad_bot(t, "not_msgpack"), "-g", "dirty_pig")
    equal(first_failure(report)["bytes"], "c1c1c1", "bytes")


@test
def last_words_are_shown(t):
    report = run_check(t, bad_bot(t, "exit_mid_decision"), "-g", "dirty_pig")
    contains(first_failure(report)["why"], "I give up", "why")


@test
def a_process_left_behind_fails(t):
    folder = os.path.join(t.folder, "left")
    os.mkdir(folder)
    t.wrote_bots = True
    script = os.path.join(ROOT, "sample_bots/python/random/random_bot.py")
    with open(os.path.join(folder, "bot.json"), "w") as file:
        json.dump({"name": "left", "games": ["dirty_pig"], "command": [
            "/bin/sh", "-c", "sleep 1000 & exec %s %s" % (PYTHON, script)]}, file)
    failure = first_failure(run_check(t, folder))
    equal(failure["name"], "leaves no process", "failed step")


@test
def a_bot_that_claims_to_be_deterministic_and_is_not_fails(t):
    folder = os.path.join(t.folder, "fickle")
    os.mkdir(folder)
    t.wrote_bots = True
    with open(os.path.join(folder, "fickle.py"), "w") as file:
        file.write("import random, sys\n"
                   "sys.path.insert(0, %r)\n"
                   "import pigpen\n"
                   "class Fickle(pigpen.Bot):\n"
                   "    def act(self, match, act):\n"
                   "        return random.randrange(len(act.legal))\n"
                   "pigpen.run(Fickle())\n" % os.path.join(ROOT, "sample_bots/python/sdk"))
    with open(os.path.join(folder, "bot.json"), "w") as file:
        json.dump({"name": "fickle", "games": ["dirty_pig"], "deterministic": True,
                   "command": [PYTHON, "fickle.py"]}, file)
    failure = first_failure(run_check(t, folder))
    equal(failure["name"], "deterministic given rng", "failed step")


@test
def errors_say_what_is_allowed(t):
    done = t.pigpen("check", "no_such_bot")
    equal(done.status, 2, "status")
    contains(done.err, "bot.json", "message")
    done = t.pigpen("check", "random", "-g", "chess")
    equal(done.status, 2, "status")
    contains(done.err, "dirty_pig", "message")


main(workers=4)
