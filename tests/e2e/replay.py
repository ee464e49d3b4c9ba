#!/usr/bin/python3
"""`pigpen replay` as its user sees it, checked by nothing of Pigpen's own where that is
possible: commitments, digests and messages are computed again here.
"""
import glob
import hashlib
import json
import os
import resource

import msgpack

from harness import bad_bot, cases, check, contains, equal, main, read_replay, test

PATIENT = ("--clock", "move=30s")
GAMES = {"pig_pile": (3, ["rounds=1"]), "pig_it_hog_it": (4, ["max_rounds=3"]),
         "galloping_pigs": (4, []), "dirty_pig": (3, []),
         "tennessee_pig": (4, ["max_hands=3"])}
SENT = {1: "match", 2: "event", 3: "act", 4: "refuse", 5: "end", 6: "resume"}


def play(t, game, *more, bots=None, out="replays", seed="oink"):
    """The path of one replay."""
    seats, options = GAMES[game]
    words = [word for option in options for word in ("-o", option)]
    t.pigpen("match", game, *(bots or ["random"] * seats), *words, *PATIENT, "--quiet",
             "--seed", seed, "--out", t.path(out), *more)
    paths = glob.glob(t.path(out, "*.replay*"))
    equal(len(paths), 1, "replays")
    return paths[0]


def export(t, path, *more):
    return t.pigpen("replay", "export", path, *more).ok().json()


@cases(**{game: game for game in GAMES})
def what_was_played_is_proved(t, game):
    for more in ((), ("--compress",), ("--names",)):
        path = play(t, game, *more, out="out" + "".join(more))
        contains(t.pigpen("replay", "verify", path).ok().out, ": proved: ", "verify")


@cases(**{game: game for game in GAMES})
def commitment_and_steps_stand_in_the_export(t, game):
    path = play(t, game)
    match = export(t, path, "--full")
    commit = hashlib.blake2b(bytes.fromhex(match["nonce"]) + b"%d" % match["match"]
                             + bytes.fromhex(match["seed"]), digest_size=32)
    equal(commit.hexdigest(), match["commit"], "commitment")
    records = read_replay(path)
    equal([[s["seat"], s["action"]] for s in match["steps"] if "action" in s],
          [value[:1] + [value[2]] for kind, value in records if kind == "action"],
          "actions")
    equal(len([s for s in match["steps"] if "chance" in s]),
          len([1 for kind, value in records if kind == "chance"]), "orders")
    for step in match["steps"]:
        check("chance" in step or step["action"] in step["legal"], "an action is illegal")
    equal(match["result"], dict(records)["result"]["result"], "result")


@cases(**{game: game for game in GAMES})
def a_seats_export_holds_exactly_its_messages(t, game):
    path = play(t, game)
    for seat in range(GAMES[game][0]):
        log = export(t, path, "--seat", str(seat))
        sent = [(entry["sent"], hashlib.blake2b(bytes.fromhex(entry["bytes"]),
                                                digest_size=16).digest())
                for entry in log["log"] if "sent" in entry]
        equal(sent, [(SENT[m[0]], m[2]) for kind, value in read_replay(path)
                     if kind == "sent" for m in value if m[1] == seat], "messages")
        for entry in log["log"]:
            if "sent" in entry:
                equal(plain(msgpack.unpackb(bytes.fromhex(entry["bytes"]))),
                      entry["message"], "message as JSON")
        seal = dict(read_replay(path))["seal"]
        for secret in seal:
            check(secret.hex() not in json.dumps(log), "a secret is in the export")


def plain(value):
    """As JSON writes it."""
    if isinstance(value, bytes):
        return {"bin": value.hex()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


@cases(**{game: game for game in GAMES})
def two_runs_of_one_seed_do_not_part(t, game):
    one, two = play(t, game, out="one"), play(t, game, out="two")
    other = play(t, game, out="other", seed="grunt")
    canonical = [t.pigpen("replay", "export", "--canonical", path).ok().out
                 for path in (one, two, other)]
    equal(canonical[0], canonical[1], "canonical export")
    check(canonical[0] != canonical[2], "other seeds give the same match")
    contains(t.pigpen("replay", "diff", one, two).ok().out, "the same match", "diff")
    done = t.pigpen("replay", "diff", one, other)
    equal(done.status, 1, "exit status")
    # The pigs are lined up by a bot before any card is dealt.
    contains(done.out, "they part at decision 1:" if game == "galloping_pigs"
             else "the cards differ after decision 0:", "diff")


@test
def diff_names_the_decision(t):
    one = play(t, "dirty_pig", bots=["first", "first"], out="one")
    two = play(t, "dirty_pig", bots=["first", "random"], out="two")
    done = t.pigpen("replay", "diff", one, two)
    equal(done.status, 1, "exit status")
    steps = [[s for s in export(t, path)["steps"] if "action" in s] for path in (one, two)]
    parting = next(i for i, (a, b) in enumerate(zip(*steps))
                   if (a["seat"], a["action"], a["by"]) != (b["seat"], b["action"], b["by"]))
    contains(done.out, "they part at decision %d:" % (parting + 1), "diff")


@test
def show_tells_the_whole_match(t):
    path = play(t, "dirty_pig")
    text = t.pigpen("replay", "show", path).ok().out
    actions = [s for s in export(t, path)["steps"] if "action" in s]
    for part in ("Dirty Pig, 3 seats", "── round 1 ──", "── result ──",
                 "%5d  turn " % len(actions)):
        contains(text, part, "show")
    lines = t.pigpen("replay", "show", "--json", path).ok().out.splitlines()
    equal([json.loads(line)["action"] for line in lines
           if json.loads(line)["what"] == "decision"],
          [s["action"] for s in actions], "decisions")
    one = t.pigpen("replay", "show", "--at", "5", path).ok().out
    contains(one, "decision 5, round 1", "show --at")
    contains(one, "  > ", "the choice")
    view = t.pigpen("replay", "show", "--at", "5", "--json", path).ok().json()
    equal(view["legal"][view["choice"]], actions[4]["action"], "choice")


@test
def a_fault_is_shown_with_its_evidence(t):
    path = play(t, "dirty_pig", bots=["random", bad_bot(t, "exit"), "random"])
    faults = export(t, path)["faults"]
    equal([fault["seat"] for fault in faults], [1], "seats")
    contains(t.pigpen("replay", "show", path).ok().out,
             "seat 1 is out: " + faults[0]["class"], "show")
    stats = t.pigpen("replay", "stats", "--json", path).ok().json()
    equal(stats["seats"][1]["fault"], faults[0]["class"], "stats")
    t.pigpen("replay", "verify", path).ok()


@test
def a_cut_file_gives_what_is_whole(t):
    path = play(t, "dirty_pig")
    whole = export(t, path)["steps"]
    os.truncate(path, os.path.getsize(path) * 2 // 3)
    for words in (["verify"], ["show"], ["stats"], ["export"]):
        done = t.pigpen("replay", *words, path)
        equal(done.status, 1, "exit status of " + words[0])
        contains(done.err, "the file ends at byte %d" % os.path.getsize(path), words[0])
    part = json.loads(done.out)["steps"]
    check(len(whole) // 2 < len(part) < len(whole), "%d of %d" % (len(part), len(whole)))
    equal(part, whole[:len(part)], "steps")


@test
def a_changed_byte_is_named(t):
    path = play(t, "dirty_pig")
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        data[len(data) // 2] ^= 1
        file.seek(0)
        file.write(data)
    done = t.pigpen("replay", "verify", path)
    equal(done.status, 1, "exit status")
    contains(done.err, "is damaged: record ", "verify")


@test
def a_large_file_is_streamed(t):
    """Records of a type to come, 200 MB of them, read with 24 MB of memory."""
    path = play(t, "dirty_pig")
    with open(path, "rb") as file:
        data = file.read()
    cut = 16 + 5 + int.from_bytes(data[16:20], "little") + 16
    payload = b"\xc6" + (2 ** 20 - 5).to_bytes(4, "big") + bytes(2 ** 20 - 5)
    filler = len(payload).to_bytes(4, "little") + b"\xc8" + payload
    large = t.path("large.replay")
    with open(large, "wb") as file:
        file.write(data[:cut])
        chain, at = data[cut - 16:cut], cut
        for _ in range(200):
            chain = hashlib.blake2b(chain + filler, digest_size=16).digest()
            file.write(filler + chain)
        while at < len(data):
            record = data[at:at + 5 + int.from_bytes(data[at:at + 4], "little")]
            chain = hashlib.blake2b(chain + record, digest_size=16).digest()
            file.write(record + chain)
            at += len(record) + 16
    done = t.pigpen("replay", "verify", large, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_DATA, (24 << 20, 24 << 20)))
    contains(done.ok().out, "proved", "verify")


@test
def what_the_user_gets_wrong_is_said(t):
    path = play(t, "dirty_pig")
    for words, part in (
            (["replay"], "Usage: pigpen replay"),
            (["replay", "oink"], "there is no command 'oink'"),
            (["replay", "show"], "name a replay"),
            (["replay", "show", "none.replay"], "No such file"),
            (["replay", "verify", "none.replay"], "No such file"),
            (["replay", "verify", t.folder], "Is a directory"),
            (["replay", "show", "--seat", "3", path], "no seat 3; the match has 0 to 2"),
            (["replay", "show", "--seat", "x", path], "'x' is not a number"),
            (["replay", "show", "--at", "9999", path], "there is no decision 9999"),
            (["replay", "show", "--from", "9", "--to", "3", path], "--from 9"),
            (["replay", "export", "--seat", "3", path], "the seats 0 to 2"),
            (["replay", "export", "--seat", "1", "--full", path], "leave out"),
            (["replay", "export", "-o", "/none/x", path], "cannot write /none/x"),
            (["replay", "diff", path], "name two replays")):
        done = t.pigpen(*words)
        equal(done.status, 2, "exit status of " + " ".join(words))
        contains(done.err, part, " ".join(words))


main(workers=2)
