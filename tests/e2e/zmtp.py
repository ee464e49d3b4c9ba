#!/usr/bin/python3
"""Raw ZMTP against a running arbiter: greetings, READYs and frames that are wrong in every
way, many connections at once, on the sockets of local bots and on the listener of remote
ones. The arbiter lives, and bots that do nothing wrong play on beside it without a fault.

    PIGPEN_FUZZ_SEED=n PIGPEN_FUZZ_COUNT=n tests/e2e/zmtp.py     repeats, or goes on longer
"""
import json
import os
import random
import socket
import struct
import time

from harness import PYTHON, ROOT, cases, check, equal, main, skip, slurp, test, wait_for
from support.remotes import Key
from support.zmtp import BREAKING, conversation, dice_of

SEED = os.environ.get("PIGPEN_FUZZ_SEED") or str(random.randrange(10**9))
COUNT = int(os.environ.get("PIGPEN_FUZZ_COUNT", "400"))
SECONDS_MAX = 30 + COUNT / 10
MATCHES = 10
AT_ONCE = 40
SEND_S_MAX = 0.2
MEMORY_MB_MAX = 512

# Plays properly, and tells where its sockets are.
OPEN_DOOR = """
import os, json
import msgpack, zmq
with open("seen", "a") as file:
    file.write(json.dumps({k: os.environ.get(k) for k in
                           ("PIGPEN_ENDPOINT", "PIGPEN_ENDPOINT_TCP")}) + "\\n")
link = zmq.Context().socket(zmq.DEALER)
link.connect(os.environ["PIGPEN_ENDPOINT"])
send = lambda **m: link.send(msgpack.packb(m))
send(t="hello", v=[1], token=os.environ["PIGPEN_TOKEN"], name="door")
while True:
    m = msgpack.unpackb(link.recv(), strict_map_key=False)
    if m["t"] == "match":
        send(t="ready", match=m["match"])
    elif m["t"] == "act":
        send(t="action", match=m["match"], turn=m["turn"], choice=0)
    elif m["t"] == "bye":
        break
"""


def connect(place):
    """A connection to ("ipc", path) or ("tcp", port); None if nobody is there now."""
    kind, where = place
    one = socket.socket(socket.AF_UNIX if kind == "ipc" else socket.AF_INET)
    one.settimeout(2)
    try:
        one.connect(where if kind == "ipc" else ("127.0.0.1", where))
    except OSError:
        one.close()
        return None
    one.settimeout(SEND_S_MAX)
    return one


def push(one, data):
    """Sends as long as somebody reads; False if the other side has hung up."""
    try:
        one.sendall(data)
    except socket.timeout:
        return True
    except OSError:
        return False
    return True


def hang_up(dice, one):
    if dice.random() < 0.3:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    one.close()


def peak_mb(pid):
    for line in slurp(pid, "status").decode().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) >> 10
    return 0


def fuzz(process, where):
    """COUNT conversations while it plays, up to AT_ONCE of them at a time. Returns how many
    were held, and how much memory it had at most."""
    end = time.monotonic() + SECONDS_MAX
    open_ones, held, peak = [], 0, 0
    for number in range(COUNT):
        dice = dice_of(SEED, number)
        if process.poll() is not None or time.monotonic() > end:
            break
        one = connect(where())
        if not one:
            time.sleep(0.02)
            continue
        held += 1
        peak = max(peak, peak_mb(process.pid))
        open_ones.append((dice, one, conversation(dice)))
        while len(open_ones) > (AT_ONCE if dice.random() < 0.98 else 0):
            dice, one, pieces = open_ones.pop(dice.randrange(len(open_ones)))
            while pieces and push(one, pieces.pop(0)):
                pass
            hang_up(dice, one)
        # Everybody says a little, so that handshakes are under way side by side.
        dice, one, pieces = dice.choice(open_ones) if open_ones else (dice, None, [])
        if pieces and not push(one, pieces.pop(0)):
            pieces.clear()
    for dice, one, _ in open_ones:
        hang_up(dice, one)
    return held, peak


def survives(t, process, where, good):
    """Fuzzes it while it plays; checks that it lived and whom it blames."""
    held, peak = fuzz(process, where)
    done = t.finish(process)
    print("note: %d conversations of seed %s, at most %d MB" % (held, SEED, peak))
    check(done.status in (0, 1), lambda: "it ended after %d conversations of seed %s: %s" % (
        held, SEED, done))
    check(held, "nobody listened")
    check(peak < MEMORY_MB_MAX, "%d MB" % peak)
    matches = done.json()["matches"]
    # A bot whose sockets are talked at so often does not start again, which ends the run.
    check(matches and (len(good) < 3 or len(matches) == MATCHES), "%d matches" % len(matches))
    equal({m["void"] for m in matches}, {None}, "void matches (seed %s)" % SEED)
    for match in matches:
        equal([f for f in match["faults"] if f["seat"] in good], [],
              "faults of bots that did nothing (seed %s)" % SEED)


class Door:
    """A local bot at whose sockets anybody can talk."""

    def __init__(self, t):
        self.seen = t.path("door/seen")
        self.bot = t.bot("door", [PYTHON, "door.py"], transport="tcp")
        t.write("door/door.py", OPEN_DOOR)

    def opened(self, process):
        wait_for(lambda: process.poll() is not None or (
            os.path.exists(self.seen) and os.path.getsize(self.seen)), "the bot to start")

    def place(self, variable):
        """The bot is started again after a fault, and then listens elsewhere."""
        with open(self.seen) as file:
            said = json.loads(file.read().splitlines()[-1])[variable]
        if not said:
            skip("this bot has no such socket")
        if said.startswith("ipc://"):
            return "ipc", said[len("ipc://"):]
        return "tcp", int(said.rsplit(":", 1)[1])


def start_match(t, door):
    return t.start_pigpen("match", "pig_pile", door.bot, "first", "random", "--matches",
                          str(MATCHES), "--no-replay", "--json", "-q", "--on-fault",
                          "substitute")


def start_host(t, local):
    """A host, on which a remote bot plays; (process, port of its listener)"""
    keys = {name: Key(t, name) for name in ("server", "ann")}
    t.write("keys", "ann %s\n" % keys["ann"].public)
    process = t.start_pigpen("host", "pig_pile", local, "remote:ann", "random", "-n",
                             str(MATCHES), "--no-replay", "--json", "--listen",
                             "tcp://127.0.0.1:0", "--key", "server.key", "--allow", "keys",
                             "--sandbox", "off")
    line = ""
    while "PIGPEN_ENDPOINT=" not in line:
        line = process.stderr.readline().decode()
        check(line, "the host has ended")
    endpoint = line.split("PIGPEN_ENDPOINT=", 1)[1].split()[0]
    t.start([os.path.join(ROOT, "sample_bots/c/first/first")], env={
        "PIGPEN_ENDPOINT": endpoint, "PIGPEN_SERVER_KEY": keys["server"].public,
        "PIGPEN_KEY_FILE": keys["ann"].path})
    return process, int(endpoint.rsplit(":", 1)[1])


VARIABLES = {"ipc": "PIGPEN_ENDPOINT", "tcp": "PIGPEN_ENDPOINT_TCP"}


@cases(**VARIABLES)
def the_sockets_of_local_bots_take_anything(t, variable):
    door = Door(t)
    process = start_match(t, door)
    door.opened(process)
    survives(t, process, lambda: door.place(variable), good=(1, 2))


@cases(**VARIABLES)
def the_local_sockets_of_a_host_take_anything(t, variable):
    door = Door(t)
    process, _ = start_host(t, door.bot)
    door.opened(process)
    survives(t, process, lambda: door.place(variable), good=(1, 2))


@test
def the_listener_of_remote_bots_takes_anything(t):
    process, port = start_host(t, "first")
    survives(t, process, lambda: ("tcp", port), good=(0, 1, 2))


@cases(**{name.replace(" ", "_"): name for name in BREAKING})
def what_once_ended_an_arbiter_does_so_no_more(t, name):
    door = Door(t)
    for start in (start_match, lambda t, door: start_host(t, door.bot)[0]):
        if os.path.exists(door.seen):
            os.unlink(door.seen)
        process = start(t, door)
        door.opened(process)
        for variable in VARIABLES.values():
            one = connect(door.place(variable))
            for piece in BREAKING[name] if one else []:
                push(one, piece)
                time.sleep(0.05)
        done = t.finish(process)
        check(done.status in (0, 1), lambda: "%s: %s" % (name, done))


main()
