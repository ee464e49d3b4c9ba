#!/usr/bin/python3
"""`pigpen replay view` in a real terminal: keys go in and the screen comes out of tmux."""
import glob
import json
import shutil

from harness import PIGPEN, cases, contains, equal, main, skip, test, wait_for

GAMES = {
    "dirty_pig": ["greedy", "random", "greedy"],
    "galloping_pigs": ["greedy", "random"],
    "pig_it_hog_it": ["greedy", "random", "greedy", "random"],
    "pig_pile": ["greedy", "random", "greedy"],
    "tennessee_pig": ["greedy", "random", "greedy", "random"],
}


class Terminal:
    """A terminal of 80 by 24 that runs one command."""

    def __init__(self, t, *words):
        if not shutil.which("tmux"):
            skip("tmux is not installed (`make deps-test`)")
        self.t = t
        command = " ".join("'%s'" % word for word in (PIGPEN, *words))
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24",
                  command + "; echo status $?; read line")

    def tmux(self, *words):
        return self.t.run("tmux", "-S", self.t.path("tmux"), *words).ok().out

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def shows(self, *parts, without=()):
        """Waits until the screen has all of the parts and nothing of `without`. A screen
        may be caught half painted, so what it must not show is waited for too."""
        def found():
            screen = self.screen()
            return all(part in screen for part in parts) \
                and not any(part in screen for part in without)
        try:
            wait_for(found, "a screen with %s and without %s" % (parts, without))
        except Exception as failure:
            raise type(failure)("%s\n%s" % (failure, self.screen())) from None

    def end(self):
        self.tmux("kill-server")


def replay(t, game, bots, *more):
    t.pigpen("match", game, *bots, "--seed", "view", "-q", "-O", t.path("out"),
             *more).ok()
    return glob.glob(t.path("out", "*.replay"))[0]


def moves(t, path):
    return [step for step in json.loads(
        t.pigpen("replay", "export", "--full", path).ok().out)["steps"] if "action" in step]


@cases(**{name: name for name in GAMES})
def a_match_is_stepped_through(t, game):
    path = replay(t, game, GAMES[game])
    count = len(moves(t, path))
    terminal = Terminal(t, "replay", "view", path)
    terminal.shows("decision 1 of %d" % count, "all cards", "q quit")
    terminal.keys("Right", "Right", "Left")
    terminal.shows("decision 2 of %d" % count)
    terminal.keys("g", "1", "1", "Enter")
    terminal.shows("decision 11 of %d" % count)
    terminal.keys("End")
    terminal.shows("end of %d" % count)
    terminal.keys("Home", "1")
    terminal.shows("decision 1 of %d" % count, "seat 1")
    terminal.keys("s")
    terminal.shows("spectator")
    terminal.keys("q")
    terminal.shows("status 0")
    terminal.end()


@test
def a_seat_is_shown_its_own_hand_only(t):
    path = replay(t, "dirty_pig", GAMES["dirty_pig"])
    seat = moves(t, path)[0]["seat"]
    hand = " ".join(moves(t, path)[0]["view"]["me"]["hand"])
    terminal = Terminal(t, "replay", "view", path)
    terminal.shows("decision 1 of", "all cards", "stack:", "legal", "note")
    terminal.keys(str(seat))
    terminal.shows("|  seat %d" % seat, "own hand: " + hand, "(3 cards)", "legal", "note",
                   without=["stack:"])
    other = (seat + 1) % 3
    terminal.keys(str(other))
    terminal.shows("|  seat %d" % other, "own hand: ", without=["stack:", "legal", "note"])
    terminal.keys("9")
    terminal.shows("there are seats 0 to 2")
    terminal.end()


@test
def rounds_and_the_slowest_decision_are_found(t):
    path = replay(t, "pig_pile", GAMES["pig_pile"], "-o", "rounds=3")
    slowest = max((step.get("ms", 0), -i) for i, step in enumerate(moves(t, path)))
    terminal = Terminal(t, "replay", "view", path)
    terminal.shows("round 1")
    terminal.keys("r")
    terminal.shows("round 2, face")
    terminal.keys("r")
    terminal.shows("round 3, face")
    terminal.keys("Right", "R")
    terminal.shows("round 3, face")
    terminal.keys("R")
    terminal.shows("round 2, face")
    terminal.keys("R")
    terminal.shows("decision 1 of")
    terminal.keys("t")
    terminal.shows("decision %d of" % (1 - slowest[1]))
    terminal.end()


@test
def a_fault_is_found(t):
    bot = t.bot("leaver", ["/bin/sh", "-c", "exit 3"])
    path = replay(t, "dirty_pig", ["random", bot, "random"])
    terminal = Terminal(t, "replay", "view", path)
    terminal.shows("decision 1 of")
    terminal.keys("Right", "Right", "f")
    terminal.shows("decision 1 of", "! ", "seat 1 is out: ")
    terminal.keys("0")
    terminal.shows("|  seat 0", without=["is out"])
    terminal.end()


@test
def text_is_searched(t):
    path = replay(t, "dirty_pig", GAMES["dirty_pig"])
    first = next(i for i, step in enumerate(moves(t, path), 1)
                 if step["action"]["a"] == "discard")
    terminal = Terminal(t, "replay", "view", path)
    terminal.shows("decision 1 of")
    terminal.keys("/", "then    discard", "Enter")
    terminal.shows("decision %d of" % first)
    terminal.keys("/", "no such words", "Enter")
    terminal.shows("'no such words' was not found")
    terminal.end()


@test
def help_and_resizing(t):
    path = replay(t, "pig_pile", GAMES["pig_pile"])
    terminal = Terminal(t, "replay", "view", path)
    terminal.shows("decision 1 of")
    terminal.keys("?")
    terminal.shows("go to a decision by its number")
    terminal.keys("?")
    terminal.shows("legal")
    terminal.tmux("resize-window", "-x", "50", "-y", "12")
    terminal.shows("(more)")
    terminal.keys("NPage", "NPage", "NPage", "NPage", "NPage", "NPage")
    terminal.shows("face")
    terminal.tmux("resize-window", "-x", "150", "-y", "50")
    terminal.shows("q quit", "legal", "before")
    terminal.end()


@test
def without_a_terminal_it_says_what_to_do(t):
    path = replay(t, "galloping_pigs", GAMES["galloping_pigs"])
    done = t.pigpen("replay", "view", path)
    equal(done.status, 2, "status")
    contains(done.err, "replay show", "advice")
    done = t.pigpen("replay", "view", "--seat", "7", path)
    equal(done.status, 2, "status")
    contains(done.err, "the seats 0 to 1", "advice")
    done = t.pigpen("replay", "view", "--at", "1000", path)
    equal(done.status, 2, "status")
    contains(done.err, "decisions 1 to", "advice")


main()
