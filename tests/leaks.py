#!/usr/bin/python3
"""Plants leaks in the rules, one at a time, and demands that the tests find each.

    tests/leaks.py [NAME…]     all leaks, or those named (pig_pile_slop)

A leak is an `#ifdef PLANT_<name>` in games/. Only the files that hold it are compiled
again and linked with the test binaries that are built already (`make unit`). Ends
with `N passed, M failed`.
"""
import concurrent.futures
import glob
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("PIGPEN_BUILD", "build")
TESTS = ["test_two_worlds", "test_playthrough", "test_sampler"]
LEAKS_MIN = 10
PLANT = re.compile(r"\bPLANT_([a-z0-9_]+)\b")


def make_variables():
    """Compiler with flags, and libraries, as the Makefile has them."""
    out = subprocess.run(
        ["make", "-s", "--no-print-directory", "BUILD=" + BUILD,
         "--eval=leak-flags: ; @echo '$(CC) $(CFLAGS)'; echo '$(LIBS)'", "leak-flags"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return shlex.split(out[0]), shlex.split(out[1])


def leaks():
    """{name: [files]}"""
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "games", "**", "*.[ch]"), recursive=True)):
        with open(path) as text:
            for name in set(PLANT.findall(text.read())):
                found.setdefault(name, []).append(os.path.relpath(path, ROOT))
    return found


def sources(files):
    """C files to compile again; a leak in a header reaches all files of that game."""
    names = set()
    for path in files:
        if path.endswith(".c"):
            names.add(path)
        else:
            stem = re.sub(r"(_internal)?\.h$", "", path)
            names.update(os.path.relpath(p, ROOT)
                         for p in glob.glob(os.path.join(ROOT, stem + "*.c")))
    return sorted(names)


def game_of(name):
    """The game that shows the leak; shared code shows in one with simultaneous moves."""
    games = [os.path.basename(p)[:-3] for p in glob.glob(os.path.join(ROOT, "specs/games/*.md"))]
    return next((g for g in games if name.startswith(g)), "pig_pile")


def run_test(binary, game):
    """True if the test passes."""
    return subprocess.run(
        [binary], cwd=ROOT, env={**os.environ, "PIGPEN_GAME": game},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def build_leak(name, files, compiler, libraries):
    folder = os.path.join(ROOT, BUILD, "leaks", name)
    os.makedirs(folder, exist_ok=True)
    objects = []
    for source in sources(files):
        objects.append(os.path.join(folder, os.path.basename(source)[:-2] + ".o"))
        subprocess.run([*compiler, "-w", "-DPLANT_" + name, "-c", source, "-o", objects[-1]],
                       cwd=ROOT, check=True)
    unit = os.path.join(ROOT, BUILD, "tests", "unit")
    common = [o for o in glob.glob(unit + "/*.o") if not os.path.basename(o).startswith("test_")
              and os.path.exists(os.path.join(ROOT, "tests/unit", os.path.basename(o)[:-2] + ".c"))]
    archives = [os.path.join(ROOT, BUILD, "lib%s.a" % a) for a in ("arbiter", "protocol", "games")]
    for test in TESTS:
        subprocess.run([*compiler, os.path.join(unit, test + ".o"), *common, *objects, *archives,
                        *libraries, "-lcriterion", "-o", os.path.join(folder, test)],
                       cwd=ROOT, check=True)
        yield os.path.join(folder, test)


def try_leak(name, files, compiler, libraries):
    """The test that finds the leak, or None."""
    for binary in build_leak(name, files, compiler, libraries):
        if not run_test(binary, game_of(name)):
            return os.path.basename(binary)
    return None


def main():
    found = leaks()
    names = sys.argv[1:] or sorted(found)
    unknown = [n for n in names if n not in found]
    if unknown:
        sys.exit("no such leak: %s; there are: %s" % (" ".join(unknown), " ".join(sorted(found))))
    compiler, libraries = make_variables()
    passed = failed = 0
    if not sys.argv[1:] and len(found) < LEAKS_MIN:
        print("only %d leaks are planted, %d are wanted" % (len(found), LEAKS_MIN))
        failed += 1
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # A test that fails without a leak would find every leak.
        honest = {g: [pool.submit(run_test, os.path.join(ROOT, BUILD, "tests/unit", t), g)
                      for t in TESTS] for g in {game_of(n) for n in names}}
        tries = {n: pool.submit(try_leak, n, found[n], compiler, libraries) for n in names}
        for game, results in sorted(honest.items()):
            if not all(r.result() for r in results):
                print("%s: the tests fail without any leak" % game)
                failed += 1
        for name in names:
            finder = tries[name].result()
            print("%-32s %s" % (name, finder or "NOT FOUND"))
            passed, failed = passed + bool(finder), failed + (not finder)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
