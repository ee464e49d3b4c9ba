"""A Pigpen bot. pigpen.py beside it describes everything it can use."""
import pigpen


class MyBot(pigpen.Bot):
    name = "@NAME@"
    version = "1"
    matches = 16  # plays up to so many at once; keep what you remember in `match`

    def match(self, match):
        """A match begins: match.game, match.options, match.seat, match.seats."""

    def act(self, match, act):
        """Decide: act.view is all that you may know, act.legal all that you may do."""
        choices = range(len(act.legal))
        if match.game == "dirty_pig":
            # One idea for a start: a card that is played is better than one thrown away.
            plays = [i for i in choices if act.legal[i]["a"] == "play"]
            choices = plays or choices
        choice = match.random.choice(choices)
        return choice, "one of %d" % len(choices)  # the note is shown in the replay

    def end(self, match, result, events):
        """The match is over. Print what you like, but to stderr."""


pigpen.run(MyBot())
