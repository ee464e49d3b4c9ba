// A Pigpen bot. pigpen.js beside it describes everything it can use.
"use strict";

const pigpen = require("./pigpen.js");

pigpen.run({
  name: "@NAME@",
  version: "1",
  matches: 16, // plays up to so many at once; keep what you remember in match.data

  // A match begins: match.game, match.options, match.seat, match.seats.
  match(match) {
    match.data = { questions: 0 };
  },

  // Decide: act.view is all that you may know, act.legal all that you may do.
  act(match, act) {
    match.data.questions++;
    let choices = act.legal.map((_, i) => i);
    if (match.game === "dirty_pig") {
      // One idea for a start: a card that is played is better than one thrown away.
      const plays = choices.filter((i) => act.legal[i].a === "play");
      if (plays.length > 0) choices = plays;
    }
    const choice = choices[Math.floor(match.random() * choices.length)];
    return [choice, `one of ${choices.length}`]; // the note is shown in the replay
  },

  // The match is over. Print what you like, but to stderr.
  end(match, result) {},
});
