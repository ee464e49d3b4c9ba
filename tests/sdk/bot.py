"""The fixture of conversation.py on the Python SDK."""
import json
import os
import sys

SDK = "../../sample_bots/python/sdk"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), SDK))
sys.dont_write_bytecode = True

import pigpen  # noqa: E402


def tell(*what):
    print(json.dumps(what), flush=True)


class Fixture(pigpen.Bot):
    name = "fixture"
    version = "1.5"
    matches = 8
    events = True

    def match(self, match):
        tell("match", match.id, match.game, match.seat, match.seats, match.teams)

    def act(self, match, act):
        tell("act", match.id, act.turn, act.events, act.legal, act.clock.bank_ms,
             act.clock.move_ms)
        if "random" in act.view:
            tell(*(match.random.random() for _ in range(act.view["random"])))
        if "fail" in act.view:
            raise RuntimeError(act.view["fail"])
        if "note" in act.view:
            return act.view["answer"], act.view["note"]
        return act.view["answer"]

    def event(self, match, events):
        tell("event", match.id, events)

    def refuse(self, match, turn, clause, why):
        tell("refuse", match.id, turn, clause, why)

    def resume(self, match, view):
        tell("resume", match.id, view)

    def end(self, match, result, events):
        tell("end", match.id, result, events)


pigpen.run(Fixture())
