-- A Pigpen bot. Every line on stdin is a message of the arbiter's as JSON, every line on
-- stdout is one of ours (specs/bridge.md, specs/protocol.md). Print what you like to
-- stderr.
local cjson = require "cjson"

local match -- game, seat, seats, options of the match that is being played

-- The index of the action to take, from 0. act.view is all that you may know, act.legal
-- all that you may do.
local function choose(act)
  local plays = {}
  for i, action in ipairs(act.legal) do
    -- One idea for a start: a card that is played is better than one thrown away.
    if action.a == "play" then plays[#plays + 1] = i - 1 end
  end
  if #plays > 0 then return plays[math.random(#plays)] end
  return math.random(#act.legal) - 1
end

-- cjson would write the number of a match with an exponent.
local function say(format, ...)
  io.stdout:write(format:format(...), "\n")
  io.stdout:flush()
end

for line in io.lines() do
  local message = cjson.decode(line)
  if message.t == "match" then
    match = message
    -- A seed for this match: without other randomness it is played the same way again.
    math.randomseed(tonumber(message.rng.bin:sub(1, 12), 16))
    say('{"t":"ready","match":%d}', message.match)
  elseif message.t == "act" then
    say('{"t":"action","match":%d,"turn":%d,"choice":%d}', message.match, message.turn,
      choose(message))
  elseif message.t == "bye" then
    break
  end
end
