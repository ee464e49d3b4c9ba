#!/usr/bin/python3
"""The sample bots that really play: every game, every number of seats and every variant
without a fault, and the same again from the same seed. How strong they are is measured
by tests/bots_table.py.
"""
import os
import shutil

from harness import ROOT, cases, check, contains, equal, main, records_of, skip, test

CLOCK = ("--clock", "move=60s")
FEW = {"SEARCH_ITERATIONS": "20"}
SEATS = {"pig_pile": range(3, 13), "pig_it_hog_it": [4], "galloping_pigs": range(2, 5),
         "dirty_pig": range(2, 5), "tennessee_pig": [4]}
# Whole matches of these games are long; one round shows as much.
SHORT = {"pig_pile": ["rounds=1"], "pig_it_hog_it": ["games=1", "target=10"],
         "galloping_pigs": ["rounds=1"], "dirty_pig": [], "tennessee_pig": ["target=10"]}
VARIANTS = {
    "dealt": ("pig_pile", 4, ["deal=dealt", "rounds=2"]),
    "greased": ("pig_pile", 3, ["deal=greased", "rounds=2", "wash_any=true",
                                "first_dealer=random"]),
    "suit_in_bid": ("pig_it_hog_it", 4, ["suit_in_bid=true", "games=1", "target=20"]),
    "jacks": ("pig_it_hog_it", 4, ["partners=jacks", "hog_partner=plays", "games=1",
                                   "all_pass=dealer", "faults=penalty"]),
    "food_after": ("galloping_pigs", 3, ["food_on_track=true", "first=random"]),
    "food_before": ("galloping_pigs", 4, ["food_on_track=true",
                                          "food_timing=before_deal"]),
    "hand_of_four": ("dirty_pig", 3, ["hand=4", "first=random"]),
    "cut": ("tennessee_pig", 4, ["cut=ask", "lookback=all", "target=20"]),
    "penalty": ("tennessee_pig", 4, ["faults=penalty", "games=3", "target=10"]),
    "forced": ("tennessee_pig", 4, ["ask_forced=true", "target=10"]),
}
CHOICE, NOTE = 4, 10  # in an action record; those of forced moves are shorter


def play(t, game, bots, options, *more, out="replays", env=FEW):
    words = [word for option in options for word in ("-o", option)]
    result = t.pigpen("match", game, *bots, *words, *CLOCK, "--seed", "oink", "--json",
                      "--out", t.path(out), *more, env=env).ok().json()
    for match in result["matches"]:
        equal(match["void"], None, "void")
        equal(match["faults"], [], "faults")
    return result["matches"]


def moves(match):
    """Who decided what and why, without times."""
    return [[*record[:CHOICE + 1], *record[NOTE:NOTE + 1]]
            for record in records_of(match["replay"], "action")]


def notes(match):
    return [move[CHOICE + 1] for move in moves(match) if len(move) > CHOICE + 1]


@cases(**{"%s_%d" % (game, seats): (game, seats)
          for game, counts in SEATS.items() for seats in counts})
def both_play_at_every_number_of_seats(t, case):
    game, seats = case
    play(t, game, ["greedy"] * seats, SHORT[game], "-n", "3", "-j", "3")
    play(t, game, ["search", "greedy"] * (seats // 2) + ["search"] * (seats % 2),
         SHORT[game])


@cases(**VARIANTS)
def both_play_the_variants(t, case):
    game, seats, options = case
    play(t, game, (["search", "greedy"] * seats)[:seats], options)


@cases(**{game: game for game in SEATS})
def the_same_seed_gives_the_same_moves_and_notes(t, game):
    seats = SEATS[game][0]
    bots = (["search", "greedy"] * seats)[:seats]
    one, two = [play(t, game, bots, SHORT[game], "-n", "2", "-j", jobs, out=jobs)
                for jobs in ("1", "2")]
    check(all(notes(match) and all(notes(match)) for match in one), "a note is missing")
    equal([moves(match) for match in one], [moves(match) for match in two], "moves")


@test
def search_tells_visits_and_values(t):
    match = play(t, "dirty_pig", ["search", "search"], [])[0]
    equal(len(notes(match)), sum(bot["decisions"] for bot in match["bots"]), "notes")
    for note in notes(match):
        contains(note, "20 playouts; {\"a\":", "note")


@test
def search_keeps_to_its_clock(t):
    endless = {"SEARCH_ITERATIONS": "100000"}
    play(t, "galloping_pigs", ["search", "search"], ["rounds=1"], "--clock",
         "bank=5s,move=60s", env=endless)


@test
def search_refuses_a_senseless_number_of_iterations(t):
    done = t.pigpen("match", "dirty_pig", "search", "greedy", "--no-replay",
                    env={"SEARCH_ITERATIONS": "many"})
    contains(done.out + done.err, "SEARCH_ITERATIONS is 'many'; give a number from 1 to",
             "what pigpen says")


@cases(**{name.replace("/", "_"): name for name in (
    "bash/dirty_pig", "c/first", "c/greedy", "c/random", "c/search", "javascript/random",
    "python/greedy", "python/random")})
def a_copy_of_the_folder_plays(t, name):
    """Nothing beside a bot's folder is needed, so a ladder can take it."""
    if name.startswith("javascript") and not shutil.which("node"):
        skip("needs node (make deps-test)")
    shutil.copytree(os.path.join(ROOT, "sample_bots", name), t.path("copy"))
    play(t, "dirty_pig", [t.path("copy"), "first"], [])


@cases(dirty_pig="dirty_pig", galloping_pigs="galloping_pigs")
def greedy_in_python_plays_at_every_number_of_seats(t, game):
    for seats in SEATS[game]:
        play(t, game, ["python/greedy"] * seats, SHORT[game], out="seats%d" % seats)


@cases(dirty_pig="dirty_pig", galloping_pigs="galloping_pigs")
def greedy_in_python_repeats_itself(t, game):
    one, two = [moves(play(t, game, ["python/greedy"] * 2, [], out=out)[0])
                for out in ("one", "two")]
    equal(one, two, "moves")


@cases(dirty_pig=("dirty_pig", 30), galloping_pigs=("galloping_pigs", 60))
def greedy_in_python_beats_random(t, case):
    """The deals are fixed by the seed, so this is no matter of luck."""
    game, count = case
    matches = play(t, game, ["python/greedy", "random"], [], "-n", str(count), "-j", "8")
    won = sum(match["ranks"][0] < match["ranks"][1] for match in matches)
    check(won > count * 2 / 3, "won only %d of %d" % (won, count))


main(workers=2)
