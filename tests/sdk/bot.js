// The fixture of conversation.py on the JavaScript SDK.
"use strict";

const pigpen = require("../../sample_bots/javascript/sdk/pigpen.js");

const tell = (...what) => require("fs").writeSync(1, JSON.stringify(what) + "\n");

pigpen.run({
  name: "fixture",
  version: "1.5",
  matches: 8,
  events: true,

  match(match) {
    tell("match", match.id, match.game, match.seat, match.seats, match.teams);
  },

  act(match, { turn, view, events, legal, clock }) {
    tell("act", match.id, turn, events, legal, clock.bank_ms, clock.move_ms);
    if (view.random) tell(...Array.from({ length: view.random }, match.random));
    if (view.fail) throw new Error(view.fail);
    return view.note ? [view.answer, view.note] : view.answer;
  },

  async event(match, events) {
    tell("event", match.id, events);
  },

  refuse(match, { turn, clause, why }) {
    tell("refuse", match.id, turn, clause, why);
  },

  resume(match, view) {
    tell("resume", match.id, view);
  },

  end(match, result, events) {
    tell("end", match.id, result, events);
  },
});
