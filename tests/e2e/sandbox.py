#!/usr/bin/python3
"""Bots that mean harm (tests/bots/hostile.py): what they may not do fails, what they
exceed stops at its limit, and everybody else plays on. specs/security.md names the tests.
"""
import contextlib
import functools
import glob
import itertools
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile

from harness import (PIGPEN, PYTHON, ROOT, all_pids, bad_bot, cases, check, command_line,
                     contains, equal, main, read_replay, records_of, skip, slurp, test,
                     wait_for)
from support.ladders import ladder

MIB = 1 << 20
CLOCK = ("--clock", "move=60s")


@functools.lru_cache(None)
def available():
    return subprocess.run([PIGPEN, "match", "dirty_pig", "first", "first", "--no-replay",
                           "--sandbox", "require"], capture_output=True).returncode == 0


def need_sandbox():
    if not available():
        skip("bots cannot be sandboxed here; `pigpen doctor` says why")


def hostile(t, mode, *words, name="hostile", **manifest):
    """A bot with its script in its own folder, as a sandbox wants it."""
    folder = t.bot(name, [PYTHON, "hostile.py", mode, *words], **manifest)
    shutil.copy(os.path.join(ROOT, "tests/bots/hostile.py"), folder)
    for path in (t.folder, folder):
        os.chmod(path, 0o755)
    return folder


def told(t, name="hostile"):
    """What a bot told, all its processes together."""
    lines = []
    for path in sorted(glob.glob(t.path("replays", "logs", name + "-*.log"))):
        with open(path, errors="replace") as file:
            lines += [json.loads(line) for line in file if line.startswith("{")]
    return lines


# Hides the control groups of the machine, in a mount namespace of its own.
WITHOUT_GROUPS = ["unshare", "--mount", "sh", "-c",
                  "mount -t tmpfs none /sys/fs/cgroup && exec \"$@\"", "sh"]


def match(t, bots, *words, sandbox="require", status=0, env=None, bare=False):
    command = [PIGPEN, "match", "dirty_pig", *bots, *CLOCK, "--json", "--sandbox", sandbox,
               *words]
    if bare and subprocess.run(WITHOUT_GROUPS + ["true"], capture_output=True).returncode:
        skip("a mount namespace of one's own needs root")
    done = t.run(*(WITHOUT_GROUPS if bare else []), *command, env=env)
    equal(done.status, status, "status: %s" % done)
    return done.json()["matches"][0]


def clean(result):
    equal(result["faults"], [], "faults")
    equal(result["void"], None, "void")


def nothing_worked(t, allowed=()):
    lines = told(t)
    worked = [line for line in lines if "got" in line and line["tried"] not in allowed]
    equal(worked, [], "what worked")
    check(any("denied" in line for line in lines), "nothing was tried: %s" % lines)


@contextlib.contextmanager
def listeners():
    """A port on loopback and an abstract Unix socket that anybody could reach."""
    name = secrets.token_hex(8)
    with socket.create_server(("127.0.0.1", 0)) as port, \
            socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind("\0" + name)
        abstract.listen()
        yield str(port.getsockname()[1]), name


@test
def no_network(t):
    """Neither out, nor to loopback, nor by a socket without a file."""
    need_sandbox()
    with listeners() as words:
        clean(match(t, [hostile(t, "network", *words), "first"]))
    nothing_worked(t)


@test
def the_network_is_there_without_a_sandbox(t):
    """So that the test above proves something."""
    with listeners() as words:
        clean(match(t, [hostile(t, "network", *words), "first"], sandbox="off"))
    got = {line["tried"] for line in told(t) if "got" in line}
    check({"loopback", "abstract"} <= got, "what worked: %s" % got)


def precious(t):
    """Files of others: another bot's folder, a database, a key."""
    return [t.write("other/secret.txt", "other bot's"), t.write("ladder.db", "results"),
            t.write("key", "seeds"), os.path.join(ROOT, "Makefile")]


@test
def no_files_of_others(t):
    need_sandbox()
    bot = hostile(t, "files", *precious(t))
    os.symlink(t.path("key"), os.path.join(bot, "link"))
    clean(match(t, [bot, "first"]))
    nothing_worked(t)


@test
def files_of_others_are_there_without_a_sandbox(t):
    clean(match(t, [hostile(t, "files", *precious(t)), "first"], sandbox="off"))
    equal(len([line for line in told(t) if "got" in line and
               line["tried"].startswith((t.folder, ROOT))]), 4, "files read")


@test
def no_processes_of_others(t):
    need_sandbox()
    secret = secrets.token_hex(16)
    clean(match(t, [hostile(t, "processes", secret), "first"],
                env={"OINK": secret}))
    nothing_worked(t)
    seen = {line["tried"]: line["seen"] for line in told(t) if "seen" in line}
    check(seen["pids"] <= 2, "it sees %d processes" % seen["pids"])
    equal(seen["filter"], 1, "filters of the first process")
    equal(seen["signals"], 0, "processes that it can signal")


@test
def no_way_out(t):
    need_sandbox()
    clean(match(t, [hostile(t, "breakout"), "first"]))
    nothing_worked(t)


@test
def what_runtimes_do_all_day_works(t):
    need_sandbox()
    clean(match(t, [hostile(t, "honest"), "first"]))
    lines = [line for line in told(t) if "tried" in line]
    equal([line for line in lines if "got" not in line], [], "what did not work")
    equal(len(lines), 12, "what was tried")


@test
def nothing_can_be_written_but_tmp(t):
    need_sandbox()
    bot = hostile(t, "own_folder")
    before = sorted(os.listdir(bot))
    clean(match(t, [bot, "first"]))
    nothing_worked(t, allowed=("mine",))
    equal(sorted(os.listdir(bot)), before, "its folder")
    check(any(line.get("tried") == "mine" and "got" in line for line in told(t)),
          "its /tmp cannot be written")


@test
def a_full_disk_is_its_own(t):
    need_sandbox()
    clean(match(t, [hostile(t, "disk"), "first"], "--limits", "disk=4m"))
    lines = [line for line in told(t) if "tried" in line]
    check({"/tmp", "/dev/shm"} < {line["tried"] for line in lines}, "tried: %s" % lines)
    for line in lines:
        if line["tried"] in ("/tmp", "/dev/shm"):
            equal(line["end"], "ENOSPC", "end of " + line["tried"])
            check(3 * MIB < line["seen"] <= 4 * MIB, "bytes written: %(seen)d" % line)
        else:
            check("denied" in line, "worked: %s" % line)


@test
def forks_come_to_an_end(t):
    need_sandbox()
    clean(match(t, [hostile(t, "forks"), "first"], "--limits", "processes=20"))
    line, = [line for line in told(t) if line.get("tried") == "forks"]
    equal(line["end"], "EAGAIN", "end")
    check(1 <= line["seen"] < 20, "%d forks" % line["seen"])


@test
def descriptors_come_to_an_end(t):
    need_sandbox()
    clean(match(t, [hostile(t, "descriptors"), "first"], "--limits", "descriptors=64"))
    line, = [line for line in told(t) if line.get("tried") == "descriptors"]
    equal(line["end"], "EMFILE", "end")
    check(line["seen"] < 64, "%d descriptors" % line["seen"])


@test
def limits_are_announced(t):
    """The host's, unless the bot asks for less; more it does not get."""
    need_sandbox()
    bot = hostile(t, "quiet", limits="memory=100m,processes=500,descriptors=32")
    clean(match(t, [bot, "first"], "--limits", "memory=200m,processes=50,disk=8m"))
    equal(told(t)[0]["limits"], {"memory_bytes": 100 * MIB, "processes": 50,
                                 "descriptors": 32, "disk_bytes": 8 * MIB}, "limits")


@cases(writable="memory", read_only="read_only")
def too_much_memory_is_a_fault_of_its_own_kind(t, mode):
    need_sandbox()
    result = match(t, [hostile(t, mode), "first"], "--limits", "memory=128m")
    fault, = result["faults"]
    equal((fault["seat"], fault["class"]), (0, "memory"), "seat and class")
    contains(fault["why"], "no more memory than the 128 MiB", "why")
    equal(result["ranks"], [2, 1], "ranks")


@test
def nothing_passes_the_memory_limit(t):
    """Neither memory that belongs to no process, nor files without content."""
    need_sandbox()
    clean(match(t, [hostile(t, "uncounted", "60000"), "first"], "--limits", "disk=8m"))
    nothing_worked(t)
    line, = [line for line in told(t) if line.get("tried") == "files"]
    equal(line["end"], "ENOSPC", "end of the empty files")
    check(line["seen"] <= 8 * MIB / 4096, "%(seen)d files" % line)


@test
def copies_of_a_bot_share_no_view_of_their_files(t):
    """What is in the page cache cannot be asked or changed, and no mark can be left."""
    need_sandbox()
    clean(match(t, [hostile(t, "pages"), "first"]))
    nothing_worked(t)


@test
def much_of_it_works_without_a_sandbox(t):
    """So that the two tests above prove something."""
    clean(match(t, [hostile(t, "pages", name="pages"), hostile(t, "uncounted", "10")],
                sandbox="off"))
    for path in glob.glob("/tmp/empty-*"):
        os.unlink(path)
    got = {line["tried"] for name in ("pages", "hostile") for line in told(t, name)
           if "got" in line}
    check({"mincore", "evict", "hint", "shared zero", "grows down",
           "semaphores"} <= got, "what worked: %s" % got)


def groups():
    done = subprocess.run([PIGPEN, "doctor", "--json"], capture_output=True)
    return json.loads(done.stdout)["cgroup v2"]


@cases(deep=("deep", False), deep_without_groups=("deep", True),
       unwaited=("unwaited", False))
def cpu_time_cannot_be_hidden(t, case):
    """A CPU clock sees what is used far below, and by those for whom nobody waits."""
    mode, bare = case
    need_sandbox()
    if not bare and not groups()["there"]:
        skip(groups()["found"])
    result = match(t, [hostile(t, mode), "first"], "--clock-kind", "cpu", "--clock",
                   "bank=0s,move=800ms", bare=bare)
    equal([fault["class"] for fault in result["faults"]], ["timeout"], "faults")


@cases(daemon="daemon", ignores_term="ignores_term")
def nobody_is_left(t, mode):
    """The harness looks for processes; the sandbox's own die with the bot."""
    need_sandbox()
    clean(match(t, [hostile(t, mode), "first"]))
    equal(t.processes(), [], "processes")


def parent_of(pid):
    stat = slurp(pid, "stat")
    return int(stat.rsplit(b")", 1)[1].split()[1]) if stat else 0


def guards_of(t, arbiter):
    """The pids of arbiter, warden, bwrap, the sandbox's first process, and the bot."""
    def bot():
        return next((pid for pid in all_pids() if command_line(pid) ==
                     "%s hostile.py wait %s" % (PYTHON, t.marker)), None)

    pids = [wait_for(bot, "the bot")]
    while pids[-1] != arbiter:
        pids.append(parent_of(pids[-1]))
    return pids[::-1]


GUARDS = ("arbiter", "warden", "bwrap", "inside")
SUBSETS = {"_".join(subset): subset for size in range(1, 5)
           for chosen in itertools.combinations(GUARDS, size)
           for subset in {chosen, chosen[::-1]}}


@cases(**SUBSETS)
def no_bot_outlives_its_arbiter(t, killed):
    """Whichever of those who watch over it are killed, in this order."""
    need_sandbox()
    bot = hostile(t, "wait", t.marker)
    process = t.start([PIGPEN, "match", "dirty_pig", bot, "first", *CLOCK, "--sandbox",
                       "require", "--no-replay"])
    pids = guards_of(t, process.pid)
    equal(len(pids), 5, "processes from the arbiter down to the bot")
    # Standing still, none of them can react to the end of another.
    for name in killed:
        os.kill(pids[GUARDS.index(name)], signal.SIGSTOP)
    for name in killed:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pids[GUARDS.index(name)], signal.SIGKILL)
    wait_for(lambda: not slurp(pids[4], "cmdline"), "the end of the bot", seconds=20)
    if "arbiter" not in killed:
        t.finish(process)
    wait_for(lambda: not t.processes(), "the end of everybody", seconds=20)


@test
def a_flood_of_output_is_cut(t):
    need_sandbox()
    clean(match(t, [hostile(t, "stderr_flood"), "first"]))
    path, = glob.glob(t.path("replays/logs/hostile-*.log"))
    check(os.path.getsize(path) < 300000, "%d bytes were kept" % os.path.getsize(path))


@test
def nobody_takes_anothers_seat(t):
    need_sandbox()
    clean(match(t, [hostile(t, "neighbours"), "first"]))
    nothing_worked(t)
    line, = [line for line in told(t) if line.get("tried") == "sockets"]
    equal(line["seen"], 0, "sockets of others")


@test
def guessed_matches_are_dropped(t):
    need_sandbox()
    result = match(t, [hostile(t, "guess"), "first"], "--retries", "0")
    clean(result)
    check(result["bots"][0]["dropped"] > 0, "nothing was dropped: %s" % result["bots"][0])


@test
def copies_of_a_bot_do_not_meet(t):
    """By files, sockets, queues, shared memory, locks or watches."""
    need_sandbox()
    bot = hostile(t, "marks", str(secrets.randbelow(10 ** 9)))
    clean(match(t, [bot, bot]))
    nothing_worked(t)


@test
def copies_of_a_bot_meet_without_a_sandbox(t):
    number = str(secrets.randbelow(10 ** 9))
    bot = hostile(t, "marks", number)
    with contextlib.ExitStack() as stack:
        stack.callback(remove_marks, number)
        match(t, [bot, bot], sandbox="off")
    check([line for line in told(t) if line.get("tried") == "mark"], "they did not meet")


def remove_marks(number):
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run", "/dev/mqueue"):
        for path in glob.glob(folder + "/hostile-mark-%s-*" % number):
            os.unlink(path)


@cases(parent="../other/bot", absolute="%s/other/bot", shell="cat ../other/secret")
def a_command_elsewhere_finds_nothing(t, command):
    """Each of them would say the secret."""
    need_sandbox()
    t.write("other/bot", "#!/bin/sh\necho a secret\n", 0o755)
    t.write("other/secret", "a secret")
    command = command.replace("%s", t.folder)
    bot = t.bot("stray", command if " " in command else [command])
    done = t.pigpen("match", "dirty_pig", bot, "first", "--json", "--sandbox", "require")
    check("a secret" not in done.out + done.err, "it was read")
    if done.status == 0:
        equal(done.json()["matches"][0]["faults"][0]["class"], "startup", "class")
    else:
        equal(done.status, 2, "status")


@cases(above="../up", hidden=".hidden", slash="a/b", long="x" * 70)
def names_that_are_paths_are_refused(t, name):
    bot = t.bot("strange", ["./bot"])
    t.write("strange/bot", "#!/bin/sh\n", 0o755)
    t.write("strange/bot.json", json.dumps({"name": name, "command": ["./bot"]}))
    done = t.pigpen("match", "dirty_pig", bot, "first")
    equal(done.status, 2, "status")
    contains(done.err, "name", "message")


@test
def a_ladder_takes_no_links(t):
    """A link in a submitted folder could bring along what only the host may read."""
    path = ladder(t, "first")
    bot = hostile(t, "quiet")
    os.symlink(os.path.join(path, "key"), os.path.join(bot, "data"))
    done = t.pigpen("ladder", "add", "--no-check", path, bot)
    equal(done.status, 2, "status")
    contains(done.err, "is a symbolic link", "message")


@test
def a_ladder_plays_in_sandboxes(t):
    need_sandbox()
    secret = t.write("secret.txt", "another's")
    bot = hostile(t, "files", secret)
    path = ladder(t, "first", bot, sandbox="require")
    t.pigpen("ladder", "run", path, "--sets", "1", "--jobs", "1").ok()
    shutil.copytree(os.path.join(path, "logs"), t.path("replays", "logs"))
    nothing_worked(t)


@contextlib.contextmanager
def folder_of_the_system(t, parent):
    """A folder where bots see everything else: the system's."""
    if not os.access(parent, os.W_OK):
        skip("%s cannot be written" % parent)
    folder = tempfile.mkdtemp(prefix="pigpen-e2e-", dir=parent)
    os.chmod(folder, 0o755)
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder)
        yield folder


@cases(opt="/opt", usr="/usr/local/share")
def a_ladder_is_not_visible_wherever_it_lies(t, parent):
    """Neither its settings and key, nor other entrants, nor replays."""
    need_sandbox()
    with folder_of_the_system(t, parent) as folder:
        path = os.path.join(folder, "ladder")
        bot = hostile(t, "files", *(os.path.join(path, name) for name in (
            "", "ladder.json", "ladder.db", "key", "bots", "bots/first", "replays")))
        t.pigpen("ladder", "init", path, "--game", "dirty_pig", "--sandbox",
                 "require").ok()
        t.pigpen("ladder", "add", "--no-check", path, "first", bot).ok()
        t.pigpen("ladder", "run", path, "--sets", "1", "--jobs", "1").ok()
        shutil.copytree(os.path.join(path, "logs"), t.path("replays", "logs"))
    nothing_worked(t, allowed=(os.path.join(path, "bots"), path + "/"))
    names = {word for line in told(t) if line.get("tried", "").startswith(path)
             for word in re.findall(r"'([^']*)'", line.get("got", ""))}
    check(names <= {"bots", "hostile"}, "it sees %s" % names)


@test
def bots_in_the_system_do_not_see_each_other(t):
    need_sandbox()
    with folder_of_the_system(t, "/opt") as folder:
        other = shutil.copytree(hostile(t, "quiet", name="other"), folder + "/other")
        bot = shutil.copytree(hostile(t, "files", other, folder + "/replays"),
                              folder + "/hostile")
        done = t.run(PIGPEN, "match", "dirty_pig", bot, other, *CLOCK, "--json",
                     "--sandbox", "require", "-O", folder + "/replays").ok()
        clean(done.json()["matches"][0])
        shutil.copytree(folder + "/replays/logs", t.path("replays", "logs"))
    nothing_worked(t)


@test
def a_build_sees_only_its_folder(t):
    need_sandbox()
    secret = t.write("secret.txt", "another's")
    bot = hostile(t, "quiet", build="echo built > built; cat %s > stolen 2>&1; "
                  "echo x > %s; id -u > user" % (secret, t.path("left")))
    path = ladder(t, "first", bot, sandbox="require")
    built, = glob.glob(os.path.join(path, "bots/hostile/*/built"))
    with open(os.path.join(os.path.dirname(built), "stolen")) as file:
        check("another's" not in file.read(), "the build read a secret")
    check(not os.path.exists(t.path("left")), "the build wrote elsewhere")
    equal(os.stat(built).st_uid, os.getuid(), "owner of what was built")


@test
def a_build_can_use_make_and_a_compiler(t):
    need_sandbox()
    if not shutil.which("make") or not shutil.which("cc"):
        skip("needs make and cc")
    bot = hostile(t, "quiet", build="make")
    t.write("hostile/Makefile", "built: built.c\n\tcc -o built built.c\n\tflock built true\n")
    t.write("hostile/built.c", "int main(void) { return 0; }\n")
    path = ladder(t, "first", bot, sandbox="require")
    check(glob.glob(os.path.join(path, "bots/hostile/*/built")), "nothing was built")


def burnt_on_others_time(t, ponder, sandbox, depth=1, bare=False):
    """CPU seconds that a process of the bot used while the other was to act, and while the
    bot itself was."""
    bots = [hostile(t, "burn", str(depth), name="burner"), hostile(t, "slow", name="slow")]
    result = match(t, bots, "--ponder", ponder, "--option", "max_turns=12",
                   "--seed", "oink", sandbox=sandbox, bare=bare)
    clean(result)
    header = dict(read_replay(t.path(result["replay"])))["header"]
    equal(header.get("ponder", "on"), ponder, "what the replay says")
    t.pigpen("replay", "verify", result["replay"]).ok()
    marks = [line["burnt"] for line in told(t, "burner") if "burnt" in line]
    check(len(marks) >= 4, "only %d marks" % len(marks))
    idle = sum(b - a for a, b in zip(marks[1::2], marks[2::2]))
    busy = sum(b - a for a, b in zip(marks[0::2], marks[1::2]))
    return idle, busy, len(marks) // 2


@cases(boxed=("require", 1, False), deep=("require", 70, False),
       bare=("off", 1, False), boxed_without_groups=("require", 70, True),
       bare_without_groups=("off", 70, True))
def nobody_thinks_on_others_time(t, case):
    """`--ponder off`: the whole tree stands still, and runs again when it is asked."""
    sandbox, depth, bare = case
    if sandbox == "require":
        need_sandbox()
    idle, busy, turns = burnt_on_others_time(t, "off", sandbox, depth, bare)
    check(busy > 0, "it did not run when it was asked")
    # A tick is 10 ms, and freezing takes a moment.
    check(idle <= 0.05 * turns, "burnt %.2f s in %d turns of others" % (idle, turns))


@test
def one_may_think_on_others_time_otherwise(t):
    """Others' turns are longer than its own, so it burns more in them, be the host busy or
    not."""
    idle, busy, turns = burnt_on_others_time(t, "on", "off")
    check(idle > busy / 2, "burnt only %.2f s in %d turns of others, %.2f s in its own"
          % (idle, turns, busy))


def sentinel_of(process):
    for pid in all_pids():
        stat = slurp(pid, "stat")  # PID (NAME) STATE PARENT …, or nothing if it is gone
        if b"(pigpen-sentinel)" in stat and \
                int(stat.rsplit(b")", 1)[1].split()[1]) == process.pid:
            return pid
    return None


MOVE_US = 3000000


def late_by_a_second(t, starved, matches):
    """Matches in which a bot answers a second too late, with the sentinel held up or
    not."""
    process = t.start_pigpen("match", "dirty_pig", bad_bot(t, "late_answer", False),
                             "first", "--clock", "move=3s", "--json", "--fresh",
                             "--matches", str(matches))
    pid = wait_for(lambda: sentinel_of(process), "the sentinel")
    if starved:
        os.kill(pid, signal.SIGSTOP)
    return t.finish(process).json()["matches"]


def was_credited(t, result):
    """Did the arbiter itself, on a host that is busy indeed, stand still for as long as the
    answer was late? Then the answer counts, and the replay says so."""
    over = [(move[6] - move[5] - MOVE_US, move[9])
            for move in records_of(t.path(result["replay"]), "action")
            if len(move) > 9 and move[0] == 0 and move[6] - move[5] > MOVE_US]
    return over and all(overrun <= lag for overrun, lag in over)


@test
def late_is_void_where_the_host_is_starved(t):
    """But not for ever: a bot that is always late then loses. The evidence is in the
    replay."""
    matches = late_by_a_second(t, True, 4)
    for result in matches[:3]:
        contains(result["void"], "the host was starved", "reason")
        fault, = [value for kind, value in read_replay(t.path(result["replay"]))
                  if kind == "fault"]
        equal((fault["class"], fault["verdict"]), ("arbiter", "void"), "record")
        check(fault["overrun"] > 0, "no overrun: %s" % fault)
    equal(matches[3]["void"], None, "void")
    if matches[3]["faults"] or not was_credited(t, matches[3]):
        equal(matches[3]["faults"][0]["class"], "timeout", "class of the fourth")


@test
def late_is_late_where_it_is_not(t):
    result, = late_by_a_second(t, False, 1)
    equal(result["void"], None, "void")
    equal(result["faults"][0]["class"], "timeout", "class")


@test
def without_bubblewrap(t):
    """`auto` plays on and says so; `require` is a user error."""
    folder = tempfile.mkdtemp(dir=t.folder)
    env = {"PATH": folder}
    done = t.pigpen("match", "dirty_pig", "first", "first", "--no-replay", "--sandbox",
                    "auto", env=env)
    equal(done.status, 0, "status: %s" % done)
    contains(done.err, "apt-get install bubblewrap", "warning")
    equal(done.err.count("not sandboxed"), 1, "warnings")
    done = t.pigpen("match", "dirty_pig", "first", "first", "--no-replay", "--sandbox",
                    "require", env=env)
    equal(done.status, 2, "status")
    contains(done.err, "apt-get install bubblewrap", "message")


@cases(match=["match", "dirty_pig", "first", "first", "--no-replay"],
       check=["check", "first"], compare=["compare", "--game", "dirty_pig", "first", "random"],
       rerun=["replay", "rerun", "REPLAY", "--seat", "0", "--bot", "first"],
       branch=["replay", "branch", "REPLAY", "--at", "1", "--bot", "first"],
       run=["ladder", "run", "LADDER", "--sets", "1"],
       add=["ladder", "add", "LADDER", "random"])
def one_policy_holds_for_every_way_to_start_a_bot(t, words):
    """`require` starts nothing without a sandbox, and says why."""
    env = {"PATH": tempfile.mkdtemp(dir=t.folder)}
    if "LADDER" in words:
        words = [ladder(t, "first", sandbox="off") if w == "LADDER" else w for w in words]
        settings = t.path("ladder", "ladder.json")
        with open(settings) as file:
            text = file.read()
        with open(settings, "w") as file:
            file.write(text.replace('"off"', '"require"'))
    else:
        words = [*words, "--sandbox", "require"]
    if "REPLAY" in words:
        replay = match(t, ["first", "first"], sandbox="off")["replay"]
        words = [replay if w == "REPLAY" else w for w in words]
    done = t.pigpen(*words, env=env)
    equal(done.status, 2, "status: %s" % done)
    contains(done.err, "bots cannot be sandboxed: bubblewrap is not installed", "message")


def in_own_hierarchy(t, *command):
    """Runs a command in a group of its own, at the top of what it sees of cgroup v2."""
    top = next((path for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
                if os.access(path + "/cgroup.subtree_control", os.W_OK)), None)
    if not top:
        skip("cgroup v2 cannot be written")
    group = tempfile.mkdtemp(prefix="pigpen-test-", dir=top)
    for controller in ("memory", "pids"):
        with contextlib.suppress(OSError), open(top + "/cgroup.subtree_control", "w") as file:
            file.write("+" + controller)
    try:
        return t.run("sh", "-c", "echo 0 > %s/cgroup.procs && exec unshare --mount --cgroup "
                     "sh -c 'mount -t cgroup2 none /sys/fs/cgroup && exec \"$@\"' sh \"$@\""
                     % group, "sh", *command)
    finally:
        for folder, _, _ in os.walk(group, topdown=False):
            os.rmdir(folder)


def delegated(t):
    done = in_own_hierarchy(t, PIGPEN, "doctor", "--json")
    if done.status:
        skip("cgroup v2 cannot be mounted: %s" % done.err.strip())
    found = done.json()["cgroup v2"]["found"]
    equal(found.split(",")[0], "/sys/fs/cgroup", "where groups are made")
    return found


@test
def no_control_group_is_left(t):
    """Of a match or a check; and one that could be somebody's who is about to start is not
    removed."""
    need_sandbox()
    found = groups()
    if not found["there"]:
        skip(found["found"])
    place = found["found"].split(",")[0]
    young = "%s/pigpen-%d-1" % (place, os.getpid())
    os.mkdir(young)
    try:
        for words in (["match", "dirty_pig", "first", "first", "--no-replay"],
                      ["check", "first", "--game", "dirty_pig"]):
            process = t.start_pigpen(*words)
            equal(t.finish(process).status, 0, "status")
            own = "pigpen-%d-" % process.pid
            equal([name for name in os.listdir(place) if name.startswith(own)], [],
                  "groups of `%s`" % words[0])
        check(os.path.exists(young), "a group that is young was removed")
    finally:
        os.rmdir(young)


@test
def a_delegated_group_counts_what_nobody_waits_for(t):
    need_sandbox()
    delegated(t)
    done = in_own_hierarchy(t, PIGPEN, "match", "dirty_pig", hostile(t, "unwaited"), "first",
                            "--json", "--sandbox", "require", "--clock-kind", "cpu",
                            "--clock", "bank=0s,move=800ms").ok()
    equal([fault["class"] for fault in done.json()["matches"][0]["faults"]], ["timeout"],
          "faults")


@test
def a_delegated_group_limits_the_memory_of_whole_bots(t):
    """Four processes together have no more than one."""
    need_sandbox()
    found = delegated(t)
    if "limits hold for whole bots" not in found:
        skip(found)
    done = in_own_hierarchy(t, PIGPEN, "match", "dirty_pig", hostile(t, "family"), "first",
                            *CLOCK, "--json", "--sandbox", "require", "--limits",
                            "memory=128m,disk=4k").ok()
    equal([fault["class"] for fault in done.json()["matches"][0]["faults"]], ["memory"],
          "faults")


main(workers=2)
