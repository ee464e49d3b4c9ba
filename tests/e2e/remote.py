#!/usr/bin/python3
"""Bots that connect from elsewhere: who is let in, who is not, and who comes back."""
import json
import os
import re
import resource
import shutil
import signal
import socket
import threading
import time

from harness import PIGPEN, PYTHON, ROOT, cases, check, contains, equal, main, skip, test, \
    wait_for
from support.remotes import Key, Remote, raw, wait_closed

HALF_OPEN = 2000
SLOW = "bank=0s,inc=0s,move=100s"
BYE_S = 10  # how long the host waits for a bot that was told bye
MODULES = os.path.join(ROOT, "sample_bots/javascript/sdk/node_modules")


class Host:
    """`pigpen host`, listening on loopback, with keys of ann, bob and itself."""

    def __init__(self, t, *words):
        self.t = t
        self.keys = {name: Key(t, name) for name in ("server", "ann", "bob")}
        t.write("keys", "# who may come\n" + "".join(
            "%s %s\n" % (k.name, k.public) for n, k in self.keys.items() if n != "server"))
        self.process = t.start_pigpen(
            "host", *words, "--listen", "tcp://127.0.0.1:0", "--key", "server.key",
            "--allow", "keys", "--sandbox", "off")
        self.err, self.lines = "", threading.Thread(target=self._read)
        self.lines.start()
        found = self.says(r"PIGPEN_ENDPOINT=(tcp://\S+) with PIGPEN_SERVER_KEY='(.*)'")
        self.endpoint, self.public = found.group(1), found.group(2)
        self.port = int(self.endpoint.rsplit(":", 1)[1])
        equal(self.public, self.keys["server"].public, "the key that is told")

    def _read(self):
        for line in self.process.stderr:
            self.err += line.decode(errors="replace")

    def says(self, pattern):
        return wait_for(lambda: re.search(pattern, self.err) or
                        (self.process.poll() is not None and
                         check(False, "the host has ended: " + self.err)), pattern)

    def environment(self, name, endpoint=None):
        return {"PIGPEN_ENDPOINT": endpoint or self.endpoint,
                "PIGPEN_SERVER_KEY": self.public, "PIGPEN_KEY_FILE": self.keys[name].path}

    def remote(self, name, **options):
        return Remote(self.endpoint, self.public, self.keys[name], **options)

    def counts(self):
        """(opened, admitted, unknown, refused, from strangers)"""
        found = self.says(r"remote connections: (\d+) opened, (\d+) admitted, (\d+) with "
                          r"an unknown key, (\d+) refused; (\d+) messages")
        return tuple(int(n) for n in found.groups())

    def result(self):
        """The JSON that it prints, once it has ended well."""
        out = self.process.stdout.read()
        equal(self.process.wait(), 0, "exit status of the host, which says %s" % self.err)
        self.lines.join()
        return json.loads(out)


def no_faults(result, matches):
    equal(len(result["matches"]), matches, "matches")
    for match in result["matches"]:
        equal((match["void"], match["faults"]), (None, []), "match %d" % match["number"])


@test
def keygen_never_overwrites(t):
    done = t.pigpen("keygen", "ann").ok()
    with open(t.path("ann.pub")) as file:
        equal(file.read(), done.out, "ann.pub")
    equal(os.stat(t.path("ann.key")).st_mode & 0o777, 0o600, "mode of ann.key")
    contains(done.err, "PIGPEN_KEY_FILE=ann.key", "what to do next")
    again = t.pigpen("keygen", "ann")
    equal(again.status, 2, "exit status")
    contains(again.err, "File exists", "the second time")
    equal(t.pigpen("keygen", "../a b").status, 2, "a name that is none")


def sdk_bot(t, kind):
    if kind == "c":
        return [os.path.join(ROOT, "sample_bots/c/first/first")]
    if kind == "python":
        return [PYTHON, t.write("bot.py", FIRST)]
    if kind == "bridge":
        return [PIGPEN, "bridge", "--", PYTHON, t.write("lines.py", LINES)]
    if not shutil.which("node") or not os.path.isdir(MODULES):
        skip("needs node and its packages (make deps-test)")
    return ["node", os.path.join(ROOT, "sample_bots/javascript/random/bot.js")]


def sdk_environment(host, endpoint=None, **more):
    return {**host.environment("ann", endpoint), "NODE_PATH": MODULES + ":" + os.path.dirname(MODULES),
            "PYTHONPATH": os.path.join(ROOT, "sample_bots/python/sdk"), **more}


SDKS = dict(c="c", python="python", javascript="javascript", bridge="bridge")


@cases(**SDKS)
def every_sdk_plays_from_elsewhere(t, kind):
    host = Host(t, "dirty_pig", "remote:ann", "first", "-n", "3", "--json")
    bot = t.start(sdk_bot(t, kind), env=sdk_environment(host))
    no_faults(host.result(), 3)
    equal(t.finish(bot).status, 0, "exit status of the bot")
    contains(host.err, "ann is online", "what the host says")


@cases(python=("BUSY_PY", "python"), javascript=("BUSY_JS", "javascript"))
def a_bot_that_reads_its_bye_late_gets_it(t, case):
    """When the connection ends, libzmq drops what the bot has not read yet."""
    text, kind = case
    bot = sdk_bot(t, kind)
    bot[-1] = t.write("busy" + os.path.splitext(bot[-1])[1], globals()[text])
    host = Host(t, "dirty_pig", "remote:ann", "first", "--json")
    done = t.start(bot, env=sdk_environment(host, PIGPEN_RECONNECT_MS="1000"))
    no_faults(host.result(), 1)
    equal(t.finish(done).status, 0, "exit status of the bot")


@test
def a_bot_that_stays_after_bye_keeps_the_host_for_a_while_only(t):
    host = Host(t, "dirty_pig", "remote:ann", "first", "--json")
    ann = host.remote("ann")
    act = ann.join()
    while act["t"] == "act":
        ann.answer(act)
        act = ann.expect("act", "end")
    ann.expect("bye")
    no_faults(host.result(), 1)
    ann.close()


@test
def who_is_in_a_hurry_interrupts_the_host_twice(t):
    host = Host(t, "dirty_pig", "remote:ann", "first", "--json", "--clock", SLOW)
    ann = host.remote("ann")
    ann.join()
    start = time.monotonic()
    host.process.send_signal(signal.SIGINT)
    ann.expect("end")
    ann.expect("bye")
    host.process.send_signal(signal.SIGINT)
    host.process.stdout.read()
    equal(host.process.wait(), 1, "exit status of the host")
    took = time.monotonic() - start
    host.lines.join()
    check(took < BYE_S, "the host has waited for %.1f s" % took)
    ann.close()


@cases(**SDKS)
def a_bot_whose_host_is_killed_ends_by_itself(t, kind):
    host = Host(t, "dirty_pig", "remote:ann", "remote:bob", "--json", "--clock", SLOW)
    bot = t.start(sdk_bot(t, kind), env=sdk_environment(host, PIGPEN_RECONNECT_MS="1000"))
    bob = host.remote("bob")
    equal(bob.hello()["t"], "welcome", "bob")
    bob.expect("match")  # it begins when ann is there too
    host.process.kill()
    done = t.finish(bot)
    equal(done.status, 1, "exit status of the bot")
    contains(done.err, "the connection to %s is lost; trying again" % host.endpoint, "first")
    contains(done.err, "no connection to %s for 1 s; giving up" % host.endpoint, "at last")
    host.process.wait()
    host.lines.join()
    bob.close()


@cases(closed=(True, "c"), silent=(False, "c"), silent_python=(False, "python"),
       silent_javascript=(False, "javascript"))
def a_bot_that_is_cut_off_for_good_ends_by_itself(t, case):
    closed, kind = case
    host = Host(t, "dirty_pig", "remote:ann", "remote:bob", "--json", "--clock", SLOW)
    proxy = Proxy(host.port)
    endpoint = "tcp://127.0.0.1:%d" % proxy.port
    bot = t.start(sdk_bot(t, kind),
                  env=sdk_environment(host, endpoint, PIGPEN_RECONNECT_MS="1000"))
    host.says("ann is online")
    proxy.refuse()
    if closed:
        proxy.cut()
    else:
        proxy.stop()  # heartbeats go unanswered
    done = t.finish(bot)
    equal(done.status, 1, "exit status of the bot")
    contains(done.err, "no connection to %s for 1 s; giving up" % endpoint, "what it says")
    proxy.close()
    host.process.kill()
    host.process.wait()
    host.lines.join()


FIRST = """
import pigpen

class First(pigpen.Bot):
    name = "first"
    def act(self, match, act):
        return 0

pigpen.run(First())
"""

# Both are still busy with `end` when bye has long been there.
BUSY_PY = """
import pigpen, time

class Busy(pigpen.Bot):
    def act(self, match, act):
        return 0
    def end(self, match, result, events):
        time.sleep(1)

pigpen.run(Busy())
"""

BUSY_JS = """
const pigpen = require("pigpen.js");

pigpen.run({
  act: () => 0,
  end() {
    const until = Date.now() + 1000;
    while (Date.now() < until);
  },
});
"""

# Plays on after its tenth match only when it is allowed to.
GATED = """
import os, pigpen, time

class Gated(pigpen.Bot):
    over = 0
    def act(self, match, act):
        while self.over == 10 and not os.path.exists("go"):
            time.sleep(0.01)
        return 0
    def end(self, match, result, events):
        self.over += 1

pigpen.run(Gated())
"""

LINES = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["t"] == "match":
        print(json.dumps({"t": "ready", "match": m["match"]}), flush=True)
    elif m["t"] == "act":
        print(json.dumps({"t": "action", "match": m["match"], "turn": m["turn"],
                          "choice": 0}), flush=True)
"""


@test
def strangers_are_refused_and_counted_and_harm_nobody(t):
    host = Host(t, "dirty_pig", "remote:ann", "first", "--json", "--clock", SLOW)
    eve = Key(t, "eve")
    ann = host.remote("ann")
    act = ann.join()
    others = [
        Remote(host.endpoint, host.public, eve),                   # not on the list
        Remote(host.endpoint, eve.public, host.keys["bob"]),       # wrong server key
        Remote(host.endpoint, None, eve)]                          # plain
    for other in others:
        other.socket.send(b"x")
    sockets = [
        raw(host.port, b"\xff" + bytes(8) + b"\x7f\x01\x05"),           # ZMTP 2, without keys
        raw(host.port, b"GET / HTTP/1.1\r\n\r\n" + b"x" * 100),
        raw(host.port, os.urandom(4096)),
        raw(host.port, b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48)),
        raw(host.port)]                                                 # says nothing
    wait_closed(sockets)
    for other in others:
        check(other.silent(), "a stranger got an answer")
        other.close()
    ann.play(act)
    no_faults(host.result(), 1)
    opened, admitted, unknown, refused, _ = host.counts()
    equal(admitted, 1, "admitted")
    check(unknown >= 1, "unknown keys: %d" % unknown)
    check(refused >= 7, "refused: %d" % refused)
    check(opened >= 9, "opened: %d" % opened)


@test
def nobody_takes_anothers_seat(t):
    host = Host(t, "dirty_pig", "remote:ann", "remote:bob", "--json", "--clock", SLOW)
    ann = host.remote("ann")
    equal(ann.hello()["t"], "welcome", "ann")
    # A key of the list with the token of another.
    thief = host.remote("bob", token="ann")
    equal(thief.hello()["code"], "token", "bob with ann's token")
    # The same key a second time.
    twin = host.remote("ann")
    equal(twin.hello()["code"], "live", "ann's second connection")
    twin.say(t="action", match=1, turn=1, choice=0)
    equal(twin.next()["code"], "no_hello", "without a welcome")
    bob = host.remote("bob")
    equal(bob.hello()["t"], "welcome", "bob")
    ann.say(t="ready", match=ann.expect("match")["match"])
    bob.say(t="ready", match=bob.expect("match")["match"])
    first = wait_for(lambda: next((r for r in (ann, bob) if r.socket.poll(50)), None), "act")
    act = first.expect("act")
    # With a routing id of his own choice bob could wait for what is meant for another.
    mask = host.remote("bob", routing_id=b"same")
    mask.say(t="action", match=act["match"], turn=act["turn"], choice=0)
    equal(mask.next()["code"], "routing_id", "bob behind a routing id")
    ann.close()
    ann = host.remote("ann")
    message = wait_for(lambda: again(ann), "ann comes back")
    equal(message["t"], "welcome", "ann comes back: %s" % message)
    resume = ann.expect("resume")
    threads = [threading.Thread(target=ann.play, args=[resumed(resume)]),
               threading.Thread(target=bob.play, args=[act if first is bob else None])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    no_faults(host.result(), 1)
    check(host.counts()[4] >= 3, "messages of strangers are not counted")
    for other in (thief, twin, mask):
        other.close()


def again(remote):
    """Hello, until the old connection is known to be dead; more often would be a flood."""
    time.sleep(0.1)
    message = remote.hello()
    return None if message.get("code") == "live" else message


def resumed(resume):
    return {"match": resume["match"], "turn": resume["act"]["turn"]} if "act" in resume \
        else None


@test
def thousands_of_half_open_connections_harm_nobody(t):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    check(hard == resource.RLIM_INFINITY or hard > 3 * HALF_OPEN,
          "this needs more than %d descriptors" % (3 * HALF_OPEN))
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 3 * HALF_OPEN), hard))
    host = Host(t, "dirty_pig", "remote:ann", "first", "-n", "60", "--json")
    bot = host.remote("ann")
    equal(bot.hello()["t"], "welcome", "ann")
    flood = []

    def until(over):
        if over == 20:
            flood.extend(raw(host.port, b"\xff" if n % 2 else b"") for n in range(HALF_OPEN))
        if over == 40:
            wait_closed(flood)
            # Who comes after a flood is as welcome as before.
            late = host.remote("bob")
            equal(late.hello()["code"], "token", "bob, who does not play")
            late.close()
    equal(bot.play(until=until), 60, "matches")
    no_faults(host.result(), 60)
    opened, admitted, _, refused, _ = host.counts()
    equal(admitted, 2, "admitted")
    check(refused >= HALF_OPEN, "refused: %d" % refused)


@test
def a_bot_that_is_killed_and_started_again_plays_on(t):
    host = Host(t, "dirty_pig", "remote:ann", "first", "--json", "--clock", SLOW)
    ann = host.remote("ann")
    act = ann.join()
    for _ in range(3):
        ann.close()
        ann = host.remote("ann")
        equal(wait_for(lambda: again(ann), "ann comes back")["t"], "welcome", "answer")
        act = resumed(ann.expect("resume"))
        ann.answer(act)
        act = ann.expect("act")
    ann.play(act)
    no_faults(host.result(), 1)
    contains(host.err, "4 admitted", "counts")


class Proxy:
    """Passes bytes on, until they are cut."""

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.pairs, self.lock = [], threading.Lock()
        self.stopped = False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                one = self.listener.accept()[0]
                other = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            with self.lock:
                self.pairs.append((one, other))
            for a, b in ((one, other), (other, one)):
                threading.Thread(target=self._pass, args=(a, b), daemon=True).start()

    def stop(self):
        """From now on nothing gets through, and nobody is told."""
        self.stopped = True

    def _pass(self, a, b):
        try:
            while data := a.recv(65536):
                if not self.stopped:
                    b.sendall(data)
        except OSError:
            pass
        for end in (a, b):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        return len(pairs)

    def refuse(self):
        """No more connections. A thread that waits in accept() would keep the socket."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def close(self):
        self.listener.close()
        self.cut()


@test
def a_link_that_is_cut_costs_no_match(t):
    host = Host(t, "dirty_pig", "remote:ann", "first", "-n", "20", "--json",
                "--clock", SLOW)
    proxy = Proxy(host.port)
    bot = t.start([PYTHON, t.write("gated.py", GATED)],
                  env=sdk_environment(host, "tcp://127.0.0.1:%d" % proxy.port))
    host.says("ann is online")
    for _ in range(3):
        wait_for(proxy.cut, "a link to cut")
    t.write("go", "")
    no_faults(host.result(), 20)
    equal(t.finish(bot).status, 0, "exit status of the bot")
    check(host.counts()[1] >= 2, "the link was never cut")
    proxy.close()


@test
def who_goes_for_good_in_a_match_is_disconnected(t):
    host = Host(t, "dirty_pig", "remote:ann", "first", "--json", "--clock",
                "bank=0s,inc=0s,move=3s")
    ann = host.remote("ann")
    ann.join()
    ann.close()
    result = host.result()
    faults = result["matches"][0]["faults"]
    equal([(f["seat"], f["class"]) for f in faults], [(0, "disconnect")], "faults")
    contains(faults[0]["why"], "the connection was lost and did not come back", "why")


@test
def who_is_not_known_or_has_the_wrong_server_is_told_so(t):
    host = Host(t, "dirty_pig", "remote:ann", "first", "--json")
    eve = Key(t, "eve")
    bot = [os.path.join(ROOT, "sample_bots/c/first/first")]
    done = t.finish(t.start(bot, env={**host.environment("ann"),
                                      "PIGPEN_KEY_FILE": eve.path}))
    equal(done.status, 1, "exit status")
    contains(done.err, "does not know our key", "what it says")
    lost = t.start(bot, env={**host.environment("ann"), "PIGPEN_SERVER_KEY": eve.public})
    contains(lost.stderr.readline().decode(), "is PIGPEN_SERVER_KEY its public key?",
             "what it says")
    lost.kill()
    done = t.run(*bot, env={**host.environment("ann"), "PIGPEN_KEY_FILE": t.path("none")})
    equal(done.status, 2, "exit status")
    good = t.start(bot, env=host.environment("ann"))
    no_faults(host.result(), 1)
    equal(t.finish(good).status, 0, "exit status")


@cases(nothing=([], "name the address"),
       no_such_key=(["--allow", "keys", "--key", "none"], "none: No such file"),
       no_address=(["--allow", "keys", "--listen", "7000"], "is no address to listen on"),
       unknown=(["remote:eve"], "there is no key of 'eve'"),
       twice=(["remote:ann"], "can hold only one seat"),
       ponder=(["--ponder", "off"], "--ponder off cannot be enforced"),
       cpu=(["--clock-kind", "cpu"], "CPU time of remote bots cannot be known"))
def what_cannot_be_hosted_is_said(t, case):
    words, why = case
    for name in ("server", "ann"):
        t.run(PIGPEN, "keygen", name).ok()
    os.rename(t.path("ann.pub"), t.path("keys"))
    standard = {"--listen": "tcp://127.0.0.1:0", "--key": "server.key", "--allow": "keys"}
    if words:
        for name, value in standard.items():
            if name not in words:
                words = words + [name, value]
    seats = ["remote:ann", *(w for w in words if w.startswith("remote:"))]
    rest = [w for w in words if not w.startswith("remote:")]
    done = t.pigpen("host", "dirty_pig", *seats, *(["first"] if len(seats) < 2 else []),
                    *rest)
    equal(done.status, 2, "exit status")
    contains(done.err, why, "what it says")


@test
def match_knows_no_remote_bots(t):
    done = t.pigpen("match", "dirty_pig", "remote:ann", "first")
    equal(done.status, 2, "exit status")
    contains(done.err, "remote bots play with `pigpen host`", "what it says")


main(workers=2)
