#!/usr/bin/python3
"""Submitting bots over the page: who may, what is taken, what becomes of it, and what of
a bot is for its owner only.
"""
import glob
import http.client
import io
import json
import os
import re
import signal
import tarfile
import time
import zipfile

from harness import PATIENCE_S, ROOT, check, contains, equal, main, test, wait_for
from support.ladders import ladder, play, player, standings

ARCHIVE_MAX = 32 << 20
GOOD = os.path.join(ROOT, "sample_bots", "python", "greedy")


class Site:
    """A served ladder."""

    def __init__(self, t, path):
        self.name = os.path.basename(path)
        self.process = t.start_pigpen("serve", path, "--port", "0")
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
