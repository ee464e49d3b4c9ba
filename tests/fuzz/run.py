#!/usr/bin/python3
"""Runs the fuzz targets.

    tests/fuzz/run.py                       the inputs in git, once each (a test suite)
    tests/fuzz/run.py --seconds N [TARGET…] fuzz each target for N seconds, print a table
    tests/fuzz/run.py --merge [TARGET…]     build-fuzz/seeds and everything found, minimised,
                                            into tests/fuzz/corpus

Inputs in git: tests/fuzz/corpus/TARGET, and in tests/fuzz/crashers/TARGET what once broke
something, named after it. What the fuzzer finds goes to build-fuzz/corpus/TARGET, what it
breaks with to build-fuzz/findings/TARGET. The suite runs the targets of build-san/ on a
plain driver, everything else needs those of build-fuzz/ (`make fuzz`).
"""
import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "tests", "fuzz")
FUZZ = os.path.join(ROOT, "build-fuzz")
REGRESSION_SECONDS_MAX = 600
INPUT_SECONDS_MAX = 20
MEMORY_MB_MAX = 2048
# Nothing that is read from a stranger may ask for more at once.
MALLOC_MB_MAX = {"replay": 32, "replay_print": 32}
INPUT_BYTES_MAX = {"replay": 16384, "replay_print": 16384, "seat_log": 16384,
                   "unpack": 16384}


def targets():
    return sorted(os.path.basename(path)[5:-2] for path in glob.glob(HERE + "/fuzz_*.c"))


def inputs(target):
    """The folders in git that hold inputs for this target."""
    folders = [os.path.join(HERE, kind, target) for kind in ("corpus", "crashers")]
    return [folder for folder in folders if os.path.isdir(folder)]


def binary(build, target):
    return os.path.join(ROOT, build, "tests", "fuzz", "fuzz_" + target)


def folder(*parts):
    path = os.path.join(FUZZ, *parts)
    os.makedirs(path, exist_ok=True)
    return path


def regress():
    """Every target on its inputs; a target counts as one test."""
    failed = count = 0
    for target in targets():
        command = [binary("build-san", target), *inputs(target)]
        env = {**os.environ, "ASAN_OPTIONS":
               "max_allocation_size_mb=%d" % MALLOC_MB_MAX.get(target, MEMORY_MB_MAX)}
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True,
                                  env=env, errors="replace", timeout=REGRESSION_SECONDS_MAX)
            output, status = done.stdout + done.stderr, done.returncode
        except (subprocess.TimeoutExpired, OSError) as error:
            output, status = str(error), "none"
        found = re.search(r"^(\d+) inputs$", output, re.M)
        number = int(found.group(1)) if found else 0
        count += number
        if status != 0 or number == 0:
            failed += 1
            print("fuzz_%s: status %s after\n%s" % (
                target, status, "\n".join(output.splitlines()[-60:])))
    print("%d inputs" % count)
    print("%d passed, %d failed" % (len(targets()) - failed, failed))
    return failed


def fuzz(target, seconds):
    """One row of the table."""
    findings = folder("findings", target)
    before = set(os.listdir(findings))
    words = os.path.join(HERE, target + ".dict")
    command = [binary("build-fuzz", target), folder("corpus", target),
               folder("seeds", target), *inputs(target),
               "-max_total_time=%d" % seconds, "-timeout=%d" % INPUT_SECONDS_MAX,
               "-rss_limit_mb=%d" % MEMORY_MB_MAX,
               "-malloc_limit_mb=%d" % MALLOC_MB_MAX.get(target, MEMORY_MB_MAX),
               "-max_len=%d" % INPUT_BYTES_MAX.get(target, 4096),
               "-print_final_stats=1", "-artifact_prefix=" + findings + "/"]
    if os.path.exists(words):
        command.append("-dict=" + words)
    with open(os.path.join(folder("logs"), target + ".log"), "w+", errors="replace") as log:
        status = subprocess.run(["nice", "-n", "19", *command], cwd=ROOT, stdout=log,
                                stderr=subprocess.STDOUT).returncode
        log.seek(0)
        output = log.read()
    number = lambda pattern: int((re.findall(pattern, output) or [0])[-1])
    new = set(os.listdir(findings)) - before
    return {"target": target,
            "executions": number(r"number_of_executed_units: (\d+)"),
            "exec/s": number(r"average_exec_per_sec: +(\d+)"),
            "edges": number(r"cov: (\d+)"),
            "new inputs": number(r"new_units_added: +(\d+)"),
            "findings": len(new) or int(status != 0)}


def campaign(names, seconds, jobs):
    columns = ["target", "executions", "exec/s", "edges", "new inputs", "findings"]
    line = "| %-12s | %11s | %7s | %6s | %10s | %8s |"
    print(line % tuple(columns))
    print("|---|---:|---:|---:|---:|---:|", flush=True)
    found = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for row in pool.map(lambda name: fuzz(name, seconds), names):
            print(line % tuple(row[c] for c in columns), flush=True)
            found += row["findings"]
    if found:
        print("what was found is in build-fuzz/findings, the reports in build-fuzz/logs")
    return found


def merge(names):
    for target in names:
        new = folder("merged", target)
        shutil.rmtree(new)
        os.makedirs(new)
        sources = [folder("seeds", target), folder("corpus", target), *inputs(target)]
        # By edges alone, not by how often each is taken: a tenth of the files.
        subprocess.run([binary("build-fuzz", target), "-merge=1", "-use_counters=0",
                        "-max_len=%d" % INPUT_BYTES_MAX.get(target, 4096),
                        "-artifact_prefix=" + folder("findings", target) + "/", new,
                        *sources], cwd=ROOT, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        corpus = os.path.join(HERE, "corpus", target)
        shutil.rmtree(corpus, ignore_errors=True)
        shutil.copytree(new, corpus)
        files = [os.path.join(corpus, name) for name in os.listdir(corpus)]
        print("%-12s %5d inputs %8d bytes" % (
            target, len(files), sum(os.path.getsize(f) for f in files)), flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description="Runs the fuzz targets.")
    parser.add_argument("--seconds", type=int, help="fuzz each target for so long")
    parser.add_argument("--jobs", type=int, default=1, help="so many at once")
    parser.add_argument("--merge", action="store_true", help="rebuild the corpora in git")
    parser.add_argument("target", nargs="*", help="only these")
    args = parser.parse_args()
    unknown = sorted(set(args.target) - set(targets()))
    if unknown:
        parser.error("no target %s; there are: %s" % (unknown[0], ", ".join(targets())))
    names = args.target or targets()
    if args.merge:
        failed = merge(names)
    elif args.seconds is not None:
        failed = campaign(names, args.seconds, args.jobs)
    else:
        failed = regress()
    sys.exit(1 if failed else 0)


main()
