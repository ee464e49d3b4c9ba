"""What every end-to-end script shares: running pigpen, waiting, checking, counting.

    #!/usr/bin/python3
    from harness import check, equal, main, test

    @test
    def two_random_bots_finish(t):
        done = t.pigpen("match", "dirty_pig", "random", "random", "--json")
        equal(done.status, 0, "exit status")
        equal(len(done.json()["matches"]), 1, "matches")

    main()

A test gets a folder of its own (`t.folder`, also the working directory of what it
runs) that is removed afterwards, and fails if a process that it started, directly or
not, is still there at its end. main() prints a line for each test, what went wrong,
and at last `N passed, M failed[, K skipped]`. Names given on the command line select
tests.

The program is ./pigpen of this tree, or the one named by the environment variable
PIGPEN.
"""
import contextlib
import hashlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PIGPEN = os.path.abspath(os.environ.get("PIGPEN", os.path.join(ROOT, "pigpen")))
PYTHON = "/usr/bin/python3"

# How long something that must happen may take on a machine that is busy with other
# things. Nothing is proved by a shorter limit.
PATIENCE_S = 120

# Every process of a test carries this variable, whoever started it.
MARKER = "PIGPEN_TEST_MARKER"

_tests = []


class Failed(Exception):
    """A check did not hold."""


class Skipped(Exception):
    """Something that the test needs is not on this machine."""


def test(function):
    """Registers a test; its name, with spaces, is what it proves."""
    _tests.append((function.__name__, function, ()))
    return function


def cases(**named):
    """Registers one test for each name; the value is passed after `t`."""
    def register(function):
        for name, value in named.items():
            _tests.append(("%s[%s]" % (function.__name__, name), function, (value,)))
        return function
    return register


def check(condition, message):
    if not condition:
        raise Failed(message() if callable(message) else message)


def equal(actual, expected, what):
    if actual != expected:
        raise Failed("%s: expected %r, got %r" % (what, expected, actual))


def contains(text, part, what):
    if part not in text:
        raise Failed("%s: expected it to hold %r; it is:\n%s" % (what, part, text))


def skip(reason):
    raise Skipped(reason)


def wait_for(condition, what, seconds=PATIENCE_S):
    """Waits until condition() is true and returns its value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed("waited %d s in vain for: %s" % (seconds, what))
        time.sleep(0.02)


class Done:
    """A command that has ended."""

    def __init__(self, command, status, out, err):
        self.command, self.status, self.out, self.err = command, status, out, err

    def json(self):
        """The standard output as JSON."""
        try:
            return json.loads(self.out)
        except ValueError as error:
            raise Failed("no JSON (%s) from %s" % (error, self)) from None

    def ok(self):
        """Itself, if the exit status was 0."""
        check(self.status == 0, lambda: "failed: %s" % self)
        return self

    def __str__(self):
        return "%s\nstatus %s\nstdout:\n%s\nstderr:\n%s" % (
            " ".join(self.command), self.status, self.out[-4000:], self.err[-4000:])


class Test:
    """What a test function is given."""

    def __init__(self, name):
        self.name = name
        self.folder = tempfile.mkdtemp(prefix="pigpen-e2e-")
        self.marker = secrets.token_hex(16)
        self.started = []
        self.wrote_bots = False

    def environment(self, env=None):
        return {**os.environ, MARKER: self.marker, "LC_ALL": "C.UTF-8", **(env or {})}

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text, mode=0o644):
        """A file in the test's folder; returns its path."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def bot(self, name, command, **manifest):
        """A folder with a bot.json that runs `command`; returns its path."""
        self.wrote_bots = True
        self.write(name + "/bot.json", json.dumps(
            {"name": name, "version": "1", "command": command, **manifest}))
        return self.path(name)

    def start(self, command, env=None, **options):
        """Starts a command without waiting; a Popen with pipes for its output."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, "cwd": self.folder, **options}
        process = subprocess.Popen(command, env=self.environment(env), **options)
        self.started.append(process)
        return process

    def finish(self, process, seconds=PATIENCE_S):
        """Waits for a started command and returns what it said."""
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise Failed("no end within %d s: %s" % (seconds, Done(
                process.args, "killed", text(out), text(err)))) from None
        return Done(process.args, process.returncode, text(out), text(err))

    def run(self, *command, env=None, seconds=PATIENCE_S, **options):
        return self.finish(self.start(list(command), env, **options), seconds)

    def pigpen(self, *words, env=None, seconds=PATIENCE_S, **options):
        return self.finish(self.start_pigpen(*words, env=env, **options), seconds)

    def start_pigpen(self, *words, env=None, **options):
        """Bots that a test has written, or that are told something in the environment,
        play outside a sandbox unless it says otherwise: their scripts lie elsewhere, and
        they note down in their folders what they see."""
        bare = self.wrote_bots or env
        if starts_bots(words) and bare and "--sandbox" not in words:
            words += ("--sandbox", "off")
        return self.start([PIGPEN, *words], env, **options)

    def processes(self):
        """Pids of all living processes of this test but the zombies."""
        return [pid for pid in all_pids() if is_marked(pid, self.marker, self.folder)]

    def close(self):
        """Ends what is left; an error text if anything was."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()
        left = self.processes()
        end = time.monotonic() + 20
        while left and time.monotonic() < end:
            time.sleep(0.05)
            left = self.processes()
        lines = ["%d %s" % (pid, command_line(pid)) for pid in left]
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
        return "processes left behind:\n" + "\n".join(lines) if lines else None


def starts_bots(words):
    """Does this command of pigpen's start the bots that it names, in a sandbox or not?"""
    return words[0] in ("match", "check") or \
        tuple(words[:2]) in (("replay", "rerun"), ("replay", "branch"))


def bad_bot(t, mode, once=True, name="bad", **manifest):
    """A bot of tests/bots/bad.py; returns the path of its folder."""
    return t.bot(name, [PYTHON, os.path.join(ROOT, "tests", "bots", "bad.py"), mode,
                        *(["once"] if once else [])], **manifest)


def seen(folder):
    """What a bad bot has noted down."""
    try:
        with open(os.path.join(folder, "seen")) as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError:
        return []


RECORDS = {1: "header", 2: "sent", 3: "chance", 4: "action", 5: "refusal", 6: "link",
           7: "fault", 8: "result", 9: "seal"}


def read_replay(path):
    """All whole records of an uncompressed replay as (name, value), read by nothing of
    Pigpen's own, with the hash chain checked."""
    import msgpack
    with open(path, "rb") as file:
        data = file.read()
    equal(data[:16], b"pigpen replay 1\n", "magic of " + path)
    chain, at, records = data[:16], 16, []
    while len(data) - at >= 5 + 16:
        size = int.from_bytes(data[at:at + 4], "little")
        end = at + 5 + size
        if end + 16 > len(data):
            break
        chain = hashlib.blake2b(chain + data[at:end], digest_size=16).digest()
        equal(data[end:end + 16], chain, "chain at byte %d of %s" % (at, path))
        records.append((RECORDS[data[at + 4]],
                        msgpack.unpackb(data[at + 5:end], strict_map_key=False)))
        at = end + 16
    return records


def records_of(path, name):
    return [value for kind, value in read_replay(path) if kind == name]


def text(data):
    return (data or b"").decode(errors="replace")


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def slurp(pid, name):
    try:
        with open("/proc/%d/%s" % (pid, name), "rb") as file:
            return file.read()
    except OSError:
        return b""


def command_line(pid):
    return slurp(pid, "cmdline").replace(b"\0", b" ").decode(errors="replace").strip()


def is_marked(pid, marker, folder):
    """By the environment it was started with, or by its command or working folder."""
    if pid == os.getpid():
        return False
    if marker.encode() in slurp(pid, "environ"):
        return True
    if folder.encode() in slurp(pid, "cmdline"):
        return True
    try:
        return os.readlink("/proc/%d/cwd" % pid).startswith(folder)
    except OSError:
        return False


def run_one(name, function, arguments):
    """(verdict, text) of one test."""
    t = Test(name)
    verdict, message = "ok", ""
    try:
        function(t, *arguments)
    except Skipped as reason:
        verdict, message = "skip", str(reason)
    except Failed as failure:
        verdict, message = "FAIL", where(failure) + str(failure)
    except Exception:
        verdict, message = "FAIL", traceback.format_exc()
    left = t.close()
    if left:
        verdict, message = "FAIL", message + ("\n" if message else "") + left
    return verdict, message


def where(failure):
    frames = [f for f in traceback.extract_tb(failure.__traceback__)
              if f.filename != os.path.abspath(__file__)]
    return "%s:%d: " % (os.path.basename(frames[-1].filename), frames[-1].lineno) \
        if frames else ""


def main(workers=1):
    """Runs the tests (those named on the command line, or all), `workers` at a time,
    and exits."""
    if not os.access(PIGPEN, os.X_OK):
        sys.exit("%s is not built; run `make`" % PIGPEN)
    words = sys.argv[1:]
    chosen = [t for t in _tests if not words or any(w in t[0] for w in words)]
    count = {"ok": 0, "FAIL": 0, "skip": 0}
    lock = threading.Lock()

    def run(entry):
        start = time.monotonic()
        verdict, message = run_one(*entry)
        with lock:
            count[verdict] += 1
            print("%-4s %6.2f s  %s" % (verdict, time.monotonic() - start, entry[0]))
            if verdict == "FAIL":
                print("    " + message.replace("\n", "\n    "))
            elif verdict == "skip":
                print("skip: %s: %s" % (entry[0], message))
            sys.stdout.flush()

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(run, chosen))
    print("%d passed, %d failed" % (count["ok"], count["FAIL"])
          + (", %d skipped" % count["skip"] if count["skip"] else ""))
    sys.exit(1 if count["FAIL"] or not chosen else 0)
