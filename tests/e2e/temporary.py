#!/usr/bin/python3
"""Temporary folders: whatever ends a command, nothing stays, or the next one removes it."""
import os
import signal
import subprocess

from harness import PIGPEN, PYTHON, cases, check, equal, main, skip, test, wait_for
from support.ladders import ladder

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
# With whom a command is still busy when the signal comes.
SILENT = "import time\ntime.sleep(3600)\n"


def silent_bot(t):
    bot = t.bot("silent", [PYTHON, "bot.py"])
    t.write("silent/bot.py", SILENT)
    return bot


def boxed():
    return subprocess.run([PIGPEN, "doctor"], capture_output=True).returncode == 0


def files_below(folder):
    return [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]


COMMANDS = {
    "match": lambda t: ["match", "dirty_pig", silent_bot(t), "random", "--no-replay",
                        "--sandbox", "off"],
    "check_talking": lambda t: ["check", silent_bot(t)],
    "check_playing": lambda t: ["check", "random", "--sandbox", "off"],
    "compare": lambda t: ["compare", "random", "random", "--game", "dirty_pig", "-q"],
    "ladder": lambda t: ["ladder", "run", ladder(t, "random", "first"), "--for", "1h"],
}


@cases(**{name: name for name in COMMANDS})
def nothing_stays_whatever_ends_a_command(t, name):
    if name == "check_talking" and not boxed():
        skip("only a sandboxed bot talks on a socket in a folder")
    base = t.path("r")
    os.mkdir(base)
    words = COMMANDS[name](t)
    for number in SIGNALS:
        process = t.start([PIGPEN, *words], env={"XDG_RUNTIME_DIR": base})
        wait_for(lambda: files_below(base) or process.poll() is not None, "files")
        check(process.poll() is None, lambda: "it has ended: %s" % t.finish(process))
        process.send_signal(number)
        t.finish(process)
        wait_for(lambda: not t.processes(), "its children to end")
        if number == signal.SIGKILL:
            t.start([PIGPEN, "match", "dirty_pig", "random", "random", "--no-replay"],
                    env={"XDG_RUNTIME_DIR": base}).communicate()
        equal(os.listdir(base), [], "after %s" % number.name)


@test
def nothing_of_a_selftest_stays(t):
    for number in SIGNALS:
        process = t.start([PIGPEN, "selftest", "--up-to", "1"])

        def folder():
            for fd in os.listdir("/proc/%d/fd" % process.pid):
                try:
                    path = os.readlink("/proc/%d/fd/%s" % (process.pid, fd))
                except OSError:
                    continue
                if "pigpen-tmp-" in path and os.path.isdir(path):
                    return path
            return None
        path = wait_for(folder, "its folder")
        wait_for(lambda: files_below(path), "files")
        process.send_signal(number)
        t.finish(process)
        wait_for(lambda: not t.processes(), "its children to end")
        if number == signal.SIGKILL:
            t.pigpen("match", "dirty_pig", "random", "random", "--no-replay").ok()
        check(not os.path.exists(path), "%s is left after %s" % (path, number.name))


main()
