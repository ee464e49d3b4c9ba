#!/usr/bin/python3
"""Documents name what is there.

    tests/docs.py

In README, CONTRIBUTING and specs/ every path in backticks exists, in
specs/architecture.md every function() in backticks is defined, and every link to a file
of the tree leads somewhere. Ends with `N passed, M failed`.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOPS = ("arbiter", "protocol", "games", "sample_bots", "specs", "tests", ".ci")
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
FUNCTION = re.compile(r"^([a-z_][a-z0-9_]*)\(\)$")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def tracked():
    return subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                          check=True, capture_output=True, text=True).stdout.split()


def functions():
    """Names that something in a C file defines."""
    found = set()
    for path in tracked():
        if path.endswith((".c", ".h")) and os.path.exists(os.path.join(ROOT, path)):
            found.update(re.findall(r"\b([a-z_][a-z0-9_]*)\(", read(path)))
    return found


def is_path(text):
    """Does it mean a file or folder of this tree? <id> and * stand for anything."""
    return text.split("/")[0] in TOPS and "/" in text and " " not in text and "…" not in text


def exists(text):
    pattern = re.sub(r"<[^>]*>", "*", text.rstrip("/"))
    pattern = re.sub(r"\{([^}]*)\}", "*", pattern)
    return bool(glob.glob(os.path.join(ROOT, glob.escape(pattern).replace("[*]", "*")))
                or glob.glob(os.path.join(ROOT, pattern)))


def problems(path, defined):
    text = read(path)
    prose = FENCE.sub("", text)
    for code in CODE.findall(prose):
        if is_path(code) and not exists(code.split("#")[0]):
            yield "`%s` is not there" % code
        name = FUNCTION.match(code)
        if name and path.endswith("architecture.md") and name.group(1) not in defined:
            yield "no function `%s`" % code
    for link in LINK.findall(prose):
        if not os.path.exists(os.path.join(ROOT, os.path.dirname(path), link)):
            yield "the link to %s leads nowhere" % link


def main():
    passed = failed = 0
    defined = functions()
    for path in tracked():
        if not path.endswith(".md") or not os.path.exists(os.path.join(ROOT, path)):
            continue
        found = sorted(set(problems(path, defined)))
        passed, failed = passed + (not found), failed + bool(found)
        for problem in found:
            print("docs: %s: %s" % (path, problem))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


main()
