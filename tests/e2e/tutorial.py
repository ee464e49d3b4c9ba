#!/usr/bin/python3
"""Every command of specs/tutorial.md is run, every file written, every output compared."""
import os
import re

from harness import PIGPEN, ROOT, check, main, test

BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


def commands(block):
    """(command, expected output) of a console block."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def matches(expected, actual):
    pattern = re.escape(expected.strip()).replace("…", ".*")
    return re.fullmatch(pattern, actual.strip()) is not None


@test
def the_tutorial_is_true(t):
    with open(os.path.join(ROOT, "specs", "tutorial.md")) as file:
        blocks = BLOCK.findall(file.read())
    path = os.path.dirname(PIGPEN) + ":" + os.environ["PATH"]
    count = 0
    for language, name, text in blocks:
        if name:
            with open(os.path.join(t.folder, name), "w") as file:
                file.write(text)
            continue
        for command, expected in commands(text):
            done = t.run("/bin/sh", "-c", command, env={"PATH": path})
            count += 1
            check(matches(expected, done.out),
                  lambda: "$ %s\nexpected:\n%s\ngot:\n%s" % (command, expected, done))
    check(count >= 6, "only %d commands were found" % count)


main()
