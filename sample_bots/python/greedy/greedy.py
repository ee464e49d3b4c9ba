"""Plays Dirty Pig and Galloping Pigs by simple rules: every legal move gets a value and
a reason, the best is played, and its reason becomes the note."""

import dirty_pig
import galloping_pigs
import pigpen

VALUE = {"dirty_pig": dirty_pig.value, "galloping_pigs": galloping_pigs.value}


class Greedy(pigpen.Bot):
    name = "greedy-python"
    version = "1"
    matches = 64

    def act(self, match, act):
        values = [VALUE[match.game](act.view, move) for move in act.legal]
        best = max(range(len(values)), key=lambda i: values[i][0])
        return best, values[best][1]


pigpen.run(Greedy())
