#!/usr/bin/python3
"""Runs the end-to-end scripts, two at a time, and sums up.

    tests/e2e/run.py [NAME…]      all scripts of this folder, or those named

A script ends with a line `N passed, M failed[, K skipped]`; the output of one that
failed is shown whole.
"""
import glob
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS_AT_ONCE = 2
SCRIPT_SECONDS_MAX = 900
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)
NOTE = re.compile(r"^(?:skip|note): .*$", re.M)


def scripts():
    names = [os.path.splitext(os.path.basename(path))[0]
             for path in sorted(glob.glob(os.path.join(HERE, "*.py")))]
    return [name for name in names if name not in ("run", "harness")]


def run(name):
    """(name, passed, failed, skipped, output, seconds)"""
    start = time.monotonic()
    process = subprocess.Popen(
        ["/usr/bin/python3", os.path.join(HERE, name + ".py")], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output = process.communicate(timeout=SCRIPT_SECONDS_MAX)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        output = process.communicate()[0] + b"\nno end within its time\n"
    output = output.decode(errors="replace")
    closing = CLOSING.findall(output)
    passed, failed, skipped = (int(n or 0) for n in closing[-1]) if closing else (0, 0, 0)
    if not closing or process.returncode != 0 and failed == 0:
        failed += 1
    return name, passed, failed, skipped, output, time.monotonic() - start


def main():
    names = sys.argv[1:] or scripts()
    unknown = [name for name in names if name not in scripts()]
    if unknown:
        sys.exit("no script %s; there are: %s" % (
            ", ".join(unknown), ", ".join(scripts())))
    total = [0, 0, 0]
    with ThreadPoolExecutor(SCRIPTS_AT_ONCE) as pool:
        for name, passed, failed, skipped, output, seconds in pool.map(run, names):
            print("  %-20s %4d passed  %3d failed%s  %6.1f s" % (
                name, passed, failed, "  %d skipped" % skipped if skipped else "",
                seconds))
            for line in NOTE.findall(output):
                print(line)
            if failed:
                print(output, end="" if output.endswith("\n") else "\n")
            sys.stdout.flush()
            total = [total[0] + passed, total[1] + failed, total[2] + skipped]
    print("%d passed, %d failed" % (total[0], total[1])
          + (", %d skipped" % total[2] if total[2] else ""))
    sys.exit(1 if total[1] else 0)


main()
