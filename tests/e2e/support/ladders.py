"""What the scripts on ladders share."""
import os
import sqlite3

from harness import PYTHON, command_line, contains, equal

# Answers with the first legal move and does what `twist` says in between.
PLAYER = """
import os, signal, sys
import msgpack, zmq
link = zmq.Context().socket(zmq.DEALER)
link.connect(os.environ["PIGPEN_ENDPOINT"])
send = lambda **m: link.send(msgpack.packb(m))
send(t="hello", v=[1], token=os.environ["PIGPEN_TOKEN"], name="player", matches=64)
while True:
    m = msgpack.unpackb(link.recv(), strict_map_key=False)
    if m["t"] == "match":
        %(on_match)s
        send(t="ready", match=m["match"])
    elif m["t"] == "act":
        %(on_act)s
        send(t="action", match=m["match"], turn=m["turn"], choice=0)
    elif m["t"] == "bye":
        break
"""


def children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def workers(run):
    """Pids of the worker processes of a running `ladder run`. They are its children, so
    none vanishes before it has noticed."""
    return [pid for pid in children(run.pid) if "ladder worker" in command_line(pid)]


def player(t, name, on_match="pass", on_act="pass", **manifest):
    folder = t.bot(name, [PYTHON, "player.py"], **{"matches": 64, **manifest})
    t.write(name + "/player.py", PLAYER % {"on_match": on_match, "on_act": on_act})
    return folder


def ladder(t, *bots, game="dirty_pig", check_bots=False, options=(), sandbox="off"):
    """Without sandboxes unless the test is about them: these bots note down what they
    see."""
    path = t.path("ladder")
    t.pigpen("ladder", "init", path, "--game", game, "--sandbox", sandbox, *options).ok()
    t.pigpen("ladder", "add", *([] if check_bots else ["--no-check"]), path, *bots).ok()
    return path


def play(t, path, sets, *options):
    return t.pigpen("ladder", "run", path, "--sets", str(sets), *options, seconds=600).ok()


def results(t, path):
    return t.pigpen("ladder", "results", path, "--json").ok().json()


def standings(t, path):
    listed = t.pigpen("ladder", "standings", path, "--json").ok().json()["standings"]
    return {entry["name"]: entry for entry in listed}


def healthy(t, path):
    done = t.pigpen("ladder", "doctor", path)
    equal(done.status, 0, "doctor: " + done.out)
    contains(done.out, "all well", "doctor")
    equal(os.listdir(os.path.join(path, "live")), [], "live/")


def rows(path, query):
    with sqlite3.connect("file:%s/ladder.db?mode=ro" % path, uri=True) as database:
        return database.execute(query).fetchall()


def facts(t, path):
    """Everything that a rerun must repeat: not ids, times and hashes."""
    return [(m["set"], m["rotation"], m["reason"],
             [(s["entrant"], s["score"], s["rank"], s["decisions"], s["fault"])
              for s in m["seats"]]) for m in results(t, path)]
