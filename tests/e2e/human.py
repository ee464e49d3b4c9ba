#!/usr/bin/python3
"""`pigpen match GAME human BOT…`: a person at a terminal, played by this script."""
import os
import pty
import re
import select
import time

from harness import PATIENCE_S, PIGPEN, cases, check, contains, equal, main, test


class Screen:
    """A terminal with pigpen on it."""

    def __init__(self, t, *words):
        self.master, slave = pty.openpty()
        self.process = t.start([PIGPEN, *words], stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        self.text = ""

    def until(self, pattern):
        """Waits for the pattern and returns what was shown up to its end."""
        end = time.monotonic() + PATIENCE_S
        while not (found := re.search(pattern, self.text)):
            check(time.monotonic() < end, lambda: "%r is not in:\n%s" % (pattern, self.text))
            if not select.select([self.master], [], [], 1)[0]:
                continue
            try:
                data = os.read(self.master, 65536)
            except OSError:
                data = b""
            check(data, lambda: "ended before %r:\n%s" % (pattern, self.text))
            self.text += data.decode(errors="replace").replace("\r\n", "\n")
        shown, self.text = self.text[:found.end()], self.text[found.end():]
        return shown

    def type(self, line):
        os.write(self.master, line.encode() + b"\n")


def play_on(screen):
    """Answers 0 until the match is over; how often it was asked."""
    asked = 0
    while not screen.until(r"\n> |The match is over").endswith("over"):
        asked += 1
        screen.type("0")
    return asked


@cases(**{game: bots for game, bots in (
    ("pig_pile", ["random", "random"]), ("pig_it_hog_it", ["random"] * 3),
    ("galloping_pigs", ["random", "random"]), ("dirty_pig", ["random"]),
    ("tennessee_pig", ["random"] * 3))})
def a_whole_match_is_played_at_the_terminal(t, bots):
    game = re.search(r"\[(.*)\]", t.name).group(1)
    screen = Screen(t, "match", game, "human", *bots, "--seed", "person")
    shown = screen.until(r"\n> ")
    contains(shown, "You are seat 0", "the first question")
    contains(shown, "Your moves:\n    0  ", "the first question")
    screen.type("0")
    check(play_on(screen) > 2, "asked too rarely")
    screen.until("human")
    equal(screen.process.wait(PATIENCE_S), 0, "exit status")
    os.close(screen.master)
    replay, = (name for name in os.listdir(t.path("replays")) if name.endswith(".replay"))
    t.pigpen("replay", "verify", t.path("replays", replay)).ok()
    contains(t.pigpen("replay", "show", t.path("replays", replay)).out, "human", "the replay")


@test
def moves_can_be_typed_and_mistakes_are_explained(t):
    screen = Screen(t, "match", "dirty_pig", "human", "random", "--seed", "person")
    screen.until(r"\n> ")
    screen.type("99")
    contains(screen.until(r"\n> "), "There are moves 0 to", "a number too high")
    screen.type("fly away")
    contains(screen.until(r"\n> "), "Type the number of a move", "nonsense")
    screen.type("play bolt pig=0")
    contains(screen.until(r"\n> "), "against the rules (DP-", "a move against the rules")
    screen.type("0")
    play_on(screen)
    equal(screen.process.wait(PATIENCE_S), 0, "exit status")
    os.close(screen.master)


@test
def a_person_may_leave(t):
    screen = Screen(t, "match", "dirty_pig", "human", "random", "--seed", "person")
    screen.until(r"\n> ")
    screen.type("q")
    contains(screen.until("(?s)You leave the table.*crash"), "You leave", "the last words")
    screen.process.wait(PATIENCE_S)
    os.close(screen.master)


@test
def a_person_needs_a_terminal_and_plays_alone(t):
    done = t.pigpen("match", "dirty_pig", "human", "random")
    equal(done.status, 2, "exit status without a terminal")
    contains(done.err, "terminal", "message")
    screen = Screen(t, "match", "dirty_pig", "human", "human")
    screen.until("one person can play")
    equal(screen.process.wait(PATIENCE_S), 2, "exit status")
    os.close(screen.master)


main()
