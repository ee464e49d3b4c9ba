#!/usr/bin/python3
"""`pigpen selftest`: hostile bots come to nothing where there is a sandbox, and are seen to
succeed where there is none; the ramp counts.
"""
import subprocess
import tempfile

from harness import PIGPEN, check, contains, equal, main, skip, test


def looks_right(report, levels):
    equal([level["at_once"] for level in report["levels"]], levels, "levels")
    for level in report["levels"]:
        for kind in ("overhead_ms", "answer_ms"):
            q = level[kind]
            check(0 <= q["p50"] <= q["p99"] <= q["p99.9"] <= q["max"], "%s: %s" % (kind, q))
        check(level["matches"] >= 48, "matches: %s" % level)
        check(level["late"] or level["decisions"] > 10 * level["matches"],
              "decisions: %s" % level)


@test
def a_sandboxed_machine_passes(t):
    if subprocess.run([PIGPEN, "doctor"], capture_output=True).returncode:
        skip("bots cannot be sandboxed here; `pigpen doctor` says why")
    # The limit is generous: this is no test of the machine.
    done = t.pigpen("selftest", "--up-to", "2", "--move", "60s", "--json", "--quiet")
    equal(done.status, 0, "status: %s" % done)
    report = done.json()
    equal([a["name"] for a in report["attempts"] if not a["held"]], [], "attempts")
    equal(len(report["attempts"]), 15, "attempts")
    equal(report["carried"], 2, "carried")
    looks_right(report, [1, 2])
    equal(done.err, "", "progress")


@test
def without_a_sandbox_it_says_what_hostile_bots_can_do(t):
    nothing = tempfile.mkdtemp(dir=t.folder)
    done = t.pigpen("selftest", "--up-to", "1", "--move", "60s", env={"PATH": nothing})
    equal(done.status, 1, "status: %s" % done)
    contains(done.out, "apt-get install bubblewrap", "what is missing")
    for name in ("network", "files", "writing", "processes"):
        contains(done.out, "FAIL  %-13s" % name, "attempts")
    # These do not hang on a sandbox.
    for name in ("second hello", "daemon", "output", "crash", "silence", "illegal move"):
        contains(done.out, "pass  %-13s" % name, "attempts")
    contains(done.out, "no bot was late with up to 1 matches at once", "the last line")
    contains(done.err, "hostile bot 1 of 15", "progress")


@test
def mistakes_are_explained(t):
    for words in (["--up-to", "0"], ["--up-to", "many"], ["--move", "soon"]):
        equal(t.pigpen("selftest", *words).status, 2, "status of %s" % words)
    equal(t.pigpen("hostile").status, 2, "status of hostile")


main()
