// Plays any game by choosing among the legal actions with equal chances.
"use strict";

const pigpen = require("./pigpen.js");

pigpen.run({
  name: "random-javascript",
  version: "1.0",
  matches: 64,
  act(match, act) {
    return Math.floor(match.random() * act.legal.length);
  },
});
