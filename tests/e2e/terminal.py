#!/usr/bin/python3
"""What bots, replays, manifests and archives say never steers a terminal: every command
that quotes them shows their control characters and does not send them.
"""
import glob
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

from harness import (PATIENCE_S, PIGPEN, PYTHON, ROOT, Failed, cases, check, contains, equal,
                     main, test)
from support.ladders import ladder
from support.remotes import Key, Remote

sys.path.insert(0, os.path.join(ROOT, "tests", "bots"))
from shouting import BYTES, TEXT  # noqa: E402

SHOUTING = os.path.join(ROOT, "tests", "bots", "shouting.py")
# JSON files and words of a command line hold no NUL.
WORDS = TEXT.replace("\0", "")
BARE = ["--sandbox", "off"]
DIRECTIONS = {0x61c, 0x200e, 0x200f, *range(0x2028, 0x202f), *range(0x2066, 0x206a)}
# What the program itself sends to a terminal: one line that is written again and again.
OWN = re.compile("\r\x1b\\[K")


def harmless(data, what, own=False):
    """Fails if the bytes hold anything that steers a terminal."""
    shown = data.decode("utf-8", "surrogateescape")
    if own:
        shown = OWN.sub("", shown).replace("\r\n", "\n")
    for at, c in enumerate(shown):
        code = ord(c)
        if (code < 0x20 and c not in "\n\t") or 0x7f <= code < 0xa0 or code in DIRECTIONS \
                or 0xdc80 <= code <= 0xdcff:
            raise Failed("%s: %r at %d of:\n%r" % (what, c, at, shown[max(0, at - 300):at + 50]))
    return shown


class Said:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


def say(t, *words):
    """Runs a command whose output must be harmless in a pipe."""
    process = t.start([PIGPEN, *words])
    try:
        out, err = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failed("no end: %s" % (words,)) from None
    what = " ".join(os.path.basename(word) for word in words)
    return Said(process.returncode, harmless(out, what + ", stdout"),
                harmless(err, what + ", stderr"))


def raw_on_terminal(t, *words, keys=b""):
    """What a command sends to a terminal that is its stdin, stdout and stderr."""
    master, slave = pty.openpty()
    process = t.start([PIGPEN, *words], env={"TERM": "xterm"}, stdin=slave, stdout=slave,
                      stderr=slave)
    os.close(slave)
    data, end = b"", time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if select.select([master], [], [], 0.2)[0]:
            try:
                got = os.read(master, 65536)
            except OSError:
                break
            data += got
            continue
        if process.poll() is not None:
            break
        if keys:
            os.write(master, keys[:1])
            keys = keys[1:]
    os.close(master)
    process.wait(PATIENCE_S)
    return process.returncode, data


def on_terminal(t, *words):
    status, data = raw_on_terminal(t, *words)
    return Said(status, harmless(data, "%s on a terminal" % (words[:2],), own=True), "")


def shouter(t, mode, name="shouter", **manifest):
    shutil.copy(SHOUTING, t.write(name + "/shouting.py", ""))
    return t.bot(name, [PYTHON, "shouting.py", mode], **{
        "author": WORDS[:40], "version": WORDS[:20], WORDS[:10]: WORDS, **manifest})


MODES = {mode: mode for mode in ("play", "crash", "type", "key", "error", "bytes", "mute")}


@cases(**MODES)
def a_match_shows_what_its_bots_shout(t, mode):
    bot = shouter(t, mode)
    words = ["match", "dirty_pig", bot, "random", "--out", t.path("out"), *BARE]
    said = say(t, *words)
    if mode != "play":
        lines = said.err.splitlines()
        check(any(line.startswith("pigpen: match 0, seat 0") for line in lines), said.err)
        check("pigpen: all is well" not in lines, "a line of its own: " + said.err)
    json.loads(say(t, *words[:-4], *BARE, "--no-replay", "--json").out)
    on_terminal(t, *words[:-4], *BARE, "--no-replay", "--matches", "3")
    for path in glob.glob(t.path("out/*.replay")):
        equal(say(t, "replay", "verify", path).status, 0, "verify")


@cases(play="play", crash="crash")
def a_replay_shows_what_it_holds(t, mode):
    bot = shouter(t, mode)
    say(t, "match", "dirty_pig", bot, "random", "--out", t.path("out"), *BARE)
    path, = glob.glob(t.path("out/*.replay"))
    for words in (["show"], ["show", "--at", "1"], ["stats"], ["verify"]):
        said = say(t, "replay", *words, path)
        equal(said.status, 0, "%s: %s" % (words, said.err))
        equal(on_terminal(t, "replay", *words, path).status, 0, "on a terminal")
    contains(say(t, "replay", "show", path).out, "]0;owned", "show")
    for words in (["show", "--json"], ["stats", "--json"]):
        for line in say(t, "replay", *words, path).out.splitlines() or ["no output"]:
            if "show" in words:
                json.loads(line)
    say(t, "replay", "export", path)
    say(t, "replay", "diff", path, path)
    status, data = raw_on_terminal(t, "replay", "view", path, keys=b"lllllf?q")
    equal(status, 0, "view")
    for bad in (b"\x1b]0;", b"\x07", b"\xc2\x9b", "\u202e".encode(), "\u2028".encode()):
        check(bad not in data, lambda: "view sends %r: %r" % (bad, data))


@test
def a_file_that_is_no_replay_is_named_harmlessly(t):
    path = t.write("\x1b]0;owned\x07\u202e.replay", TEXT)
    for command in ("show", "stats", "verify", "export", "view", "diff"):
        said = say(t, "replay", command, path, *([path] if command == "diff" else []))
        check(said.status, "status of " + command)
        contains(said.err, "owned", command)


@cases(crash="crash", bytes="bytes")
def a_check_shows_what_the_bot_shouts(t, mode):
    bot = shouter(t, mode)
    said = say(t, "check", bot, "--game", "dirty_pig", *BARE)
    contains(said.out, "]0;owned", "what it wrote")
    json.loads(say(t, "check", bot, "--game", "dirty_pig", "--json", *BARE).out)
    on_terminal(t, "check", bot, "--game", "dirty_pig", *BARE)


@test
def a_comparison_shows_what_the_bots_shout(t):
    words = ["compare", shouter(t, "crash"), "random", "--game", "dirty_pig", "--sets", "2"]
    equal(say(t, *words).status, 1, "nothing is proved")
    on_terminal(t, *words)


@test
def a_host_shows_what_its_bots_shout(t):
    """A local bot, and a remote one that shouts in its hello."""
    keys = {name: Key(t, name) for name in ("server", "ann")}
    t.write("keys", "ann %s\n" % keys["ann"].public)
    process = t.start([PIGPEN, "host", "dirty_pig", "remote:ann", shouter(t, "crash"),
                       "--no-replay", "--listen", "tcp://127.0.0.1:0", "--key", "server.key",
                       "--allow", "keys", *BARE])
    err = b""
    while b"PIGPEN_ENDPOINT=" not in err:
        line = process.stderr.readline()
        check(line, "the host has ended: %r" % err)
        err += line
    endpoint = re.search(rb"PIGPEN_ENDPOINT=(\S+)", err)[1].decode()
    ann = Remote(endpoint, keys["server"].public, keys["ann"])
    equal(ann.hello(name=TEXT[:40], version=TEXT[:20], lang=TEXT[:20])["t"], "welcome", "ann")
    ann.play()
    out, more = process.communicate(timeout=PATIENCE_S)
    harmless(out, "host, stdout")
    contains(harmless(err + more, "host, stderr"), "]0;owned", "the last words")


@test
def a_ladder_shows_what_its_bots_shout(t):
    path = ladder(t, "random")
    build = t.bot("builder", ["true"], build=[PYTHON, "build.py"])
    t.write("builder/build.py", "import os, sys\n"
            "os.write(2, %r)\nsys.exit(1)\n" % BYTES)
    said = say(t, "ladder", "add", path, build)
    check(said.status, "the build fails")
    contains(said.err, "]0;owned", "what the build wrote")
    on_terminal(t, "ladder", "add", path, build)
    said = say(t, "ladder", "add", path, shouter(t, "crash"))
    check(said.status, "the check fails")
    contains(said.err, "]0;owned", "what the bot wrote")
    equal(say(t, "ladder", "add", "--no-check", path, shouter(t, "crash")).status, 0, "add")
    say(t, "ladder", "run", path, "--sets", "2")
    on_terminal(t, "ladder", "run", path, "--sets", "1")
    for words in (["standings", "--all"], ["matrix"], ["history"], ["results", "--csv"], ["doctor"],
                  ["export"]):
        equal(say(t, "ladder", words[0], path, *words[1:]).status, 0, words[0])
    json.loads(say(t, "ladder", "results", path, "--json").out)


@test
def a_manifest_and_a_name_are_quoted_harmlessly(t):
    for number, manifest in enumerate([
            {"name": WORDS}, {"transport": WORDS}, {"games": [WORDS]}, {"command": [WORDS]},
            {"limits": WORDS}, {"limits": {WORDS: 1}}]):
        folder = t.path("manifest-%d" % number)
        t.write(folder + "/bot.json", json.dumps({"command": ["x"], **manifest}))
        check(say(t, "check", folder).status, "status of %s" % manifest)
        say(t, "match", "dirty_pig", folder, "random", "--no-replay")
    check(say(t, "match", WORDS, "random", "random").status, "a game")
    check(say(t, "match", "dirty_pig", WORDS, "random").status, "a bot")
    check(say(t, "ladder", "standings", WORDS).status, "a ladder")


main()
