"""Dirty Pig: make your own pigs dirty, keep them so, and wash those of the seat that is
nearest to winning."""


def value(view, move):
    """(value, reason) of a legal move."""
    if move["a"] == "swap":
        return 12, "nothing fits: a new hand"
    if move["a"] == "discard":
        return discard(move["card"])
    if move["card"] == "rain":
        return rain(view)
    if "to" in move:
        return against(view, move)
    return for_me(view, move)


def for_me(view, move):
    pigs = view["pub"]["pigs"][view["seat"]]
    pig, card = pigs[move["pig"]], move["card"]
    dirty = "dirty" in pig
    if card == "mud":
        if clean(pigs) == 1:
            return 1000, "mud on my last clean pig wins"
        if "barn" in pig:
            return 75, "mud for a pig that rain cannot reach"
        return 65, "one more dirty pig"
    if card == "lock":
        if "rod" in pig:
            return 90, "this pig now stays dirty for good"
        return 60, "no farmer gets at this pig"
    if card == "barn":
        return (62, "a roof over a dirty pig") if dirty else (45, "a roof before the mud")
    return (48, "the barn of a dirty pig stays") if dirty else (30, "this barn cannot burn")


def against(view, move):
    pigs = view["pub"]["pigs"][move["to"]]
    pig = pigs[move["pig"]]
    if move["card"] == "farmer":
        return 45 + threat(pigs), "wash a pig of the one nearest to winning"
    if "lock" in pig:
        return 40 + threat(pigs), "burn a barn and its lock"
    if "dirty" in pig:
        return 30 + threat(pigs) // 2, "burn the roof over a dirty pig"
    return 18, "burn a barn"


def rain(view):
    worth = 5
    for seat, pigs in enumerate(view["pub"]["pigs"]):
        washed = sum("dirty" in pig and "barn" not in pig for pig in pigs)
        worth += washed * (-30 if seat == view["seat"] else 15 + threat(pigs) // 2)
    return worth, "rain washes more of their pigs than of mine"


def discard(card):
    worth = {"mud": 60, "barn": 40, "farmer": 35, "lock": 25, "rain": 12, "rod": 10,
             "bolt": 8}
    return 14 - worth[card], "throw away what helps least"


def clean(pigs):
    return sum("dirty" not in pig for pig in pigs)


def threat(pigs):
    """How much it matters to harm this seat."""
    return {0: 40, 1: 40, 2: 15}.get(clean(pigs), 5)
