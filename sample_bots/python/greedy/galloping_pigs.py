"""Galloping Pigs: lead to take food, and keep a last card that leads, for without it the
food of the whole round is lost."""

COLOURS = "ABCDE"
SPACES = 22


def value(view, move):
    """(value, reason) of a legal move."""
    if move["a"] == "line":
        return 0, "before the deal all colours are alike"
    if move["a"] == "food":
        return -move["at"], "food near the start, where the pigs come by"
    return play(view, move["card"])


def play(view, card):
    distance = dict(zip(COLOURS, view["pub"]["distance"]))
    left = list(view["me"]["hand"])
    left.remove(card)
    leads = run(distance, card)
    chances = [prospect(distance, colour) for colour in left]
    best = max(chances, default=0)
    if len(left) <= 1:
        stake = view["pub"]["left"][view["seat"]] + leads
        return 10 * leads + best * (stake + 1), "keep a last card that leads"
    worth = 40 * leads + 3 * best + sum(chances) * 4 // len(left)
    return worth, "to the front: one food" if leads else "prepare cards that lead later"


def run(distance, pig):
    """Moves a pig to the first space beyond it that is free; does it lead then?"""
    taken = {at % SPACES for other, at in distance.items() if other != pig}
    distance[pig] += 1
    while distance[pig] % SPACES in taken:
        distance[pig] += 1
    return all(at < distance[pig] for other, at in distance.items() if other != pig)


def prospect(distance, pig):
    """How well a pig stands for a lead later on."""
    moved = dict(distance)
    if run(moved, pig):
        return 12
    return max(0, 6 - (max(distance.values()) - moved[pig]))
