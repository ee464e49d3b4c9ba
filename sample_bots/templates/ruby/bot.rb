# A Pigpen bot: `choose` decides, the rest is the protocol (specs/protocol.md).
require "ffi-rzmq"
require "msgpack"

# The index of the action to take. `act` holds "view", all that you may know, and
# "legal", all that you may do; `match` holds "game", "seat", "seats", "options".
def choose(match, act, random)
  choices = (0...act["legal"].size).to_a
  if match["game"] == "dirty_pig"
    # One idea for a start: a card that is played is better than one thrown away.
    plays = choices.select { |i| act["legal"][i]["a"] == "play" }
    choices = plays unless plays.empty?
  end
  choices.sample(random: random)
end

context = ZMQ::Context.new
socket = context.socket(ZMQ::DEALER)
abort "cannot connect to #{ENV["PIGPEN_ENDPOINT"]}" if
  socket.connect(ENV.fetch("PIGPEN_ENDPOINT")) != 0
say = ->(message) { socket.send_string(message.to_msgpack) }

say.({"t" => "hello", "v" => [1], "token" => ENV.fetch("PIGPEN_TOKEN"),
      "name" => "@NAME@", "version" => "1", "lang" => "ruby"})
match = random = nil
loop do
  frame = String.new
  abort "the arbiter is gone" if socket.recv_string(frame) < 0
  next if frame.empty? # only asks whether we are there
  message = MessagePack.unpack(frame)
  case message["t"]
  when "match"
    match = message
    # A seed for this match: without other randomness it is played the same way again.
    random = Random.new(message["rng"].unpack1("Q<"))
    say.({"t" => "ready", "match" => message["match"]})
  when "act"
    say.({"t" => "action", "match" => message["match"], "turn" => message["turn"],
          "choice" => choose(match, message, random)})
  when "end"
    # message["result"] tells how it went; print what you like, but to stderr.
  when "error"
    abort "#{message["code"]}: #{message["why"]}" unless message.key?("match")
  when "bye"
    break
  end
end
