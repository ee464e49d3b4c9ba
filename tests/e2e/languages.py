#!/usr/bin/python3
"""Every language that `pigpen new` offers writes a bot that builds and plays at once."""
import json
import os
import shlex
import shutil
import subprocess

from harness import PIGPEN, ROOT, cases, check, contains, equal, main, skip, test

TEMPLATES = os.path.join(ROOT, "sample_bots", "templates")
LANGUAGES = sorted(os.listdir(TEMPLATES))
PATIENT = ("--clock", "move=60s", "--no-replay", "--json")
BUILD_SECONDS_MAX = 600


def template(language):
    with open(os.path.join(TEMPLATES, language, "template.json")) as file:
        return json.load(file)


def missing(language):
    """Packages that the template needs and this machine does not have."""
    return [package for command, package in template(language)["needs"] if subprocess.run(
        ["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL).returncode != 0]


def new(t, language, folder):
    """Makes and builds a bot as `pigpen new` says."""
    done = t.pigpen("new", language, folder).ok()
    contains(done.out, "pigpen match dirty_pig %s random" % folder, "what to do next")
    with open(t.path(folder, "bot.json")) as file:
        manifest = json.load(file)
    equal(manifest["name"], folder, "the bot's name")
    first = template(language).get("first")
    if first:
        contains(done.out, first, "what to do next")
        t.run("sh", "-c", first, cwd=t.path(folder), seconds=BUILD_SECONDS_MAX).ok()
    if "build" in manifest:
        contains(done.out, shlex.join(manifest["build"]), "what to do next")
        t.run(*manifest["build"], cwd=t.path(folder), seconds=BUILD_SECONDS_MAX).ok()


def faultless(result, matches):
    equal(len(result["matches"]), matches, "matches")
    for match in result["matches"]:
        equal((match["void"], match["faults"]), (None, []), "void and faults")
        check(match["bots"][0]["decisions"] > 0, "the bot was never asked")


@cases(**{language: language for language in LANGUAGES})
def a_new_bot_plays(t, language):
    packages = missing(language)
    if packages:
        skip("%s: needs %s (make deps-languages)" % (language, " ".join(packages)))
    new(t, language, "mybot")
    # Twice in a row with one process; a game that it knows and one that it does not, of
    # which a round will do: a bot in shell starts a process for every message.
    faultless(t.pigpen("match", "dirty_pig", "mybot", "random", "--matches", "2",
                       *PATIENT).ok().json(), 2)
    faultless(t.pigpen("match", "pig_pile", "mybot", "random", "random", "--option",
                       "rounds=1", *PATIENT).ok().json(), 1)


@test
def the_shell_bot_plays_dirty_pig(t):
    if missing("bash"):
        skip("needs %s (make deps-languages)" % " ".join(missing("bash")))
    for seats in (2, 3, 4):
        faultless(t.pigpen("match", "dirty_pig", "bash/dirty_pig",
                           *["random"] * (seats - 1), *PATIENT).ok().json(), 1)


@test
def without_arguments_the_languages_are_listed(t):
    done = t.pigpen("new").ok()
    for language in LANGUAGES:
        contains(done.out, "  %s " % language, "the list")


@test
def an_installed_pigpen_finds_its_bots_and_templates(t):
    os.makedirs(t.path("usr", "bin"))
    os.makedirs(t.path("usr", "share", "pigpen"))
    shutil.copy(PIGPEN, t.path("usr", "bin", "pigpen"))
    os.symlink(os.path.join(ROOT, "sample_bots"),
               t.path("usr", "share", "pigpen", "sample_bots"))
    installed = t.path("usr", "bin", "pigpen")
    t.run(installed, "new", "python", "mybot").ok()
    t.run(installed, "match", "dirty_pig", "mybot", "first", *PATIENT).ok()


@test
def an_unknown_language_is_refused_with_the_list(t):
    done = t.pigpen("new", "cobol", "mybot")
    equal(done.status, 2, "status")
    contains(done.err, "there is no template for the language 'cobol'", "stderr")
    for language in LANGUAGES:
        contains(done.err, "  %s " % language, "the list of languages")
    check(not os.path.exists(t.path("mybot")), "a folder was made")
    equal(t.pigpen("new", "../python/sdk", "mybot").status, 2, "status")


@test
def a_folder_that_is_not_empty_is_refused(t):
    t.write("mybot/notes.txt", "mine\n")
    done = t.pigpen("new", "python", "mybot")
    equal(done.status, 2, "status")
    contains(done.err, "mybot exists and is not empty", "stderr")
    equal(os.listdir(t.path("mybot")), ["notes.txt"], "the folder's content")


@test
def an_empty_folder_is_filled(t):
    os.mkdir(t.path("mybot"))
    t.pigpen("new", "python", "mybot").ok()
    equal(sorted(os.listdir(t.path("mybot"))), ["bot.json", "bot.py", "pigpen.py"],
          "the folder's content")


@test
def the_name_is_made_of_allowed_letters(t):
    t.pigpen("new", "python", "my bot & co").ok()
    with open(t.path("my bot & co", "bot.json")) as file:
        equal(json.load(file)["name"], "my-bot---co", "name")


@test
def what_is_missing_is_said(t):
    t.write("bin/sh", "#!/bin/sh\nexit 1\n", 0o755)
    done = t.pigpen("new", "ruby", "mybot", env={"PATH": t.path("bin")}).ok()
    contains(done.out, "apt-get install ruby ruby-ffi-rzmq ruby-msgpack", "stdout")


main()
