#!/usr/bin/python3
"""`pigpen bridge` against a ROUTER: lines pass both ways, and whatever goes wrong on the
child's side is said with the number of the line and leaves no process behind."""
import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests/sdk"))

from conversation import Arbiter, LIMITS, PATIENCE_MS, SECRET, act, match, same  # noqa: E402

PIGPEN = os.environ.get("PIGPEN", os.path.join(ROOT, "pigpen"))
READY = '{"t":"ready","match":1}'


def group_members(group):
    """Processes of a process group that are alive."""
    members = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open("/proc/%s/stat" % pid) as stat:
                state, _, pgrp = stat.read().rpartition(")")[2].split()[:3]
            if int(pgrp) == group and state not in "ZX":
                members.append(int(pid))
    return members


class Bridge(Arbiter):
    """An arbiter whose bot is a bridge to a shell script. The script first writes down
    its process group, of which nobody may be left in the end."""

    def __init__(self, script, *options, **more):
        self.scratch = tempfile.mkdtemp(prefix="pigpen-bridge-")
        self.group_file = os.path.join(self.scratch, "group")
        super().__init__(
            [PIGPEN, "bridge", *options, "--", "sh", "-c", 'echo $$ >"$GROUP"; ' + script],
            environment={"GROUP": self.group_file}, **more)
        self.group = int(wait_for(self.read_group, "the script has not started"))

    def read_group(self):
        with contextlib.suppress(FileNotFoundError):
            with open(self.group_file) as file:
                return file.read()

    def __exit__(self, kind, *rest):
        if kind is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.group, signal.SIGKILL)
        super().__exit__(kind, *rest)
        shutil.rmtree(self.scratch)
        if kind is None:
            wait_for(lambda: not group_members(self.group), "somebody is left behind")


def wait_for(condition, why):
    """Returns what the condition returns once it is true."""
    by = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < by:
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(why)


def passes_lines_both_ways():
    with Bridge('read -r a; read -r b; echo "$b" >&2; echo \'%s\'; cat >&2' % READY,
                "--name", "shell", "--bot-version", "3", "--lang", "sh", "--matches", "4",
                "--events") as arbiter:
        same(arbiter.greet(), {"t": "hello", "v": [1], "token": "token", "name": "shell",
                               "version": "3", "lang": "sh", "matches": 4, "events": True,
                               "batch": True})
        arbiter.send(match(1))
        same(arbiter.message(), {"t": "ready", "match": 1})
        arbiter.send({"t": "event", "match": 1, "events": [{"e": "draw"}]},
                     act(1, 1, {"hand": ["mud"]}))
        arbiter.send({"t": "bye"})
        seen = [json.loads(line) for line in arbiter.ended(0).splitlines()]
        same([m["t"] for m in seen], ["match", "event", "act", "bye"])
        same(seen[0]["rng"], {"bin": bytes(range(1, 33)).hex()})
        same(seen[2]["view"], {"hand": ["mud"]})


def names_itself_after_the_command():
    with Bridge("cat >/dev/null") as arbiter:
        hello = arbiter.greet()
        same(hello["name"], "sh")


def fails_with(expected, script, status=1, **more):
    """The bridge ends with this on stderr once it is welcomed."""
    with Bridge(script, **more) as arbiter:
        arbiter.greet()
        stderr = arbiter.ended(status)
        assert expected in stderr, "expected %r in %r" % (expected, stderr)


def names_a_line_that_is_not_json():
    fails_with("pigpen bridge: line 2 of sh: not JSON: ",
               "echo '%s'; echo 'debug: my hand is good'; sleep 1000" % READY)
    fails_with(": debug: my hand is good\n", "echo 'debug: my hand is good'; cat")
    fails_with("pigpen bridge: line 1 of sh: not JSON: ", "echo; cat >/dev/null")


def names_a_line_that_is_no_message():
    fails_with("ready.match: is missing", 'echo \'{"t":"ready"}\'; cat >/dev/null')
    fails_with("the bridge says hello", 'echo \'{"t":"hello","v":[1],"token":"x"}\'; cat')
    fails_with("line 1 of sh: ", "echo '[1]'; cat >/dev/null")


def refuses_a_line_without_end():
    fails_with("line 1 of sh is longer than",
               "head -c 3000000 /dev/zero | tr '\\0' x; sleep 1000")


def says_how_the_child_ended():
    fails_with("sh exited with status 3 before bye, after 0 lines", "read -r a; exit 3")
    fails_with("sh exited with status 0 before bye, after 1 lines",
               "read -r a; echo '%s'" % READY)
    fails_with("sh killed by SIGKILL (Killed) before bye", "read -r a; kill -9 $$")
    fails_with("its last line has no newline", "read -r a; printf '{'; exit 0")


def says_that_a_pipe_was_closed():
    fails_with("sh has closed its output after 0 lines, but runs on",
               "exec >&-; exec sleep 1000")
    with Bridge("exec 0<&-; exec sleep 1000") as arbiter:
        arbiter.greet()
        # The bridge notices it when it writes.
        wait_for(lambda: not os.path.exists("/proc/%d/fd/0" % arbiter.group), "open input")
        arbiter.send(match(1))
        assert "sh has closed its input after 0 lines, but runs on" in arbiter.ended(1)


def hints_at_buffered_output():
    with Bridge("printf '{'; exec cat >/dev/null") as arbiter:
        arbiter.greet()
        arbiter.send(match(1))
        hint = "has written no whole line; if it has answered, its output is buffered"
        wait_for(lambda: hint in "".join(arbiter.stderr), "no hint")


def says_that_a_command_cannot_be_started():
    with Arbiter([PIGPEN, "bridge", "--", "./no-such-program"]) as arbiter:
        assert "cannot start './no-such-program': No such file" in arbiter.ended(2)
    with Arbiter([PIGPEN, "bridge"]) as arbiter:
        assert "name the program to run" in arbiter.ended(2)


def kills_a_child_that_stays_after_bye():
    with Bridge("trap '' TERM; while :; do sleep 1000; done") as arbiter:
        arbiter.greet()
        arbiter.send({"t": "bye"})
        assert "did not end within 1000 ms after bye" in arbiter.ended(1)


def keeps_the_status_of_a_child_that_leaves():
    with Bridge("cat >/dev/null; exit 5") as arbiter:
        arbiter.greet()
        arbiter.send({"t": "bye"})
        same(arbiter.ended(5), "")
    with Bridge('read -r a; echo \'{"t":"bye"}\'; exit 0') as arbiter:
        arbiter.greet()
        same(arbiter.message(), {"t": "bye"})
        same(arbiter.ended(0), "")


def ends_with_the_arbiter():
    with Bridge("sleep 1000 & cat >/dev/null") as arbiter:
        arbiter.greet()
        arbiter.router.close(0)
        assert "the arbiter has gone without a bye" in arbiter.ended(1)


def ends_its_child_when_it_is_ended():
    with Bridge("sleep 1000 & cat >/dev/null; wait") as arbiter:
        arbiter.greet()
        arbiter.send(match(1))
        arbiter.bot.terminate()
        arbiter.ended(128 + 15)
    with Bridge("exec cat >/dev/null") as arbiter:
        arbiter.greet()
        arbiter.bot.kill()
        arbiter.ended(-9)


def resumes_for_its_child():
    script = "echo '%s'; while read -r line; do echo \"$line\" >&2; done" % READY
    with Bridge(script, transport="tcp") as arbiter:
        first = arbiter.greet()
        same(arbiter.message(), {"t": "ready", "match": 1})
        arbiter.restart()
        same(arbiter.message(), {**first, "secret": SECRET})
        arbiter.send({"t": "error", "code": "live", "why": "the old connection lives"})
        same(arbiter.message(), {**first, "secret": SECRET})
        arbiter.send(
            {"t": "welcome", "v": 1, "session": 7, "secret": SECRET, "limits": LIMITS},
            {**match(1), "t": "resume", "view": {}}, {"t": "bye"})
        lines = arbiter.ended(0).splitlines()
        said = [line for line in lines if not line.startswith("{")]
        same(said, ["pigpen bridge: the connection to %s is lost; trying again"
                    % arbiter.endpoint])
        seen = [json.loads(line)["t"] for line in lines if line.startswith("{")]
        same(seen, ["welcome", "welcome", "resume", "bye"])


CASES = [
    passes_lines_both_ways, names_itself_after_the_command, names_a_line_that_is_not_json,
    names_a_line_that_is_no_message, refuses_a_line_without_end, says_how_the_child_ended,
    says_that_a_pipe_was_closed, hints_at_buffered_output,
    says_that_a_command_cannot_be_started, kills_a_child_that_stays_after_bye,
    keeps_the_status_of_a_child_that_leaves, ends_with_the_arbiter,
    ends_its_child_when_it_is_ended, resumes_for_its_child]


def main():
    failed = 0
    for case in CASES:
        try:
            case()
            print("ok   bridge %s" % case.__name__, flush=True)
        except Exception:
            failed += 1
            print("FAIL bridge %s\n%s" % (case.__name__, traceback.format_exc()), flush=True)
    print("%d passed, %d failed" % (len(CASES) - failed, failed))
    sys.exit(1 if failed else 0)


main()
