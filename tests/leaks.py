#!/usr/bin/python3
"""Plants leaks in the rules, one at a time, and demands that the tests find each.

    tests/leaks.py [NAME…]     all leaks, or those named (pig_pile_slop)

A leak is a patch of one C file of games/, tests/leaks/<name>.patch; its first line says
what leaks to whom. It is applied to a copy of the file, which is compiled and linked with
the test binaries that are built already (`make unit`). The tree is not touched; what was
built stays in build/leaks/<name>/. Ends with `N passed, M failed`.
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
LEAKS_PER_GAME_MIN = 2

RENEW = """%(patch)s no longer applies to %(file)s.
    To renew it, commit your work, change %(file)s by hand so that it leaks again what the
    first line of the patch says, and run:
    (head -1 %(patch)s; git diff %(file)s) >new && mv new %(patch)s && git checkout %(file)s"""


class LeakError(Exception):
    """Says why a leak cannot be tried."""


class Leak:
    """One patch: the file that it changes, and its hunks as pairs of old and new text."""

    def __init__(self, path):
        self.patch = os.path.relpath(path, ROOT)
        self.name = os.path.basename(path)[:-len(".patch")]
        with open(path, encoding="utf-8") as file:
            self.what, *lines = file.read().splitlines(keepends=True) or [""]
        self.hunks, files = [], []
        for line in lines:
            if line.startswith("+++ b/"):
                files.append(line[len("+++ b/"):].strip())
            elif line.startswith("@@"):
                self.hunks.append(["", ""])
            elif self.hunks:
                self.add(line)
        if not re.match(r"[A-Z].*\.$", self.what):
            raise LeakError("%s: the first line must say what leaks to whom" % self.patch)
        if len(files) != 1 or not re.fullmatch(r"games/.*\.c", files[0]):
            raise LeakError("%s must change one C file of games/" % self.patch)
        self.source = files[0]

    def add(self, line):
        """A line of a hunk; editors strip the blank of an empty line."""
        mark, text = (" ", line) if line == "\n" else (line[0], line[1:])
        if mark in " -":
            self.hunks[-1][0] += text
        if mark in " +":
            self.hunks[-1][1] += text

    def planted(self):
        """The text of the C file with the leak. The numbers of lines do not count: each
        hunk goes where its old text stands, which must be one place."""
        path = os.path.join(ROOT, self.source)
        renew = LeakError(RENEW % {"patch": self.patch, "file": self.source})
        if not os.path.exists(path):
            raise renew
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for old, new in self.hunks:
            if text.count(old) != 1:
                raise renew
            text = text.replace(old, new)
        return text

    def game(self):
        """The game that shows the leak; shared code shows in one with simultaneous moves."""
        folder = os.path.basename(os.path.dirname(self.source))
        return "pig_pile" if folder == "games" else folder


def make_variables():
    """Compiler with flags, and libraries, as the Makefile has them."""
    out = subprocess.run(
        ["make", "-s", "--no-print-directory", "BUILD=" + BUILD,
         "--eval=leak-flags: ; @echo '$(CC) $(CFLAGS)'; echo '$(LIBS)'", "leak-flags"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return shlex.split(out[0]), shlex.split(out[1])


def run_test(binary, game):
    """True if the test passes."""
    return subprocess.run(
        [binary], cwd=ROOT, env={**os.environ, "PIGPEN_GAME": game},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def build_leak(leak, compiler, libraries):
    """The test binaries with the leak, one after the other."""
    folder = os.path.join(ROOT, BUILD, "leaks", leak.name)
    copy = os.path.join(folder, leak.source)
    os.makedirs(os.path.dirname(copy), exist_ok=True)
    with open(copy, "w", encoding="utf-8") as file:
        file.write(leak.planted())
    planted = copy[:-2] + ".o"
    compiled = subprocess.run([*compiler, "-w", "-c", copy, "-o", planted], cwd=ROOT)
    if compiled.returncode:
        raise LeakError("%s makes a file that does not compile" % leak.patch)
    unit = os.path.join(ROOT, BUILD, "tests", "unit")
    common = [o for o in glob.glob(unit + "/*.o") if not os.path.basename(o).startswith("test_")
              and os.path.exists(os.path.join(ROOT, "tests/unit", os.path.basename(o)[:-2] + ".c"))]
    archives = [os.path.join(ROOT, BUILD, "lib%s.a" % a) for a in ("arbiter", "protocol", "games")]
    for test in TESTS:
        subprocess.run([*compiler, os.path.join(unit, test + ".o"), *common, planted, *archives,
                        *libraries, "-lcriterion", "-o", os.path.join(folder, test)],
                       cwd=ROOT, check=True)
        yield os.path.join(folder, test)


def try_leak(leak, compiler, libraries):
    """The test that finds the leak, or None."""
    for binary in build_leak(leak, compiler, libraries):
        if not run_test(binary, leak.game()):
            return os.path.basename(binary)
    return None


def load():
    """{name: leak}, and sentences about patches that are none."""
    leaks, wrong = {}, []
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/leaks/*.patch"))):
        try:
            leak = Leak(path)
            leaks[leak.name] = leak
        except LeakError as error:
            wrong.append(str(error))
    return leaks, wrong


def too_few(leaks):
    """A sentence for each game with fewer leaks than are wanted."""
    games = [os.path.basename(p)[:-3] for p in glob.glob(os.path.join(ROOT, "specs/games/*.md"))]
    return ["%s has fewer than %d leaks in tests/leaks/" % (game, LEAKS_PER_GAME_MIN)
            for game in sorted(games)
            if sum(leak.game() == game for leak in leaks.values()) < LEAKS_PER_GAME_MIN]


def outcome(leak, attempt):
    """Prints how the attempt ended; True if a test found the leak."""
    try:
        finder = attempt.result()
    except LeakError as error:
        print(error)
        return False
    print("%-32s %s" % (leak.name, finder or "NOT FOUND: " + leak.what.strip()))
    return bool(finder)


def main():
    found, wrong = load()
    unknown = [n for n in sys.argv[1:] if n not in found]
    if unknown:
        sys.exit("no such leak: %s; there are: %s" % (" ".join(unknown), " ".join(sorted(found))))
    leaks = [found[n] for n in sys.argv[1:]] or list(found.values())
    if not sys.argv[1:]:
        wrong += too_few(found)
    for sentence in wrong:
        print(sentence)
    passed, failed = 0, len(wrong)
    compiler, libraries = make_variables()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # A test that fails without a leak would find every leak.
        honest = {g: [pool.submit(run_test, os.path.join(ROOT, BUILD, "tests/unit", t), g)
                      for t in TESTS] for g in {leak.game() for leak in leaks}}
        attempts = [(leak, pool.submit(try_leak, leak, compiler, libraries)) for leak in leaks]
        for game, results in sorted(honest.items()):
            if not all(r.result() for r in results):
                print("%s: the tests fail without any leak" % game)
                failed += 1
        for leak, attempt in attempts:
            ok = outcome(leak, attempt)
            passed, failed = passed + ok, failed + (not ok)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
