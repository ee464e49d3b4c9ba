#!/usr/bin/python3
"""What was acknowledged survives a power cut.

A trace of the system calls is played to a model of the strictest file system that POSIX
allows: bytes are on the disk once their file was synced, a name once its folder was.
Whatever a command acknowledges must be on that disk at this moment.
"""
import json
import os
import re
import shutil

from harness import PIGPEN, Failed, cases, check, main, skip, test
from support.ladders import ladder

CALLS = ("openat,open,creat,write,pwrite64,writev,pwritev,ftruncate,fsync,fdatasync,syncfs,"
         "rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,sendfile")
LINE = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+)")
RESUMED = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$")
NAMED = re.compile(r'"((?:[^"\\]|\\.)*)"')
FD = re.compile(r"^(\d+)<([^>]*)>")


class Disk:
    """What of the files below a folder would be there after a power cut."""

    def __init__(self, root):
        self.root = root
        self.dirty = set()    # files with bytes that are not on the disk
        self.unnamed = set()  # files and folders whose names are not
        self.moment = {}      # calls that are watched for: name -> [function]

    def ours(self, path):
        return path.startswith(self.root + "/")

    def lost(self, path):
        """Why the file would not be there; None if it would."""
        if path in self.dirty:
            return "the bytes of %s are not on the disk" % path
        while self.ours(path):
            if path in self.unnamed:
                return "the name %s is not on the disk" % path
            path = os.path.dirname(path)
        return None

    def demand(self, path, what):
        why = self.lost(path)
        if why:
            raise Failed("%s: %s" % (what, why))

    def made(self, path):
        if self.ours(path):
            self.unnamed.add(path)

    def synced(self, path):
        self.dirty.discard(path)
        self.unnamed = {p for p in self.unnamed if os.path.dirname(p) != path}

    def gone(self, path):
        self.dirty.discard(path)
        self.unnamed.discard(path)

    def renamed(self, old, new):
        if old in self.dirty:
            self.dirty.add(new)
        self.gone(old)
        self.made(new)

    def call(self, name, words, result):
        fd = FD.match(words)
        paths = NAMED.findall(words)
        if name in ("open", "openat", "creat"):
            if "O_CREAT" in words and os.path.isabs(paths[0]) and paths[0] not in self.known:
                self.made(paths[0])
            self.known.update(paths[:1])
        elif name in ("mkdir", "mkdirat"):
            self.made(paths[0])
        elif name in ("write", "pwrite64", "writev", "pwritev", "ftruncate", "sendfile"):
            if fd and self.ours(fd[2]):
                self.dirty.add(fd[2])
        elif name in ("fsync", "fdatasync"):
            self.synced(fd[2])
        elif name == "syncfs":
            self.dirty.clear()
            self.unnamed.clear()
        elif name.startswith("rename"):
            self.renamed(*paths[:2])
            self.known.add(paths[1])
        elif name.startswith("link"):
            self.made(paths[1])
            if paths[0] in self.dirty:
                self.dirty.add(paths[1])
        elif name.startswith("unlink"):
            self.gone(paths[0])
            self.known.discard(paths[0])

    known = set()


def calls(path):
    """(pid, name, words, result) of every call that succeeded, in the order of their ends."""
    begun = {}
    with open(path, errors="replace") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.endswith("<unfinished ...>"):
                begun[line.split()[0]] = line[:-len("<unfinished ...>")].rstrip()
                continue
            resumed = RESUMED.match(line)
            if resumed:
                line = begun.pop(resumed[1], "") + resumed[2]
            found = LINE.match(line)
            if found and int(found[4]) >= 0:
                yield found[1], found[2], found[3], int(found[4])


def traced(t, *words):
    """Runs a command; the path of its trace."""
    if not shutil.which("strace"):
        skip("strace is not installed")
    path = t.path("trace")
    done = t.run("strace", "-f", "--seccomp-bpf", "-y", "-qq", "-s", "4096", "-e", "trace=" + CALLS, "-o",
                 path, PIGPEN, *words, seconds=300)
    check(done.status == 0, lambda: "status: %s" % done)
    return path, done


def replay(t, path, watch):
    """Plays a trace; calls watch(disk, name, words) before every call."""
    disk = Disk(t.folder)
    disk.known = set()
    for _, name, words, result in calls(path):
        watch(disk, name, words)
        disk.call(name, words, result)
    return disk


def says(name, words):
    """Is this something that the user or another program is told?"""
    return name == "write" and words.startswith("1<pipe:")


@cases(plain=[], compressed=["--compress"])
def a_match_that_is_reported_is_on_the_disk(t, options):
    path, done = traced(t, "match", "dirty_pig", "random", "random", "--matches", "4",
                        "--json", "--out", t.path("out"), *options)
    replays = [match["replay"] for match in done.json()["matches"]]
    told = []

    def watch(disk, name, words):
        if says(name, words) and not told:
            told.append(words)
            for file in replays:
                disk.demand(file, "it is reported")
        if name.startswith("unlink"):
            for file in NAMED.findall(words):
                if file + ".zst" in replays:
                    disk.demand(file + ".zst", "its plain form is removed")
    replay(t, path, watch)
    check(told, "nothing was reported")


@test
def a_ladder_that_was_made_is_on_the_disk(t):
    root = t.path("ladder")
    path, _ = traced(t, "ladder", "init", root, "--game", "dirty_pig")
    told = []

    def watch(disk, name, words):
        if says(name, words):
            told.append(words)
            for at, folders, files in os.walk(root):
                for file in folders + files:
                    disk.demand(os.path.join(at, file), "the ladder is announced")
    replay(t, path, watch)
    check(told, "nothing was announced")


@cases(plain=False, compressed=True)
def a_result_that_is_stored_has_its_replays_on_the_disk(t, compress):
    root = ladder(t, "random", "first", options=["--keep", "all"])
    with open(os.path.join(root, "ladder.json")) as file:
        settings = json.load(file)
    with open(os.path.join(root, "ladder.json"), "w") as file:
        json.dump({**settings, "compress": compress}, file)
    path, _ = traced(t, "ladder", "run", root, "--sets", "6", "--jobs", "2")
    kept, commits = set(), []

    def watch(disk, name, words):
        names = NAMED.findall(words)
        if name.startswith(("rename", "link")) and "/replays/" in names[1]:
            check(names[0] not in disk.dirty, "%s is moved before it is synced" % names[0])
            kept.add(names[1])
        if name in ("fsync", "fdatasync") and words.rstrip(")").endswith("ladder.db-wal>"):
            commits.append(len(kept))
            for file in kept:
                disk.demand(file, "its result is committed")
        if says(name, words):
            for file in ("ladder.db-wal", "ladder.db"):
                check(os.path.join(root, file) not in disk.dirty, file + " is not synced")
    replay(t, path, watch)
    check(len(kept) >= 12 and max(commits) == len(kept), "%s of %d" % (commits, len(kept)))


main()
