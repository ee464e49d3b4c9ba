#!/usr/bin/python3
"""`pigpen serve` over HTTP: what it shows, what it does not, and that rude clients get
errors and nothing else.
"""
import collections
import contextlib
import glob
import json
import os
import random
import re
import resource
import secrets
import select
import shutil
import signal
import socket
import sqlite3
import threading
import urllib.error
import urllib.request

from harness import PATIENCE_S, ROOT, check, contains, equal, main, skip, slurp, test, wait_for
from support import synthetic
from support.ladders import ladder, play, player, results

MEGABYTE = 1 << 20
HARD_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)[1]


class Site:
    """A served ladder."""

    def __init__(self, t, *words):
        self.process = t.start_pigpen("serve", *words, "--port", "0")
        line = self.process.stdout.readline().decode()
        self.port = int(re.search(r":(\d+)/$", line.strip()).group(1))

    def get(self, path, method="GET", headers=None):
        """(status, headers, body)"""
        request = urllib.request.Request("http://127.0.0.1:%d%s" % (self.port, path),
                                         method=method, headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def json(self, path):
        status, _, body = self.get("/api/" + path)
        equal(status, 200, "status of " + path)
        return json.loads(body)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)

    def raw(self, data):
        """The first line of the answer to these bytes; "" if it hangs up without one."""
        with self.connect() as link, contextlib.suppress(ConnectionError):
            with contextlib.suppress(ConnectionError):
                link.sendall(data)
            return link.makefile("rb").readline().decode(errors="replace").strip()
        return ""

    def memory_bytes(self, key="VmRSS"):
        kilobytes = re.search(rb"%s:\s*(\d+)" % key.encode(), slurp(self.process.pid, "status"))
        return int(kilobytes.group(1)) * 1024

    def well(self):
        equal(self.get("/")[0], 200, "status of the first page afterwards")

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        equal(self.process.wait(PATIENCE_S), 0, "exit status")


@contextlib.contextmanager
def served(t, *words):
    site = Site(t, *words)
    yield site
    site.close()


def small(t, sets=6):
    path = ladder(t, "random", "greedy", "first")
    play(t, path, sets)
    return path


@test
def the_api_says_what_the_commands_say(t):
    path = small(t, 30)
    with served(t, path) as site:
        equal([one["id"] for one in site.json("ladders.json")["ladders"]], ["ladder"],
              "ladders")
        for name in ("standings", "matrix"):
            told = t.pigpen("ladder", name, path, "--json").ok().json()
            check(near(site.json("ladder/%s.json" % name), told), name + " differs")
        matches = results(t, path)
        listed = [one for page in range(2)
                  for one in site.json("ladder/lists/all/%d.json" % page)["matches"]]
        equal([(one["set"], one["rotation"]) for one in reversed(listed)],
              [(one["set"], one["rotation"]) for one in matches], "matches")
        equal([[(seat["entrant"], seat["score"], seat["rank"]) for seat in one["seats"]]
               for one in reversed(listed)],
              [[(seat["entrant"], seat["score"], seat["rank"]) for seat in one["seats"]]
               for one in matches], "seats")
        for number in (1, 2, 3):
            bot = site.json("ladder/bots/%d.json" % number)
            mine = [(one, seat) for one in matches for seat in one["seats"]
                    if seat["entrant"] == number]
            equal(sum(seat["matches"] for seat in bot["seats"]), len(mine), "matches")
            equal(sum(one["won"] for one in bot["opponents"]),
                  sum(seat["rank"] == 1 and any(o["rank"] > 1 for o in one["seats"])
                      for one, seat in mine), "won")
            equal(site.json("ladder/lists/bot-%d/0.json" % number)["total"], len(mine),
                  "its list")
        epochs = rows(path, "SELECT count(*) FROM epochs")[0][0]
        for series in site.json("ladder/history.json")["entrants"]:
            equal(len(series["points"]), epochs, "points of the history")


def near(a, b):
    """Equal but for the last digits of numbers."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(near(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, float) and isinstance(b, (int, float)):
        return abs(a - b) <= 1e-5 * max(1, abs(b))
    return a == b


def rows(path, sql):
    with contextlib.closing(sqlite3.connect("file:%s/ladder.db?mode=ro" % path, uri=True)) as db:
        return db.execute(sql).fetchall()


@test
def a_replay_is_shown_only_when_its_set_is_complete(t):
    path = small(t)
    with served(t, path) as site:
        equal(site.get("/api/ladder/matches/2-0/viewer.json")[0], 200, "status")
        replay = site.get("/api/ladder/matches/2-0/replay")[2]
        t.write("copy.replay", "")
        with open(t.path("copy.replay"), "wb") as file:
            file.write(replay)
        t.pigpen("replay", "verify", t.path("copy.replay")).ok()
        # The replay is there, but the set is under way.
        with contextlib.closing(sqlite3.connect(path + "/ladder.db")) as db:
            db.execute("UPDATE sets SET state='planned' WHERE id=2")
            db.commit()
        for name in (".json", "/viewer.json", "/replay"):
            equal(site.get("/api/ladder/matches/2-0" + name)[0], 404, "status of " + name)
        equal(site.get("/api/ladder/matches/3-0/viewer.json")[0], 200, "another set")


@test
def a_running_ladder_is_followed(t):
    path = ladder(t, "random", "greedy")
    with served(t, path) as site:
        equal(site.json("ladder/standings.json")["sets"], 0, "sets")
        run = t.start_pigpen("ladder", "run", path, "--sets", "40", "--jobs", "1")
        wait_for(lambda: site.json("ladder/standings.json")["sets"] > 0, "a result")
        equal(t.finish(run, 600).status, 0, "exit status of run")
        wait_for(lambda: site.json("ladder/standings.json")["sets"] == 40, "all results")
    t.pigpen("ladder", "doctor", path).ok()


@test
def answers_can_be_kept_and_are_protected(t):
    with served(t, small(t)) as site:
        for path in ("/", "/pages/common.js", "/api/ladders.json", "/nothing"):
            _, headers, _ = site.get(path)
            policy = headers["Content-Security-Policy"]
            contains(policy, "default-src 'none'", "policy of " + path)
            check("unsafe" not in policy, "policy of %s: %s" % (path, policy))
            equal(headers["X-Content-Type-Options"], "nosniff", "header")
        status, headers, body = site.get("/api/ladder/standings.json")
        equal(status, 200, "status")
        status, _, rest = site.get("/api/ladder/standings.json",
                                   headers={"If-None-Match": headers["ETag"]})
        equal((status, rest), (304, b""), "asked again")
        status, headers, rest = site.get("/api/ladder/standings.json", "HEAD")
        equal((status, rest, int(headers["Content-Length"])), (200, b"", len(body)), "HEAD")


@test
def nothing_lies_outside_the_site(t):
    path = small(t)
    with open(path + "/key") as file:
        key = file.read().strip()
    with served(t, path) as site:
        for name in ("/../ladder.db", "/api/../../key", "/api/ladder/../key",
                     "/api/ladder/key", "/%2e%2e/key", "/api/ladder/%2e%2e%2fkey",
                     "/pages/../ladder.json", "//etc/passwd", "/viewer/template.html",
                     "/api/ladder/matches/1-0/../../key", "/api/ladder/matches/1-99.json",
                     "/api/ladder/matches/01-0.json", "/api/ladder/matches/-1-0.json",
                     "/api/ladder/bots/99999999999999999999.json", "/api/ladder/bots/.json",
                     "/api/ladder/bots/1%00.json", "/api/ladder/lists/bot-0/0.json",
                     "/api/ladder/lists/all/999999999999999.json", "/api/ladder", "/api/",
                     "/api/ladder/", "/api/lad/standings.json", "/" + "x" * 3000):
            line = site.raw(("GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n" % name).encode())
            contains(line, " 404 ", "answer to " + name[:60])
        for name in glob.glob(path + "/**", recursive=True):
            if os.path.isfile(name) and not name.endswith((".zst", ".replay")):
                equal(site.get("/" + os.path.relpath(name, path))[0], 404, name)
        everything = b"".join(site.get("/api/" + one)[2] for one in (
            "ladders.json", "ladder/standings.json", "ladder/bots/1.json"))
        check(key.encode() not in everything, "the key is shown")


@test
def other_methods_are_refused(t):
    with served(t, small(t)) as site:
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "NONSENSE"):
            status, headers, _ = site.get("/", method)
            equal((status, headers["Allow"]), (405, "GET, HEAD"), method)
        site.well()


@test
def giant_requests_are_refused_and_cost_no_memory(t):
    with served(t, small(t)) as site:
        before = site.memory_bytes()
        for data in (b"GET / HTTP/1.1\r\nHost: localhost\r\nA: " + b"x" * MEGABYTE + b"\r\n\r\n",
                     b"GET /" + b"x" * MEGABYTE + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"A: x\r\n" * 200000 + b"\r\n"):
            line = site.raw(data)
            check(not line or re.match(r"HTTP/1\.[01] 4\d\d ", line), "answer: " + line)
        body = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"
        contains(site.raw(body + b"x" * 8 * MEGABYTE), " 405 ", "a giant body")
        line = site.raw(b"GET / HTTP/1.0\r\nHost: localhost\r\nContent-Length: 4000000\r\n\r\n"
                        + b"x" * 4000000)
        check(not line or " 200 " in line or " 4" in line, "a body with GET: " + line)
        for data in (b"\0\xff\xfe" * 1000 + b"\r\n\r\n", b"\r\n" * 10000, b"GET\r\n\r\n",
                     b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"):
            line = site.raw(data + b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
            check(not line or line.startswith("HTTP/1."), "answer: " + line)
        grown = site.memory_bytes() - before
        check(grown < 32 * MEGABYTE, "grew by %d bytes" % grown)
        site.well()


@test
def slow_and_silent_clients_keep_nobody_out(t):
    with served(t, small(t)) as site:
        silent = [site.connect() for _ in range(200)]
        for i, link in enumerate(silent):
            link.sendall(b"GET / HTTP/1.1\r\nHo"[:i % 18])
        # These ask for much and read nothing.
        for link in silent[:50]:
            with contextlib.suppress(OSError):
                link.sendall(b"st: localhost\r\n\r\n" +
                             b"GET /api/ladder/matches/1-0/viewer.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
        site.well()
        check(site.memory_bytes() < 256 * MEGABYTE, "%d bytes" % site.memory_bytes())
        wait_for(lambda: all(closed(link) for link in silent), "the silent to be hung up on")
        site.well()


def closed(link):
    """Has the other side hung up? What it sent before is read and dropped."""
    link.setblocking(False)
    try:
        while link.recv(65536):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def drip(links, stop):
    """A little more of the headers for each link that is still open, again and again."""
    while not stop.wait(0.5):
        for link in links:
            with contextlib.suppress(OSError):
                link.send(b"X: y\r\n", socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT)


@test
def headers_without_end_keep_nobody_out(t):
    with served(t, small(t)) as site:
        stop = threading.Event()
        links = [site.connect() for _ in range(480)]
        for link in links:
            link.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        dripping = threading.Thread(target=drip, args=(links, stop))
        dripping.start()
        try:
            site.well()
            slow = [site.connect() for _ in range(3)]
            links += slow
            wait_for(lambda: all(closed(link) for link in links), "all to be hung up on")
        finally:
            stop.set()
            dripping.join()
        for link in links:
            link.close()
        site.well()


def status_line(site, *lines, body=b""):
    """The first line of the answer to a request of these lines."""
    return site.raw("".join(line + "\r\n" for line in (*lines, "")).encode("latin-1") + body)


FOREIGN = ("evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
           "localhost@evil.example", "localhost:80:80", "localhost:x", "[::1", "[::1]x", "[::1]:x", "[]",
           "localhost,evil.example", "127.1", "0", ":80", "::1", "localhost evil.example", "\xff", " ")
OURS = ("localhost", "LOCALHOST:1", "127.0.0.1", "127.9.9.9:65535", "[::1]", "[::1]:80", "[0::1]:80")


@test
def only_names_of_this_site_are_answered(t):
    path = small(t, 2)
    with served(t, path, "--host", "pigs.example", "--host", "192.0.2.7") as site:
        for method in ("GET", "HEAD", "POST"):
            for hosts, status in ((OURS + ("pigs.example", "Pigs.Example:81", "192.0.2.7:8080"),
                                   405 if method == "POST" else 200),
                                  (FOREIGN + ("192.0.2.8", "[2001:db8::1]"), 421)):
                for host in hosts:
                    line = status_line(site, method + " / HTTP/1.1", "Host: " + host)
                    contains(line, " %d " % status, "%s with Host: %s" % (method, host))
        for version in ("1.0", "1.1"):
            contains(status_line(site, "GET / HTTP/" + version), " 400 ", "without a Host")
    # Who listens to other machines is reached by addresses that it does not know.
    with served(t, path, "--bind", "0.0.0.0") as site:
        for host, status in (("192.0.2.8:80", 200), ("[2001:db8::1]", 200), ("localhost", 200),
                             ("evil.example", 421)):
            contains(status_line(site, "GET / HTTP/1.1", "Host: " + host), " %d " % status, host)


@test
def what_can_be_read_in_two_ways_is_refused(t):
    with served(t, small(t, 2)) as site:
        post, get = "POST /api/play/matches HTTP/1.1", "GET / HTTP/1.1"
        for first, lines in (
                (post, ["Content-Length: 2", "Transfer-Encoding: chunked"]),
                (get, ["Content-Length: 2", "Transfer-Encoding: chunked"]),
                (post, ["Transfer-Encoding: chunked"]), (get, ["Transfer-Encoding: identity"]),
                (get, ["transfer-encoding:\tchunked"]), (post, ["Transfer-Encoding: xchunked"]),
                (post, ["Content-Length: 2", "Content-Length: 2"]),
                (post, ["Content-Length: 2", "content-length: 3"]),
                (post, ["Content-Length: 2, 2"]), (post, ["Content-Length: +2"]),
                (post, ["Content-Length: 0x2"]), (post, ["Content-Length: -2"]),
                (post, ["Content-Length: 99999999999999999999"]),
                (get, ["Host: localhost"]), (get, ["Host: evil.example"]),
                (post, ["Content-Length: 2", "Origin: http://localhost", "Origin: http://evil.example"]),
                (get, ["Authorization: Bearer a", "Authorization: Bearer b"]),
                ("GET http://localhost/ HTTP/1.1", []), ("GET http://evil.example/ HTTP/1.1", []),
                ("OPTIONS * HTTP/1.1", []), ("CONNECT evil.example:443 HTTP/1.1", [])):
            line = status_line(site, first, "Host: localhost", *lines, body=b"{}")
            check(re.match(r"HTTP/1\.[01] 4(00|11|13) ", line), "%s %s: %s" % (first, lines, line))
        site.well()


@test
def a_connection_has_one_request(t):
    """So nobody gets the answer to a request that was hidden in another one."""
    hidden = b"GET /api/ladders.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with served(t, small(t, 2)) as site:
        for data in (b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"GET /nothing HTTP/1.1\nHost: localhost\n\n",
                     b"GET /nothing HTTP/1.1\r\nHost: localhost\r\nX: a\r\r",
                     b"GET /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
                     b"POST /api/play/matches HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Length: 2\r\n\r\n{}"):
            with site.connect() as link:
                link.sendall(data + hidden)
                answer = b""
                with contextlib.suppress(ConnectionError):
                    answer = b"".join(iter(lambda: link.recv(65536), b""))
            equal(answer.count(b"HTTP/1."), 1, "answers to %r" % data)
            contains(answer.decode().lower(), "\r\nconnection: close\r\n", "answer")


REQUESTS = (
    b"GET /api/ladder/lists/bot-1/0.json?x=%41 HTTP/1.1\r\nHost: [::1]:80\r\nIf-None-Match: \"0\"\r\n"
    b"Authorization: Bearer pp_x\r\nAccept: */*\r\n\r\n",
    b"GET /api/ladder/matches/1-0/viewer.json HTTP/1.0\r\nHost: localhost\r\nRange: bytes=0-1\r\n\r\n",
    b"POST /api/play/matches HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
    b"Content-Length: 60\r\nExpect: 100-continue\r\n\r\n"
    b'{"game":"dirty_pig","seats":["human"],"options":{"hand":3}}\n',
    b"POST /api/play/actions/00000000000000000000000000000000 HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Length: 21\r\n\r\n" b'{"turn":1,"choice":0}',
    b"POST /api/ladder/submit HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer pp_x\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
PIECES = (b"\r\n", b"\n", b"\r", b"\0", b" ", b":", b"%00", b"%", b"/..", b"\xff", b"\xc3", b"99999999999999999999",
          b"Content-Length: 3\r\n", b"Host: x\r\n", b"chunked", b"\r\n ", b"{", b"[", b'"', b"\t", b"HTTP/1.1")


def mutated(dice, data):
    """The bytes with a few of them changed, left out, doubled, or others put in."""
    data = bytearray(data)
    for _ in range(dice.randint(1, 5)):
        at, size = dice.randrange(len(data) + 1), dice.choice((0, 1, 1, 2, 8, 40))
        data[at:at + size] = dice.choice((b"", dice.choice(PIECES), dice.randbytes(size),
                                          bytes(data[at:at + size]) * 2))
    return bytes(data)


@test
def mutated_requests_end_nothing(t):
    seed = secrets.randbits(32)
    dice = random.Random(seed)
    with served(t, small(t, 2), "--played", t.path("played")) as site:
        # At once, since those without an end are waited for.
        requests = [mutated(dice, dice.choice(REQUESTS)) for _ in range(400)]
        links = [site.connect() for _ in requests]
        for link, data in zip(links, requests):
            with contextlib.suppress(ConnectionError):
                link.sendall(data)
        for link, data in zip(links, requests):
            with link, contextlib.suppress(ConnectionError):
                answer = b"".join(iter(lambda link=link: link.recv(65536), b""))
                check(not answer or re.match(rb"HTTP/1\.[01] [1-4]\d\d ", answer),
                      "seed %d: %r is answered with %.80r" % (seed, data, answer))
        check(site.process.poll() is None, "the server ended with seed %d" % seed)
        site.well()


@test
def more_connections_than_allowed_wait(t):
    with served(t, small(t)) as site:
        links = []
        with contextlib.suppress(OSError):
            for _ in range(900):
                links.append(site.connect())
        check(site.memory_bytes() < 256 * MEGABYTE, "%d bytes" % site.memory_bytes())
        for link in links:
            link.close()
        wait_for(lambda: quiet_status(site) == 200, "service afterwards")


def quiet_status(site):
    try:
        return site.get("/")[0]
    except OSError:
        return None


# A bot's fourth question waits until the test has written a file.
GATED = "import time; [time.sleep(0.02) for _ in iter(lambda: m['turn'] < 4 or " \
    "os.path.exists(%r), True)]"


def thinking(t, name, on_act):
    """A bot that takes its time, so that there is something to watch, and leaves notes."""
    folder = player(t, name, on_act=on_act)
    with open(folder + "/player.py") as file:
        text = file.read()
    with open(folder + "/player.py", "w") as file:
        file.write(text.replace("choice=0)", 'choice=0, note="my secret plan")'))
    return folder


@contextlib.contextmanager
def running(t, on_act):
    """A served ladder that plays slowly; gives the site and one match under way."""
    path = ladder(t, thinking(t, "one", on_act), thinking(t, "two", on_act),
                  options=("--clock", "bank=3600s,inc=0s,move=600s"))
    with served(t, path) as site:
        run = t.start_pigpen("ladder", "run", path, "--jobs", "1")
        match = wait_for(lambda: site.json("ladder/live.json")["matches"], "a match")[0]
        yield site, match
        run.send_signal(signal.SIGINT)
        t.finish(run)


def stream(site, match):
    link = site.connect()
    link.sendall(b"GET /api/ladder/live/%d-%d HTTP/1.0\r\nHost: localhost\r\n\r\n"
                 % (match["set"], match["rotation"]))
    return link


def events(link):
    """(name, value) of each event until the stream ends."""
    name = None
    for line in link.makefile("r", encoding="utf-8", newline="\n"):
        if line.startswith("event: "):
            name = line[7:].strip()
        elif line.startswith("data: "):
            yield name, json.loads(line[6:])


@test
def a_match_under_way_is_followed_as_a_spectator_sees_it(t):
    with running(t, GATED % t.path("go")) as (site, match):
        equal(sorted(match["entrants"]), [1, 2], "entrants")
        address = "/api/ladder/matches/%d-%d" % (match["set"], match["rotation"])
        equal(site.get(address + "/viewer.json")[0], 404, "the replay while it is played")
        with stream(site, match) as link:
            told = []
            for event in events(link):
                if event[0] != "now":
                    told.append(event)
                if len(told) == 6 and not os.path.exists(t.path("go")):
                    equal(site.get(address + "/viewer.json")[0], 404, "the replay meanwhile")
                    t.write("go", "")
        equal([told[0][0], told[-1][0]], ["head", "end"], "first and last")
        head, steps = told[0][1], [value for name, value in told if name == "step"]
        equal(head["for"], "spectator", "audience")
        equal(head["table"]["own"], [None, None], "hands")
        check(len(steps) > 5, "%d steps" % len(steps))
        for step in steps:
            extra = set(step) - {"chance", "decision", "events", "table", "result"}
            check(not extra, "a step shows %s" % extra)
        check("secret" not in json.dumps(told), "a note is shown")
        check("result" in steps[-1], "the last step is %s" % steps[-1])


STREAMS_MAX = 256  # of those that are let in; further ones are refused or wait outside


def open_streams(site, match, count):
    """Connections that have asked for a stream, all at once."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 1000, HARD_FILES))
    links = []
    for _ in range(count):
        link = socket.socket()
        link.setblocking(False)
        link.connect_ex(("127.0.0.1", site.port))
        links.append(link)
    waiting = select.poll()
    for link in links:
        waiting.register(link, select.POLLOUT)
    request = b"GET /api/ladder/live/%d-%d HTTP/1.0\r\nHost: localhost\r\n\r\n" % (
        match["set"], match["rotation"])
    by_number, asked = {link.fileno(): link for link in links}, 0
    while asked < count:
        # Where the queue is full, the kernel tries again after seconds.
        found = waiting.poll(1000 * PATIENCE_S)
        check(found, "only %d of %d could connect" % (asked, count))
        for number, _ in found:
            waiting.unregister(number)
            with contextlib.suppress(OSError):
                by_number[number].send(request)
            asked += 1
    return links


def first_lines(links):
    """The first line of the answer to each that was answered."""
    told = []
    for link in links:
        with contextlib.suppress(OSError):
            told.append(link.recv(4096, socket.MSG_PEEK).split(b"\r\n")[0].decode())
    return told


def stream_status(site, match):
    with stream(site, match) as link:
        return link.makefile("rb").readline().decode()[9:12]


@test
def thousands_of_streams_cost_little(t):
    with running(t, "import time; time.sleep(10)") as (site, match):
        before = site.memory_bytes()
        links = open_streams(site, match, 3000)
        wait_for(lambda: len(first_lines(links)) == len(links), "all to be answered")
        answers = collections.Counter(line[9:12] for line in first_lines(links))
        # Who took a second to ask, where all want to be served, was hung up on.
        equal(sorted(set(answers) - {""}), ["200", "503"], "answers")
        check(answers["200"] <= STREAMS_MAX, "%d streams" % answers["200"])
        for link in links:
            link.close()
        wait_for(lambda: quiet_status(site) == 200, "service afterwards")
        grown = site.memory_bytes("VmHWM") - before
        check(grown < 64 * MEGABYTE, "grew by %d bytes" % grown)
        wait_for(lambda: stream_status(site, match) == "200", "another stream to be let in")
        # Stopping with streams open must not wait for them.
        links = [stream(site, match) for _ in range(20)]
        links[0].makefile("rb").readline()
    for link in links:
        link.close()


# Just enough of a page to see what its texts and attributes are.
DOM = """
class Node {
	constructor() { this.texts = []; }
	append(...children) { this.texts.push(...children.filter(one => !(one instanceof Node))); }
	setAttribute(key, value) { this.texts.push(value); }
	addEventListener() {}
}
const window = globalThis, document = {createElement: () => new Node(), createElementNS: () => new Node()};
%s
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(texts.map(text => [Dom.el('p', {title: text}, text, Dom.el('b', {}, text)),
	Dom.svg('text', {}, [text])].flatMap(node => node.texts))));
"""
STEERING = [chr(c) for c in (*range(9), *range(11, 32), *range(127, 160), 0xad, 0x61c, 0x200b, 0x200e,
                             0x200f, *range(0x2028, 0x202f), *range(0x2066, 0x206a), 0xfeff, 0xe0041)]
HARMLESS = ["greedy", "two\nlines\tand a tab", "Größe", "שלום", "👩‍💻", "<b>bold</b>", "\\u{202e}"]


@test
def texts_of_bots_steer_nothing(t):
    node = shutil.which("node")
    if not node:
        skip("node is not installed")
    with open(os.path.join(ROOT, "arbiter", "web", "pages", "dom.js")) as file:
        script = t.write("dom.js", DOM % file.read())
    with open(t.write("texts", json.dumps(["a%sb" % one for one in STEERING] + HARMLESS))) as texts:
        told = t.run(node, script, stdin=texts).ok().json()
    for one, shown in zip(STEERING, told):
        equal(shown, ["a\\u{%x}b" % ord(one)] * 3, "U+%04X" % ord(one))
    equal(told[len(STEERING):], [[text] * 3 for text in HARMLESS], "harmless texts")


@test
def a_ring_is_found(t):
    path = ladder(t, "random", "greedy", "first")
    synthetic.fill(path, 120, ring=True)
    with served(t, path) as site:
        matrix = site.json("ladder/matrix.json")
        equal(matrix["rings"], [[1, 2, 3]], "rings")
        scores = {(cell["row"], cell["column"]): cell["score"] for cell in matrix["cells"]}
        for a, b in ((1, 2), (2, 3), (3, 1)):
            check(scores[a, b] > 0.8 and scores[b, a] < 0.2, "%d against %d: %s" % (a, b, scores))


@test
def bad_words_are_user_errors(t):
    path = small(t, 2)
    for words, text in (([], "name a ladder"), ([t.folder], "no ladder.json"),
                        ([path, "--port", "99999"], "is not a valid port"),
                        ([path, "--bind", "localhost"], "numeric address")):
        done = t.pigpen("serve", *words)
        equal(done.status, 2, "exit status of " + " ".join(words))
        contains(done.err, text, "message")
    with served(t, path) as site:
        done = t.pigpen("serve", path, "--port", str(site.port))
        equal(done.status, 2, "exit status with a port in use")
        contains(done.err, "--port", "message")
    done = t.pigpen("ladder", "site", path)
    equal(done.status, 2, "exit status of site without a folder")
    done = t.pigpen("ladder", "site", path, path)
    equal(done.status, 2, "exit status of site into a ladder")
    contains(done.err, "is a ladder; name another folder", "message")


@test
def the_site_as_files_holds_what_is_served(t):
    path = small(t)
    out = t.path("out", "site")
    os.mkdir(t.path("out"))
    done = t.pigpen("ladder", "site", path, out, "--matches", "3").ok()
    contains(done.out, "files", "what it says")
    names = [os.path.relpath(name, out) for name in glob.glob(out + "/**", recursive=True)
             if os.path.isfile(name)]
    check("index.html" in names, "there is no index.html")
    equal(len([name for name in names if name.endswith("viewer.json")]), 3, "replays")
    with served(t, path) as site:
        for name in names:
            with open(os.path.join(out, name), "rb") as file:
                body = file.read()
            if name == "api/ladders.json":  # only what is served can be asked for more
                equal(site.json("ladders.json")["ladders"], json.loads(body)["ladders"],
                      name)
                continue
            equal(site.get("/" + name)[2], body, name)


main()
