#!/usr/bin/python3
"""Runs the test suites and counts.

    tests/run.py [SUITE…]      all suites, or those named

A suite is a command that ends with a line `N passed, M failed[, K skipped]`, or a
set of Criterion binaries. Output goes to build/test-logs/; what failed is shown.
The last line is the sum over all suites.
"""
import glob
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOGS = os.path.join(ROOT, "build", "test-logs")
SUITE_SECONDS_MAX = int(os.environ.get("PIGPEN_SUITE_SECONDS", 1500))
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)
SYNTHESIS = re.compile(r"Tested: .*?(\d+).*?Passing: .*?(\d+).*?Failing: .*?(\d+).*?Crashing: .*?(\d+)")
REPORT = re.compile(r"ERROR: (?:Address|Leak)Sanitizer|runtime error:")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
NOTE = re.compile(r"^(?:skip|note): .*$", re.M)


def run(name, command, env=None):
    """Runs one command into its log; returns (exit status, output)."""
    path = os.path.join(LOGS, name.replace("/", "_") + ".log")
    with open(path, "w") as log:
        try:
            status = subprocess.run(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, timeout=SUITE_SECONDS_MAX,
                env={**os.environ, **(env or {})}).returncode
        except subprocess.TimeoutExpired:
            status = "no end within %d s" % SUITE_SECONDS_MAX
    with open(path, errors="replace") as log:
        return status, COLOUR.sub("", log.read())


def plain(name, command, env=None):
    """A command with a closing line. A failure it did not count counts as one."""
    status, output = run(name, command, env)
    closing = CLOSING.findall(output)
    passed, failed, skipped = (int(n or 0) for n in closing[-1]) if closing else (0, 0, 0)
    if status != 0 and failed == 0 or not closing:
        failed += 1
    return passed, failed, skipped, output, status


def criterion(build):
    """Every unit test binary; a sanitizer's report fails the binary that made it."""
    def suite(name):
        passed = failed = 0
        outputs = []
        for binary in sorted(glob.glob(os.path.join(ROOT, build, "tests/unit/test_*"))):
            if "." in os.path.basename(binary):
                continue
            case = "%s.%s" % (name, os.path.basename(binary))
            status, output = run(case, [binary], {
                "LSAN_OPTIONS": "suppressions=tests/lsan.supp:print_suppressions=0"})
            found = SYNTHESIS.findall(output)
            ok, bad = (int(found[-1][1]), int(found[-1][2]) + int(found[-1][3])) if found else (0, 1)
            if REPORT.search(output):
                bad += 1
            if status != 0 and bad == 0 or found and int(found[-1][0]) == 0:
                bad += 1
            passed, failed = passed + ok, failed + bad
            if bad:
                outputs.append("%s (status %s)\n%s" % (case, status, output))
            else:
                outputs.append("\n".join(NOTE.findall(output)))
        return passed, failed, 0, "\n".join(o for o in outputs if o), 0
    return suite


def script(path, *args):
    def suite(name):
        command = [os.path.join(ROOT, path), *args]
        return plain(name, command)
    return suite


SUITES = {
    "format": script("tests/format.sh"),
    "layers": script("tests/layers.py", "build"),
    "docs": script("tests/docs.py"),
    "unit": criterion("build"),
    "unit-sanitized": criterion("build-san"),
    "fuzz": script("tests/fuzz/run.py"),
    "leaks": script("tests/leaks.py"),
    "sdk-python": script("tests/sdk/test_python.py"),
    "sdk-javascript": script("tests/sdk/test_javascript.sh"),
    "e2e": script("tests/e2e/run.py"),
    "browser": script("tests/browser/run.sh"),
}


def main():
    names = sys.argv[1:] or list(SUITES)
    unknown = [n for n in names if n not in SUITES]
    if unknown:
        sys.exit("no suite %s; there are: %s" % (", ".join(unknown), ", ".join(SUITES)))
    os.makedirs(LOGS, exist_ok=True)
    total = [0, 0, 0]
    for name in names:
        start = time.monotonic()
        passed, failed, skipped, output, status = SUITES[name](name)
        print("  %-16s %5d passed  %3d failed%s  %6.1f s" % (
            name, passed, failed, "  %d skipped" % skipped if skipped else "",
            time.monotonic() - start), flush=True)
        for line in NOTE.findall(output):
            print("      " + line)
        if failed:
            print("---- %s (status %s), the end of its output:" % (name, status))
            print("\n".join(output.splitlines()[-150:]))
            print("----", flush=True)
        total = [total[0] + passed, total[1] + failed, total[2] + skipped]
    print("%d passed, %d failed" % (total[0], total[1])
          + (", %d skipped" % total[2] if total[2] else ""), flush=True)
    sys.exit(1 if total[1] else 0)


main()
