#!/usr/bin/python3
"""Submitting bots over the page: who may, what is taken, what becomes of it, and what of
a bot is for its owner only.
"""
import contextlib
import fcntl
import glob
import http.client
import io
import json
import os
import re
import shutil
import signal
import tarfile
import time
import zipfile

from harness import (PATIENCE_S, PIGPEN, ROOT, check, command_line, contains, equal, main, skip,
                     test, wait_for)
from support.ladders import ladder, play, player, standings

ARCHIVE_MAX = 32 << 20
GOOD = os.path.join(ROOT, "sample_bots", "python", "greedy")


class Site:
    """A served ladder."""

    def __init__(self, t, path, before=()):
        """`before`: what starts the program."""
        self.name = os.path.basename(path)
        self.process = t.start([*before, PIGPEN, "serve", path, "--port", "0"])
        line = self.process.stdout.readline().decode()
        self.port = int(re.search(r":(\d+)/$", line.strip()).group(1))

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def ask(self, method, path, body=None, token=None, headers=None):
        """(status, body)"""
        link = self.connect()
        link.request(method, "/api/%s/%s" % (self.name, path), body, {
            **({"Authorization": "Bearer " + token} if token else {}), **(headers or {})})
        answer = link.getresponse()
        found = answer.status, answer.read()
        link.close()
        return found

    def json(self, path, token=None):
        status, body = self.ask("GET", path, token=token)
        equal(status, 200, "status of " + path)
        return json.loads(body)

    def submit(self, archive, token):
        """The id."""
        status, body = self.ask("POST", "submit", archive, token)
        equal((status, sorted(json.loads(body))), (202, ["id"]), "answer: %r" % body)
        return json.loads(body)["id"]

    def state(self, identity):
        return self.json("submissions/%s.json" % identity)

    def settled(self, identity):
        """Its document once that is final."""
        return wait_for(lambda: [one for one in [self.state(identity)]
                                 if one["state"] in ("accepted", "refused")],
                        "an end of the check")[0]

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        equal(self.process.wait(PATIENCE_S), 0, "exit status")


def tar(folder, top="bot/", **manifest):
    """The archive of a bot's folder, with some keys of its bot.json changed."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name in sorted(os.listdir(folder)):
            if not os.path.isfile(os.path.join(folder, name)):
                continue
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            if name == "bot.json":
                data = json.dumps({**json.loads(data), **manifest}).encode()
            entry = tarfile.TarInfo(top + name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def good(t, **manifest):
    """The archive of a bot that passes."""
    t.wrote_bots = True
    return tar(GOOD, **{"name": "mine", **manifest})


def token(t, path, owner):
    return t.pigpen("ladder", "token", path, owner).ok().out.strip()


def small(t, **options):
    """A ladder whose matches are short."""
    return ladder(t, "first", options=("--option", "max_turns=4"), **options)


def change_settings(path, **settings):
    name = os.path.join(path, "ladder.json")
    with open(name) as file:
        settings = {**json.load(file), **settings}
    with open(name, "w") as file:
        json.dump(settings, file)


@contextlib.contextmanager
def nobody_admits(path):
    """Meanwhile what is submitted waits."""
    os.makedirs(os.path.join(path, "submissions"), exist_ok=True)
    with open(os.path.join(path, "submissions", "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def admission(t, identity):
    """Pid of the process that admits this submission."""
    return wait_for(lambda: [pid for pid in t.processes()
                             if "ladder admit" in command_line(pid)
                             and "--one " + identity in command_line(pid)],
                    "an admission of " + identity)[0]


def waiting(path):
    return glob.glob(os.path.join(path, "submissions", "queue", "*"))


@test
def a_good_bot_is_accepted_and_the_next_version_replaces_it(t):
    path = small(t)
    ann = token(t, path, "ann")
    site = Site(t, path)
    done = site.settled(site.submit(good(t), ann))
    equal((done["state"], done["owner"], done["name"]), ("accepted", "ann", "mine"), "end")
    check(done["check"]["passed"] and len(done["check"]["steps"]) > 5, "report: %r" % done)
    equal(standings(t, path)["mine"]["state"], "active", "state")
    done = site.settled(site.submit(good(t, top="", version="2"), ann))
    equal((done["state"], done["version"]), ("accepted", "2"), "next version")
    versions = site.json("bots/2.json")["versions"]
    equal([one["state"] for one in versions], ["active", "removed"], "versions")
    equal(waiting(path), [], "queue")
    equal(os.listdir(os.path.join(path, "submissions", "work")), [], "work")
    site.close()


@test
def a_bad_bot_is_refused_with_the_report(t):
    path = small(t)
    ann = token(t, path, "ann")
    site = Site(t, path)
    done = site.settled(site.submit(tar(player(
        t, "mine", on_act="sys.exit('lost my cards')")), ann))
    equal(done["state"], "refused", "state")
    contains(done["why"], "failed `pigpen check`", "why")
    failed = [step for step in done["check"]["steps"] if step["verdict"] == "fail"]
    contains(json.dumps(failed), "lost my cards", "steps that failed")
    check("mine" not in standings(t, path), "it has entered")
    equal(sorted(os.listdir(os.path.join(path, "bots"))), ["first"], "bots")
    site.close()


@test
def a_build_that_fails_is_refused_with_its_output(t):
    path = small(t)
    ann = token(t, path, "ann")
    site = Site(t, path)
    folder = player(t, "mine")
    done = site.settled(site.submit(tar(folder, build="echo no compiler here; exit 3"), ann))
    equal(done["state"], "refused", "state")
    contains(done["build"], "no compiler here", "output")
    done = site.settled(site.submit(tar(folder, build="sed -i s/mine/first/ bot.json"), ann))
    contains(done["why"], "may not change the bot's name", "why")
    site.close()


@test
def archives_that_lead_out_or_hold_no_bot_are_refused(t):
    path = small(t)
    ann = token(t, path, "ann")
    site = Site(t, path)

    def packed(name, kind=tarfile.REGTYPE):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:xz") as archive:
            entry = tarfile.TarInfo(name)
            entry.type = kind
            entry.linkname = "/etc/passwd"
            archive.addfile(entry)
        return out.getvalue()

    for archive, why in ((packed("../../out"), "leads out"),
                         (packed("link", tarfile.SYMTYPE), "is a link"),
                         (b"hello", "not a supported archive"),
                         (packed("readme"), "there is no bot.json")):
        done = site.settled(site.submit(archive, ann))
        equal(done["state"], "refused", "state")
        contains(done["why"], why, "why")
    equal(glob.glob(t.path("**", "out"), recursive=True), [], "what leaked out")
    site.close()


@test
def only_owners_of_a_token_may(t):
    path = small(t)
    ann = token(t, path, "ann")
    other = t.path("other")
    t.pigpen("ladder", "init", other, "--game", "dirty_pig").ok()
    stranger = token(t, other, "ann")
    archive = tar(player(t, "mine"))
    site = Site(t, path)
    for what, text in (("none", None), ("a wrong one", ann[:-1] + "x"), ("an empty one", ""),
                       ("that of another ladder", stranger), ("a long one", "x" * 5000)):
        equal(site.ask("POST", "submit", archive, text)[0], 401, "with token: " + what)
    equal(site.ask("POST", "standings.json", archive, ann)[0], 405, "another path")
    equal(site.ask("POST", "submit", archive, ann, {"Origin": "http://evil.example"})[0], 403,
          "from another site's page")
    equal(site.ask("GET", "bots/1.json", token="pp_wrong")[0], 401, "reading, wrong token")
    t.pigpen("ladder", "token", path, "--revoke", "ann").ok()
    equal(site.ask("POST", "submit", archive, ann)[0], 401, "with a revoked token")
    equal(waiting(path), [], "queue")
    site.close()


@test
def tokens_are_listed_and_revoked_but_never_kept(t):
    path = small(t)
    first, second, bob = [token(t, path, name) for name in ("ann", "ann", "bob")]
    listed = t.pigpen("ladder", "token", path).ok().out.split("\n")[:-1]
    equal([line.split()[-1] for line in listed], ["ann", "ann", "bob"], "owners")
    for name in glob.glob(os.path.join(path, "tokens", "*")):
        equal(os.stat(name).st_mode & 0o777, 0o600, "mode of " + name)
        with open(name) as file:
            text = name + file.read()
        check(not any(one[3:] in text for one in (first, second, bob)), "a token is kept")
    t.pigpen("ladder", "token", path, "--revoke", listed[0].split()[0]).ok()
    equal(len(t.pigpen("ladder", "token", path).ok().out.split("\n")), 3, "lines")
    equal(t.pigpen("ladder", "token", path, "--revoke", "carl").status, 2, "status")
    equal(t.pigpen("ladder", "token", path, "../x").status, 2, "status")


@test
def too_much_is_refused_before_it_is_sent(t):
    path = small(t)
    ann = token(t, path, "ann")
    site = Site(t, path)
    for name, size, status in ((ann, ARCHIVE_MAX + 1, 413), ("pp_x", ARCHIVE_MAX, 401)):
        link = site.connect()
        link.putrequest("POST", "/api/ladder/submit")
        link.putheader("Authorization", "Bearer " + name)
        link.putheader("Content-Length", str(size))
        link.endheaders()
        equal(link.getresponse().status, status, "status without a byte sent")
        link.close()
    site.close()


@test
def a_slow_upload_is_in_nobodys_way(t):
    path = small(t)
    ann = token(t, path, "ann")
    archive = good(t)
    site = Site(t, path)
    links = [site.connect() for _ in range(4)]
    for link in links:
        link.putrequest("POST", "/api/ladder/submit")
        link.putheader("Authorization", "Bearer " + ann)
        link.putheader("Content-Length", str(len(archive)))
        link.endheaders()
        link.send(archive[:100])
    equal(site.ask("GET", "standings.json")[0], 200, "meanwhile")
    links[0].send(archive[100:])
    answer = links[0].getresponse()
    equal(answer.status, 202, "status of the slow one")
    equal(site.settled(json.loads(answer.read())["id"])["state"], "accepted", "state")
    for link in links:
        link.close()
    equal(site.ask("GET", "standings.json")[0], 200, "afterwards")
    equal(waiting(path), [], "queue")
    site.close()


@test
def a_name_belongs_to_who_came_first(t):
    path = small(t)
    ann, bob = token(t, path, "ann"), token(t, path, "bob")
    site = Site(t, path)
    equal(site.settled(site.submit(good(t), ann))["state"], "accepted", "the first")
    for archive, whose in ((good(t, version="2"), "another owner"),
                           (good(t, name="first"), "the host")):
        done = site.settled(site.submit(archive, bob))
        equal(done["state"], "refused", "state")
        contains(done["why"], "belongs to " + whose, "why")
    # The host may replace it, and it stays hers.
    t.pigpen("ladder", "add", "--no-check", path, player(t, "mine")).ok()
    equal(site.json("bots/3.json", ann)["mine"], 1, "is it hers?")
    equal(site.json("bots/3.json", bob)["mine"], 0, "is it his?")
    equal(t.pigpen("ladder", "add", "--owner", "bob", path, t.path("mine")).status, 2,
          "status of --owner bob")
    site.close()


@test
def a_killed_server_loses_nothing_and_the_order_stays(t):
    path = small(t)
    ann = token(t, path, "ann")
    gate = t.path("gate")
    site = Site(t, path)
    ids = [site.submit(good(t, name="one", build="touch %s.seen; until [ -e %s ]; do sleep 0.1; "
                                                 "done" % (gate, gate)), ann)]
    ids += [site.submit(good(t, name=name), ann) for name in ("two", "three", "four")]
    wait_for(lambda: os.path.exists(gate + ".seen"), "the build")
    equal(site.state(ids[0])["state"], "building", "state")
    status, body = site.ask("POST", "submit", good(t, name="five"), ann)
    equal(status, 429, "status of a fifth: %r" % body)
    equal([site.state(one).get("before") for one in ids], [0, 1, 2, 3], "before them")
    site.process.kill()
    site.process.wait()
    wait_for(lambda: not t.processes(), "an end of all its processes")
    site = Site(t, path)
    wait_for(lambda: site.state(ids[0])["attempts"] == 2, "the second attempt")
    t.write("gate", "")
    equal([site.settled(one)["state"] for one in ids], ["accepted"] * 4, "states")
    found = {one["id"]: one["name"] for one in standings(t, path).values()}
    equal([found[i] for i in sorted(found)], ["first", "one", "two", "three", "four"],
          "entrants in the order of their coming")
    equal(os.listdir(os.path.join(path, "submissions", "work")), [], "work")
    site.close()


@test
def owners_take_turns(t):
    path = small(t)
    ann, bob = token(t, path, "ann"), token(t, path, "bob")
    site = Site(t, path)
    with nobody_admits(path):
        hers = [site.submit(b"hers", ann) for _ in range(3)]
        his = [site.submit(b"his", bob) for _ in range(2)]
        ahead = {one: site.state(one)["before"] for one in hers + his}
    equal([ahead[one] for one in hers + his], [0, 2, 4, 1, 3], "how many are before each")
    done = [site.settled(one) for one in hers + his]
    equal({one["state"] for one in done}, {"refused"}, "states")
    again = site.submit(b"hers", ann)
    equal(site.settled(again)["turn"], 3, "the turn of her fourth today")
    site.close()


@test
def a_submission_that_hangs_is_refused_at_its_limit_and_others_go_on(t):
    path = small(t)
    change_settings(path, admission_s=3)
    ann, bob = token(t, path, "ann"), token(t, path, "bob")
    site = Site(t, path)
    folder = player(t, "mine")
    slow = site.submit(tar(folder, build="sleep 1000"), ann)
    other = site.submit(b"nothing", bob)
    contains(site.settled(slow)["why"], "build: it took too long", "why")
    contains(site.settled(other)["why"], "not a supported archive", "the next one's")
    mute = site.submit(tar(player(t, "mute", on_match="import time; time.sleep(1000)")), ann)
    contains(site.settled(mute)["why"], "check: it took too long", "why of a slow check")
    equal(os.listdir(os.path.join(path, "submissions", "work")), [], "work")
    site.close()


@test
def an_admission_that_stands_still_is_ended_and_others_go_on(t):
    """Whatever holds it up: not even its own process is relied on."""
    path = small(t)
    change_settings(path, admission_s=5)
    ann, bob = token(t, path, "ann"), token(t, path, "bob")
    site = Site(t, path)
    seen = t.path("seen")
    stuck = site.submit(tar(player(t, "mine"), build="touch %s; sleep 1000" % seen), ann)
    pid = admission(t, stuck)
    wait_for(lambda: os.path.exists(seen), "the build")
    os.kill(pid, signal.SIGSTOP)
    other = site.submit(b"nothing", bob)
    equal(site.settled(stuck)["why"], "it took too long; a bot is admitted within 5 s", "why")
    equal(site.settled(other)["state"], "refused", "the next one")
    equal(os.listdir(os.path.join(path, "submissions", "work")), [], "work")
    site.close()


@test
def an_admission_that_dies_lets_others_pass_and_is_tried_again(t):
    path = small(t)
    ann, bob = token(t, path, "ann"), token(t, path, "bob")
    gate = t.path("gate")
    site = Site(t, path)
    first = site.submit(good(t, build="until [ -e %s ]; do sleep 0.1; done" % gate), ann)
    pid = admission(t, first)
    other = site.submit(b"nothing", bob)
    wait_for(lambda: site.state(first)["state"] == "building", "the build")
    os.kill(pid, signal.SIGKILL)
    equal(site.settled(other)["state"], "refused", "the other")
    wait_for(lambda: site.state(first)["attempts"] == 2, "the second attempt")
    t.write("gate", "")
    equal(site.settled(first)["state"], "accepted", "state")
    site.close()


def tracing(t):
    """What starts a program so that its system calls are noted down."""
    if not shutil.which("strace"):
        skip("strace is not installed")
    return ("strace", "-f", "-y", "-s", "300", "-o", t.path("trace"), "-e",
            "trace=fsync,rename,renameat,renameat2,unlink,mkdir,write,sendto,sendmsg,writev")


def traced(t, path):
    """The calls of the program and all its children in their order, as (name, paths below
    the ladder, arguments); those that failed are left out."""
    begun, found = {}, []
    with open(t.path("trace"), errors="replace") as file:
        for line in file:
            pid, _, line = line.partition(" ")
            line = line.strip()
            if line.endswith("<unfinished ...>"):
                begun[pid] = line[:-len("<unfinished ...>")]
                continue
            resumed = re.match(r"<... \w+ resumed>(.*)", line)
            if resumed:
                line = begun.pop(pid, "") + resumed.group(1)
            call = re.match(r"(\w+)\((.*)\) += (\d+)", line)
            if call:
                found.append((call.group(1), re.findall(
                    r"[\"<]%s/?([^\"<>]*)[\">]" % re.escape(path), call.group(2)),
                    call.group(2)))
    return found


def position(calls, what, call, path, after=-1):
    """Where the call with that path (a pattern for its last one) comes first."""
    for i in range(after + 1, len(calls)):
        if calls[i][0] == call and calls[i][1] and re.fullmatch(path, calls[i][1][-1]):
            return i
    check(False, lambda: "not synced: %s (%s of %s after call %d):\n%s" % (
        what, call, path, after, "\n".join("%d %s %r" % (i, c[0], c[1])
                                          for i, c in enumerate(calls) if c[1])))


@test
def what_is_accepted_is_on_disk(t):
    """By the order of system calls: nothing is announced before it would survive."""
    path = small(t)
    ann = token(t, path, "ann")
    site = Site(t, path)
    with nobody_admits(path):
        identity = site.submit(good(t, build="mkdir -p sub/deep; echo x > sub/deep/file"), ann)
        site.close()
    done = t.run(*tracing(t), PIGPEN, "ladder", "admit", path).ok()
    calls = traced(t, path)
    contains(done.out, "mine of ann is accepted", "output")
    work, bot = "submissions/work/new-[^/]*/bot/mine", "bots/mine/[0-9a-f]{16,}"
    moved = position(calls, "the bot in its place", "rename", bot)
    for name in ("", "/bot.json", "/greedy.py", "/sub", "/sub/deep", "/sub/deep/file"):
        check(position(calls, "the bot's " + name, "fsync", work + name) < moved,
              "%s is synced after it is moved" % name)
    check(position(calls, "bots/", "fsync", "bots") < moved, "bots/ is synced too late")
    placed = position(calls, "the bot's place", "fsync", "bots/mine", moved)
    draft = position(calls, "the request", "fsync", r"inbox/.*\.new", placed)
    posted = position(calls, "the request in its place", "rename", r"inbox/.*\.json", draft)
    inbox = position(calls, "inbox/", "fsync", "inbox", posted)
    report = position(calls, "the report", "fsync", r"submissions/done/.*\.new", inbox)
    named = position(calls, "the report's place", "rename", r"submissions/done/.*\.json", report)
    final = position(calls, "done/", "fsync", "submissions/done", named)
    gone = position(calls, "the archive", "unlink", r"submissions/queue/.*\.archive", final)
    told = [i for i, call in enumerate(calls) if call[0] == "write" and "is accepted" in call[2]]
    check(told and told[0] > final and gone > final, "it is announced too early")
    equal(os.path.exists(os.path.join(path, "submissions/done", identity + ".json")), True,
          "report")


@test
def what_is_acknowledged_is_on_disk(t):
    path = small(t)
    t.run(*tracing(t), PIGPEN, "ladder", "bench", path, "first").ok()
    calls = traced(t, path)
    draft = position(calls, "the request", "fsync", r"inbox/.*\.new")
    posted = position(calls, "the request in its place", "rename", r"inbox/.*\.json", draft)
    inbox = position(calls, "inbox/", "fsync", "inbox", posted)
    position(calls, "it is removed once it is applied", "unlink", r"inbox/.*\.json", inbox)
    site = Site(t, path, before=tracing(t))
    with nobody_admits(path):
        site.submit(b"hello", token(t, path, "ann"))
        for pid in t.processes():
            if command_line(pid).startswith(PIGPEN):
                os.kill(pid, signal.SIGTERM)
        equal(site.process.wait(PATIENCE_S), 0, "exit status")
    calls = traced(t, path)
    archive = position(calls, "the archive", "fsync", r"submissions/queue/.*\.archive")
    draft = position(calls, "the document", "fsync", r"submissions/queue/.*\.new", archive)
    named = position(calls, "its place", "rename", r"submissions/queue/.*\.json", draft)
    queue = position(calls, "queue/", "fsync", "submissions/queue", named)
    for name in ("submissions/?", ""):
        check(position(calls, "'%s'" % name, "fsync", name) < queue, "the folders above it")
    told = [i for i, call in enumerate(calls) if "202 Accepted" in call[2]]
    check(told and told[0] > queue, "it is acknowledged too early")


@test
def a_day_has_a_limit_and_old_reports_go(t):
    path = small(t)
    ann = token(t, path, "ann")
    site = Site(t, path)
    done = os.path.join(path, "submissions", "done")
    archive = tar(player(t, "mine", on_match="sys.exit(1)"))
    first = site.submit(b"nothing", ann)
    equal(site.settled(first)["state"], "refused", "state")

    def report(age_s, number):
        name = "%016d-%032x" % ((time.time() - age_s) * 1e6, number)
        with open(os.path.join(done, name + ".json"), "w") as file:
            json.dump({"id": name, "owner": "ann", "state": "refused"}, file)
        return name

    old = report(31 * 86400, 1)
    recent = [report(3600, number) for number in range(22)]
    yesterday = report(25 * 3600, 2)
    last = site.submit(archive, ann)
    status, body = site.ask("POST", "submit", archive, ann)
    equal(status, 429, "status of one too many: %r" % body)
    site.settled(last)
    wait_for(lambda: site.ask("GET", "submissions/%s.json" % old)[0] == 404, "pruning")
    for one in recent + [yesterday, first]:
        equal(site.ask("GET", "submissions/%s.json" % one)[0], 200, "status of " + one)
    site.close()


@test
def a_running_ladder_takes_the_newcomer(t):
    path = small(t)
    t.pigpen("ladder", "add", "--no-check", path, "random").ok()
    ann = token(t, path, "ann")
    run = t.start_pigpen("ladder", "run", path, "--jobs", "1", "-q")
    site = Site(t, path)
    wait_for(lambda: site.json("lists/all/0.json")["total"] > 0, "matches")
    equal(site.settled(site.submit(good(t), ann))["state"], "accepted", "state")
    wait_for(lambda: [one for one in site.json("standings.json")["standings"]
                      if one["name"] == "mine" and one["sets"] > 0], "sets of the newcomer")
    run.send_signal(signal.SIGINT)
    t.finish(run)
    site.close()


@test
def what_a_bot_wrote_is_for_its_owner(t):
    words = "lost my cards"
    path = small(t)
    folder = player(t, "mine", on_act="sys.exit('%s')" % words)
    t.pigpen("ladder", "add", "--no-check", "--owner", "ann", path, folder).ok()
    play(t, path, 2)
    ann, bob = token(t, path, "ann"), token(t, path, "bob")
    site = Site(t, path)
    for who, text in (("nobody", None), ("bob", bob), ("ann", ann)):
        mine = who == "ann"
        faults = site.json("bots/2.json", text)["faults"]
        equal((len(faults), faults[0]["class"], faults[0]["phase"]), (4, "crash", "play"), "seen")
        equal(words in json.dumps(faults), mine, "stderr for " + who)
        match = site.json("matches/1-0.json", text)
        equal(words in json.dumps(match), mine, "stderr of the match for " + who)
        equal(match["file"], int(mine), "is the file for %s?" % who)
        status, body = site.ask("GET", "matches/1-0/replay", token=text)
        equal(status, 200 if mine else 404, "status of the replay for " + who)
        viewer = site.ask("GET", "matches/1-0/viewer.json", token=text)[1].decode()
        contains(viewer, '"crash"', "viewer's data")
        check(words not in viewer, "stderr in the viewer's data for " + who)
        check('"exit"' not in viewer, "how it ended in the viewer's data for " + who)
    site.close()
    contains(t.pigpen("ladder", "results", path, "--json").ok().out, words, "the host's results")
    t.pigpen("ladder", "site", path, t.path("site")).ok()
    for name in glob.glob(t.path("site", "**"), recursive=True):
        if os.path.isfile(name):
            with open(name, "rb") as file:
                check(words.encode() not in file.read(), "stderr in " + name)
            check(not name.endswith(("/replay", "submit.html")), name + " is written")


@test
def archives_are_entered_from_the_command_line_too(t):
    path = small(t)
    folder = player(t, "mine")
    with zipfile.ZipFile(t.path("mine.zip"), "w") as archive:
        for name in os.listdir(folder):
            archive.write(os.path.join(folder, name), "top/" + name)
        archive.writestr("__MACOSX/top/._bot.json", "x")
    t.pigpen("ladder", "add", "--no-check", path, t.path("mine.zip")).ok()
    with open(t.path("same.tgz"), "wb") as file:
        file.write(tar(folder))
    t.pigpen("ladder", "add", "--no-check", path, t.path("same.tgz")).ok()
    t.pigpen("ladder", "add", "--no-check", path, folder).ok()
    equal(len(standings(t, path)), 2, "entrants: the same bot has the same hash")
    with open(t.path("bad.tar"), "wb") as file:
        file.write(b"x" * 10000)
    done = t.pigpen("ladder", "add", path, t.path("bad.tar"))
    equal(done.status, 2, "status")
    contains(done.err, "unpack: ", "message")
    equal(sorted(os.listdir(os.path.join(path, "bots"))), ["first", "mine"], "bots")


main(workers=2)
