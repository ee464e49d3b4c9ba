#!/usr/bin/python3
"""Who may know whom. Fails when an #include or a symbol breaks the picture.

    tests/layers.py [BUILD]     BUILD is the folder of the archives, "build"

EDGES is the table: a folder may include its own headers and those of the folders named
behind it, and no others. It has no cycles, which is checked too. What the edges mean is
told in specs/architecture.md. Ends with `N passed, M failed`.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = sys.argv[1] if len(sys.argv) > 1 else "build"

EDGES = {
    "games": "",
    "protocol": "",
    "sample_bots": "protocol games",

    # texts, files, children, time: no bot, no match, no game
    "arbiter/base": "protocol",
    # what live play and proof share: messages, chance, clocks, faults
    "arbiter/table": "games protocol arbiter/base",
    # written and read, proved
    "arbiter/replay": "games protocol arbiter/base arbiter/table",
    # starting processes, sandboxed and watched
    "arbiter/process": "protocol arbiter/base",
    # what a bot is; its limits are those of the sandbox
    "arbiter/bots": "games protocol arbiter/base arbiter/process",
    # one match; its rules say how bots are sandboxed
    "arbiter/match": "games protocol arbiter/base arbiter/table arbiter/replay arbiter/process",
    "arbiter/loop": "games protocol arbiter/base arbiter/table arbiter/replay arbiter/process "
                    "arbiter/bots arbiter/match",
    "arbiter/bridge": "protocol arbiter/base",
    # a person's seat is a bot
    "arbiter/human": "games protocol arbiter/base arbiter/table arbiter/bots",
    "arbiter/check": "games protocol arbiter/base arbiter/table arbiter/replay arbiter/process "
                     "arbiter/bots arbiter/match arbiter/loop",
    # looking at replays and rules; rerun talks to a bot as check does
    "arbiter/tools": "games protocol arbiter/base arbiter/table arbiter/replay arbiter/process "
                     "arbiter/bots arbiter/match arbiter/loop arbiter/check",
    "arbiter/selftest": "games protocol arbiter/base arbiter/table arbiter/replay arbiter/process "
                        "arbiter/bots arbiter/match arbiter/loop",

    "arbiter/ladder/store": "games protocol arbiter/base arbiter/table arbiter/replay arbiter/bots",
    "arbiter/ladder/directory": "games protocol arbiter/base arbiter/table arbiter/process "
                                "arbiter/bots arbiter/match arbiter/ladder/store",
    "arbiter/ladder/rating": "games protocol arbiter/base arbiter/table arbiter/match "
                             "arbiter/ladder/store arbiter/ladder/directory",
    "arbiter/ladder/workers": "games protocol arbiter/base arbiter/table arbiter/replay "
                              "arbiter/process arbiter/bots arbiter/match arbiter/loop "
                              "arbiter/ladder/store",
    # tasks of a cluster are a backend of the pool, and run a pool of their own
    "arbiter/ladder/slurm": "games protocol arbiter/base arbiter/table arbiter/match "
                            "arbiter/ladder/store arbiter/ladder/workers",
    "arbiter/ladder/submit": "games protocol arbiter/base arbiter/process arbiter/bots "
                             "arbiter/match arbiter/ladder/store arbiter/ladder/directory",
    "arbiter/ladder/run": "games protocol arbiter/base arbiter/table arbiter/replay arbiter/match "
                          "arbiter/loop arbiter/ladder/store arbiter/ladder/directory "
                          "arbiter/ladder/rating arbiter/ladder/workers arbiter/ladder/slurm",

    # HTTP: connections, routes, answers, streams; no ladder
    "arbiter/web/server": "protocol arbiter/base",
    # every path of the site and what lies there
    "arbiter/web/site": "games protocol arbiter/base arbiter/replay arbiter/tools "
                        "arbiter/ladder/store arbiter/ladder/directory arbiter/ladder/rating "
                        "arbiter/ladder/submit arbiter/web/server",
    # what people can do beyond reading: play, and send bots
    "arbiter/web/play": "games protocol arbiter/base arbiter/table arbiter/bots arbiter/human "
                        "arbiter/web/server arbiter/web/site",
    "arbiter/web/upload": "protocol arbiter/base arbiter/ladder/directory arbiter/ladder/submit "
                          "arbiter/web/server arbiter/web/site",
    # one file for each command: they may use everything, and nobody uses them
    "arbiter/cmd": "games protocol arbiter/base arbiter/table arbiter/replay arbiter/process "
                   "arbiter/bots arbiter/match arbiter/loop arbiter/bridge arbiter/human "
                   "arbiter/check arbiter/tools arbiter/selftest arbiter/ladder/store "
                   "arbiter/ladder/directory arbiter/ladder/rating arbiter/ladder/workers "
                   "arbiter/ladder/slurm arbiter/ladder/submit arbiter/ladder/run "
                   "arbiter/web/server arbiter/web/site arbiter/web/play arbiter/web/upload",
    # main.c: the list of commands
    "arbiter": "arbiter/base arbiter/cmd arbiter/process arbiter/selftest",
}
EDGES = {folder: allowed.split() for folder, allowed in EDGES.items()}

# games/ is pure: no I/O, clock, memory or globals.
GAMES_HEADERS = {"assert.h", "limits.h", "msgpack.h", "msgpack/pack_template.h", "stdbool.h",
                 "stddef.h", "stdint.h", "string.h"}
GAMES_SYMBOLS = re.compile(
    r"^(mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp)|__assert_fail|__stack_chk_fail|"
    r"__popcountdi2|__(asan|ubsan)_.*|_GLOBAL_OFFSET_TABLE_)$")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^">]+)[">]', re.M)

passed = failed = 0


def check(what, offenders):
    global passed, failed
    if offenders:
        failed += 1
        print("layers: %s:\n    %s" % (what, "\n    ".join(sorted(offenders))))
    else:
        passed += 1


def sources():
    out = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.c", "*.h"], cwd=ROOT, check=True,
        capture_output=True, text=True).stdout.split()
    return [path for path in out if os.path.exists(os.path.join(ROOT, path))]


def layer(path):
    """The folder of the table that a file belongs to, or None."""
    folder = os.path.dirname(path)
    while folder and folder not in EDGES:
        folder = os.path.dirname(folder)
    return folder or None


def includes():
    """{layer: [(file, line, quoted?, header)]}"""
    found = {folder: [] for folder in EDGES}
    for path in sources():
        if layer(path) is None:
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        for m in INCLUDE.finditer(text):
            line = text.count("\n", 0, m.start(2)) + 1
            found[layer(path)].append((path, line, m.group(1) == '"', m.group(2)))
    return found


def cycles():
    """Folders from which the edges lead back to themselves."""
    def reach(folder, seen):
        for other in EDGES[folder]:
            if other not in seen:
                seen.add(other)
                reach(other, seen)
        return seen
    return [folder for folder in EDGES if folder in reach(folder, set())]


def symbols(archive, flags):
    out = subprocess.run(["nm", *flags, os.path.join(ROOT, BUILD, archive)],
                         capture_output=True, text=True).stdout
    return {line.split()[-1] for line in out.splitlines()
            if len(line.split()) >= 2 and line.split()[-2] in "UTDRB"}


def undefined(archive):
    return symbols(archive, ["-u"]) - symbols(archive, ["--defined-only"])


def writable(archive):
    out = subprocess.run(["objdump", "-t", os.path.join(ROOT, BUILD, archive)],
                         capture_output=True, text=True).stdout
    return re.findall(r" (?:\.data|\.bss)\s+[0-9a-f]*[1-9a-f][0-9a-f]* +(.*)", out)


def main():
    check("the table of edges has cycles", cycles())
    found = includes()
    for folder, allowed in EDGES.items():
        check("%s/ may include itself%s" % (folder, "".join(", " + f for f in allowed)),
              ["%s:%d includes %s" % (path, line, header)
               for path, line, quoted, header in found[folder]
               if quoted and layer(header) not in (folder, *allowed)])
    check("games/ includes a system header that is not on the list",
          ["%s:%d includes <%s>" % (path, line, header)
           for path, line, quoted, header in found["games"]
           if not quoted and header not in GAMES_HEADERS])
    check("games/ calls something that it may not know",
          [s for s in undefined("libgames.a") if not GAMES_SYMBOLS.match(s)])
    check("games/ has writable globals", writable("libgames.a"))
    check("protocol/ calls into games/ or arbiter/",
          undefined("libprotocol.a") & (symbols("libgames.a", ["--defined-only"])
                                        | symbols("libarbiter.a", ["--defined-only"])))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


main()
