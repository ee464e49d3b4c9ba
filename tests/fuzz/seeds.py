#!/usr/bin/python3
"""Writes the seeds of the fuzz targets' corpora.

    tests/fuzz/seeds.py DIR      one folder for each target in DIR

They come from the examples of specs/protocol.md, the goldens, the sample bots, a few short
matches that ./pigpen plays with fixed seeds, and archives and keys that are made here. `make fuzz-corpus` merges them with
what the fuzzer has found into tests/fuzz/corpus.
"""
import bz2
import glob
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import msgpack

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GAMES = ["pig_pile", "pig_it_hog_it", "galloping_pigs", "dirty_pig", "tennessee_pig"]
FROM_BOT, FROM_ARBITER, BATCH = b"\0", b"\1", 2
TO_BRIDGE, TO_CHILD = b"\0", b"\1"
FILE, RECORDS, COMPRESSED = b"\0", b"\1", b"\2"
MAGIC_SIZE, CHAIN_SIZE = 16, 16
LIST, KEY_FILE = b"\0", b"\1"
ARCHIVE, ENTRIES = b"\0", b"\1"
EVERYBODY, SEAT_1 = b"\x13", b"\x0f"

# A match of each game that is short but has a bit of everything.
MATCHES = [
    ("pig_pile", 3, ["rounds=1", "max_turns=12"]),
    ("pig_it_hog_it", 4, ["games=1", "max_rounds=1"]),
    ("galloping_pigs", 2, ["rounds=1"]),
    ("dirty_pig", 2, ["max_turns=8"]),
    ("tennessee_pig", 4, ["max_hands=1", "faults=penalty"]),
]

LADDERS = [
    {"format": 1, "game": "pig_pile", "seats": 4, "options": {"rounds": "players"},
     "clock": "bank=10s,inc=100ms,move=2s", "clock_kind": "cpu", "on_fault": "substitute",
     "retries": 1, "sandbox": "auto", "limits": "memory=1g,processes=128,descriptors=256,disk=64m",
     "schedule": "gauntlet", "challenger": "sow", "teams": "mixed", "one_per_author": True,
     "anchor": "random", "anchor_elo": 1000.0, "sets_per_entrant": 2, "keep": "faults+sample",
     "compress": True, "disk_mb": 100, "logs_mb": 64, "bench_share": 0.25,
     "bench_matches": 16, "worker_mb": 1024, "bots_mb": 4096,
     "admission_s": 900, "seed": "oink"},
    {"format": 1, "game": "tennessee_pig", "teams": "same", "schedule": "round_robin"},
    {"format": 1, "game": "dirty_pig", "seats": 2, "options": {"hand": "4", "first": "random"},
     "clock": "move=500ms", "sandbox": "off", "keep": "none"},
]

folder = sys.argv[1]


def seed(target, data):
    os.makedirs(os.path.join(folder, target), exist_ok=True)
    name = hashlib.sha1(data).hexdigest()[:16]
    with open(os.path.join(folder, target, name), "wb") as out:
        out.write(data)


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def protocol_examples():
    """Every example of the specification, as bytes and as a line."""
    spec = read("specs", "protocol.md")
    for text, digits in re.findall(r"```json\n(.*?)\n```\n```hex\n(.*?)\n```", spec, re.S):
        line = text.replace("\n", "").encode()
        data = bytes.fromhex(digits.replace("\n", " "))
        for sender in FROM_BOT, FROM_ARBITER:
            seed("message", sender + data)
        seed("message", bytes([BATCH]) + data + data)
        seed("bridge_line", TO_BRIDGE + line)
        seed("bridge_line", TO_CHILD + data)
        if len(data) < 256:
            # Connection 0 greets as bot 0, then sends the example as a frame.
            seed("session", bytes([0, 0, 0x0c, 6, 0, 5, 0, len(data)]) + data)


def seat_logs():
    """What a seat was sent in the goldens: messages, views, legal actions."""
    for number, game in enumerate(GAMES):
        text = read("tests", "golden", "replay", game + ".export_seat_0.json")
        document = json.loads(text)
        positions = 0
        for entry in document["log"]:
            if "sent" not in entry:
                continue
            data = bytes.fromhex(entry["bytes"])
            message = msgpack.unpackb(data)
            if positions < 3:
                seed("message", FROM_ARBITER + data)
            if "view" in message and positions < 8:
                positions += 1
                seed("state", bytes([number]) + msgpack.packb(message["view"]))
            for action in message.get("legal", [])[:6]:
                for variant in range(0, 60, 4):
                    seed("action", bytes([variant, 9, 1]) + msgpack.packb(action))
        document["log"] = document["log"][:5]
        seed("seat_log", json.dumps(document, separators=(",", ":")).encode())


def positions():
    """Places to begin with for the targets that make a position of three bytes."""
    for variant in range(60):
        for steps in 1, 6, 40:
            for viewer in range(4):
                seed("state", bytes([5, variant, steps, 7, viewer]))


def conversations():
    """Greet, offer, ready, ask, answer; lose the connection and come back."""
    greet, back = [0, 0, 0x0c], [0, 1, 0x2c]
    offer, ready, ask, answer = [6, 0], [1, 0, 0], [7, 0], [2, 0, 0]
    for steps in (greet + offer + ready + ask + answer + answer,
                  greet + offer + ready + ask + [8, 0] + answer + ask + [2, 0, 4],
                  greet + offer + ready + ask + [10, 0] + back + [2, 1, 0],
                  greet + offer + [12, 0] + back + [1, 1, 0] + [9, 0],
                  greet + [3, 0, 0] + greet,
                  greet + [4, 0, 0] * 5,
                  greet + offer + ready + [13, 0] + greet):
        seed("session", bytes(steps))


def records(data):
    """The records of a plain replay without lengths and chain."""
    at, out = MAGIC_SIZE, b""
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "little")
        out += data[at + 4:at + 5 + size]
        at += 5 + size + CHAIN_SIZE
    return out


def replays():
    with tempfile.TemporaryDirectory() as scratch:
        for game, seats, options in MATCHES:
            for compress in [], ["--compress"]:
                out = os.path.join(scratch, game + "".join(compress))
                subprocess.run(
                    [os.path.join(ROOT, "pigpen"), "match", game, *["c/random"] * seats,
                     "--seed", "oink", "--out", out, "--quiet", "--sandbox", "off",
                     *compress, *[w for o in options for w in ("--option", o)]],
                    check=True, stdout=subprocess.DEVNULL)
                path, = glob.glob(os.path.join(out, "**", "*.replay*"), recursive=True)
                with open(path, "rb") as file:
                    data = file.read()
                replay(data, bool(compress))


def replay(data, compressed):
    inputs = [FILE + data]
    if not compressed:
        plain = records(data)
        inputs += [RECORDS + plain, COMPRESSED + plain, RECORDS + plain[:len(plain) // 2]]
    for one in inputs:
        seed("replay", one)
        for viewer in EVERYBODY, SEAT_1:
            seed("replay_print", viewer + one)


def manifests():
    for path in glob.glob(os.path.join(ROOT, "sample_bots", "*", "*", "bot.json")):
        seed("bot_json", read(path).encode())
    seed("bot_json", json.dumps({
        "name": "greedy", "version": "1.2", "author": "x", "language": "c",
        "build": "make", "command": "./greedy", "games": ["dirty_pig"],
        "transport": "stdio", "matches": 8, "deterministic": True,
        "limits": "memory=200m,processes=4,descriptors=9,disk=1k,cpu=3"}).encode())
    for ladder in LADDERS:
        seed("ladder_json", json.dumps(ladder).encode())


def keys():
    """Lists and key files; the pair is one of the examples of ZeroMQ's RFC 26."""
    public, secret = ("Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
                      "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs")
    other = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
    for text in ("ann %s\n" % public, "# who may come\n\nann %s\n  bob\t%s\n" % (public, other),
                 "ann %s\nann %s\n" % (public, other), "ann %s x\n" % public,
                 "#" + " " * 600 + "\nann %s" % public, "ann" + " " * 600 + public):
        seed("keys", LIST + text.encode())
    pair = "name ann\npublic %s\nsecret %s\n" % (public, secret)
    for text in (pair, pair + "secret %sx\n" % secret, pair.replace(public, other)):
        seed("keys", KEY_FILE + text.encode())


def zstd(data):
    """One frame of one block that is not compressed."""
    return (bytes.fromhex("28b52ffd60") + (len(data) - 256).to_bytes(2, "little") +
            (1 | len(data) << 3).to_bytes(3, "little") + data)


def tar(form, entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for path, kind, mode, data in entries:
            info = tarfile.TarInfo(path)
            info.type, info.mode, info.size = kind, mode, len(data)
            info.linkname = "bot.json" if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
            archive.addfile(info, io.BytesIO(data))
    # Without the zeros up to a record of 10 KiB.
    return out.getvalue().rstrip(b"\0") + bytes(1024 + 511)


def zipped(method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for path, data in ("bot/", b""), ("bot/bot.json", b"{}" * 40), ("bot/b", b"#!"):
            archive.writestr(zipfile.ZipInfo(path), data, method)
    return out.getvalue()


def archives():
    good = [("bot", tarfile.DIRTYPE, 0o755, b""),
            ("bot/bot.json", tarfile.REGTYPE, 0o644, b'{"name":"bot"}'),
            ("bot/run", tarfile.REGTYPE, 0o755, b"#!/bin/sh\n")]
    bad = [[(path, kind, mode, b"")] for path, kind, mode in (
        ("../x", tarfile.REGTYPE, 0o644), ("/x", tarfile.REGTYPE, 0o644),
        ("x", tarfile.SYMTYPE, 0o777), ("x", tarfile.LNKTYPE, 0o644),
        ("x", tarfile.FIFOTYPE, 0o644), ("x", tarfile.CHRTYPE, 0o644),
        ("x", tarfile.REGTYPE, 0o4755), ("a/b/c/d/e/f", tarfile.REGTYPE, 0o644),
        ("a" * 90, tarfile.REGTYPE, 0o644), ("é", tarfile.REGTYPE, 0o644))]
    for form in tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT:
        for entries in [good] + bad:
            seed("unpack", ARCHIVE + tar(form, entries))
    plain = tar(tarfile.USTAR_FORMAT, good)
    for packed in (gzip.compress(plain, mtime=0), bz2.compress(plain), lzma.compress(plain),
                   zstd(plain), gzip.compress(gzip.compress(plain, mtime=0), mtime=0)):
        seed("unpack", ARCHIVE + packed)
    for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
        seed("unpack", ARCHIVE + zipped(method))
    # Name, kind, mode, blocks of data and how much less, link, prefix, data, all is there.
    for path in b"bot.json", b"a/b/c", b"../x", b"/x", b"a//./b":
        for kind in range(19):
            entry = bytes([len(path)]) + path + bytes([kind, 0xa4, 1, 1, 200, 0, 0, 3]) + b"oink"
            seed("unpack", ENTRIES + entry * 2)


def trees():
    """What a build sends (arbiter/base/tree_stream.h), after two bytes of the target's."""
    def entry(kind, path="", content=b""):
        return kind + struct.pack("<HQQ", len(path), len(content), 1) + path.encode() + content

    start = entry(b"d", "a") + entry(b"f", "a/b", b"oink") + entry(b"l", "a/up", b"..")
    for last in (entry(b"x", "run", b"#!/bin/sh"), entry(b"l", "c", b"a/b"), entry(b"s", "pipe"),
                 entry(b"l", "c", b"/etc/passwd"), entry(b"l", "a/c", b"../../x"),
                 entry(b"l", "c", b"a/up/.."), entry(b"f", "../x", b"x"),
                 entry(b"f", "a/up/x", b"x"), entry(b"!", "", b"no compiler")):
        seed("tree_stream", b"\0\1" + start + last + entry(b"."))
    # Kind, parts of the path, size of the content or parts of the target, sizes are right.
    for kind in range(13):
        for part in range(12):
            seed("tree_stream", b"\1\1" + bytes([0, 0, 0, 4, 0] * 2 + [
                kind, 1, 0, part, 1, part, 0, 0] * 2))


for make in (protocol_examples, seat_logs, positions, conversations, replays, manifests, keys,
             archives, trees):
    make()
