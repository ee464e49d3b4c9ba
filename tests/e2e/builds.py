#!/usr/bin/python3
"""What a submitted bot's build may leave behind: the host opens nothing through a link,
takes no more than a bot may have, and what is refused is gone.
"""
import glob
import json
import os
import subprocess

from harness import (PYTHON, all_pids, check, command_line, contains, equal, main, skip, test,
                     wait_for)
from support.ladders import ladder, player, standings

MIB = 1 << 20


def need_sandbox():
    if subprocess.run(["bwrap", "--ro-bind", "/", "/", "true"], capture_output=True).returncode:
        skip("bubblewrap does not work here")


def boxed(t):
    need_sandbox()
    return ladder(t, "first", options=("--option", "max_turns=4"), sandbox="require")


def add(t, path, build, **manifest):
    """Submits a bot whose build is this."""
    return t.pigpen("ladder", "add", "--no-check", path,
                    player(t, "mine", build=build, **manifest))


def place(path):
    """Where the bot lies in the ladder."""
    return glob.glob(os.path.join(path, "bots", "mine", "*"))[0]


def refused(t, path, build, why):
    done = add(t, path, build)
    equal(done.status, 2, "status of '%s'" % build)
    contains(done.err, why, "message for '%s'" % build)
    equal(sorted(os.listdir(os.path.join(path, "bots"))), ["first"], "what is left of it")
    return done


def change_settings(path, **settings):
    name = os.path.join(path, "ladder.json")
    with open(name) as file:
        settings = {**json.load(file), **settings}
    with open(name, "w") as file:
        json.dump(settings, file)


def mib(path):
    words = subprocess.run(["du", "-sm", path], capture_output=True, text=True).stdout
    return int(words.split()[0])


@test
def links_out_of_a_built_tree_are_refused_and_not_followed(t):
    path = boxed(t)
    for build, why in (("ln -s /proc/kmsg k", "'k' is a link to an absolute path"),
                       ("ln -s /dev/zero z", "'z' is a link to an absolute path"),
                       ("ln -s ../../../key k", "leads out"),
                       ("mkdir a; ln -s ../../a a/b", "leads out"),
                       ("mkdir a; ln -s a b; ln -s b/../../x c", "'..' not only at its beginning"),
                       ("mkdir a; ln -s a b; touch a/x; ln -s b/x c", "'b/x', which is not there"),
                       ("ln -s nowhere k", "'nowhere', which is not there")):
        refused(t, path, build, why)


@test
def special_files_in_a_built_tree_are_refused_and_not_opened(t):
    path = boxed(t)
    refused(t, path, "mkfifo f", "'f' is neither a file nor a folder")
    refused(t, path, "mkdir a; /usr/bin/python3 -c 'import socket; "
            "socket.socket(socket.AF_UNIX).bind(\"a/s\")'", "'a/s' is neither a file nor a folder")


@test
def links_that_stay_inside_are_kept(t):
    path = boxed(t)
    add(t, path, "mkdir -p lib node_modules/.bin node_modules/tool; "
        "echo hello > node_modules/tool/run; ln -s ../tool/run node_modules/.bin/run; "
        "touch lib/libx.so.1.2; ln -s libx.so.1.2 lib/libx.so.1; ln -s libx.so.1 lib/libx.so; "
        "ln -s lib lib64").ok()
    with open(os.path.join(place(path), "node_modules/.bin/run")) as file:
        equal(file.read(), "hello\n", "what the link leads to")
    equal(os.readlink(os.path.join(place(path), "lib/libx.so")), "libx.so.1", "link to a link")
    t.pigpen("ladder", "run", path, "--sets", "1", "--jobs", "1").ok()
    equal(standings(t, path)["mine"]["faults"], 0, "faults")


@test
def a_bot_json_that_became_a_link_tells_nothing(t):
    path = boxed(t)
    with open("/etc/passwd") as file:
        beginning = file.read(5)
    for target in ("/etc/passwd", "other.json"):
        done = refused(t, path, "cp bot.json other.json; ln -sf %s bot.json" % target, "link")
        check(beginning not in done.err, "it tells of the file: " + done.err)


@test
def a_bot_json_is_of_limited_size(t):
    path = boxed(t)
    refused(t, path, "yes | head -c 100000000 >> bot.json",
            "bot.json: it may have 65536 bytes at most")


@test
def the_hash_is_of_what_was_submitted(t):
    path = boxed(t)
    build = "head -c 9 /dev/urandom > random; sed -i 's/\"1\"/\"2\"/' bot.json"
    add(t, path, build).ok()
    first = os.path.basename(place(path))
    other = t.path("other")
    t.pigpen("ladder", "init", other, "--game", "dirty_pig").ok()
    add(t, other, build).ok()
    equal(os.path.basename(place(other)), first, "the hash of the same bot")


@test
def builds_do_not_fill_the_disk(t):
    path = boxed(t)
    before = mib(path)
    for size in (300, 600):
        refused(t, path, "yes | head -c %dM > big" % size,
                "more than" if size == 300 else "build: ")
    refused(t, path, "for i in $(seq 17000); do : > $i; done", "more than")
    refused(t, path, "yes | head -c 100M > big; for i in 1 2 3; do ln big $i; done",
            "more than")
    check(mib(path) <= before + 1, "%d MiB became %d" % (before, mib(path)))


@test
def the_bots_of_a_ladder_have_a_quota(t):
    path = boxed(t)
    change_settings(path, bots_mb=8)

    def enter(bot, size_mb, *options):
        return t.pigpen("ladder", "add", "--no-check", *options, path,
                        player(t, bot, build="yes | head -c %dM > big" % size_mb))

    enter("mine", 1, "--owner", "ann").ok()
    done = enter("other", 1, "--owner", "ann")
    contains(done.err, "more than the 2 MiB that an owner may take", "the second of ann's")
    enter("his", 1, "--owner", "bob").ok()
    enter("hosts", 4).ok()
    done = enter("more", 4)
    contains(done.err, "may take 8 MiB together", "one too many")
    equal(sorted(os.listdir(os.path.join(path, "bots"))), ["first", "his", "hosts", "mine"],
          "bots")
    enter("mine", 1, "--owner", "ann").ok()


@test
def a_build_that_is_refused_leaves_no_folders(t):
    path = boxed(t)
    t.write("mine/dig.py", "import os, sys\n"
            "for i in range(1500):\n    os.mkdir('a-folder')\n    os.chdir('a-folder')\n"
            "os.chmod('.', 0)\nsys.exit(int(sys.argv[1]))\n")
    for status, why in ((3, "build: "), (0, "nested")):
        refused(t, path, "%s dig.py %d" % (PYTHON, status), why)


def endless(number):
    """A build that leaves processes in all ways, which can be told by this number."""
    return "yes | head -c 50M > big; setsid sleep %d & (sleep %d &); sleep %d" % (
        (number,) * 3)


def nobody_is_left(number):
    wait_for(lambda: not [pid for pid in all_pids() if "sleep %d" % number in command_line(pid)],
             "an end of its processes", 20)


@test
def a_build_that_does_not_end_is_ended_with_all_it_started(t):
    path = boxed(t)
    change_settings(path, admission_s=3)
    number = 1000000 + os.getpid()
    refused(t, path, endless(number), "build: it took too long")
    nobody_is_left(number)


@test
def a_build_ends_with_whoever_admits_it(t):
    path = boxed(t)
    number = 2000000 + os.getpid()
    process = t.start_pigpen("ladder", "add", "--no-check", path,
                             player(t, "mine", build=endless(number)))
    wait_for(lambda: [pid for pid in all_pids() if command_line(pid) == "sleep %d" % number],
             "the build")
    process.kill()
    process.wait()
    nobody_is_left(number)


@test
def what_a_killed_admission_leaves_goes_with_the_next(t):
    path = ladder(t, "first")
    bots = os.path.join(path, "bots")
    gate = t.path("gate")

    def start(name):
        bot = player(t, name, build="touch %s.%s; until [ -e %s ]; do sleep 0.1; done" % (
            gate, name, gate))
        process = t.start_pigpen("ladder", "add", "--no-check", path, bot)
        wait_for(lambda: os.path.exists(gate + "." + name), "the build of " + name)
        return process

    killed = start("killed")
    going_on = start("mine")
    killed.kill()
    killed.wait()
    equal(len(glob.glob(os.path.join(bots, ".new-*"))), 2, "folders of the two")
    t.pigpen("ladder", "add", "--no-check", path, player(t, "other")).ok()
    equal(len(glob.glob(os.path.join(bots, ".new-*"))), 1, "that of the one that goes on")
    t.write("gate", "")
    t.finish(going_on).ok()
    equal(sorted(os.listdir(bots)), ["first", "mine", "other"], "bots")


main(workers=2)
