// A Pigpen bot: choose() decides, the rest is the protocol (specs/protocol.md).
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <msgpack.hpp>
#include <zmq.hpp>

using Map = std::map<std::string, msgpack::object>;

static zmq::context_t context;
static zmq::socket_t arbiter(context, zmq::socket_type::dealer);
static std::mt19937 chance;

// The index of the action to take. act["view"] is all that you may know, act["legal"] all
// that you may do.
static int choose(const std::string &game, Map &act)
{
	auto legal = act["legal"].as<std::vector<Map>>();
	std::vector<int> choices;

	// One idea for a start: a card that is played is better than one thrown away.
	if (game == "dirty_pig")
		for (size_t i = 0; i < legal.size(); i++)
			if (legal[i]["a"].as<std::string>() == "play")
				choices.push_back(int(i));
	if (choices.empty())
		for (size_t i = 0; i < legal.size(); i++)
			choices.push_back(int(i));
	return choices[chance() % choices.size()];
}

static void say(const msgpack::sbuffer &bytes)
{
	arbiter.send(zmq::buffer(bytes.data(), bytes.size()), zmq::send_flags::none);
}

static void say_hello()
{
	msgpack::sbuffer bytes;
	msgpack::packer<msgpack::sbuffer> packer(bytes);

	packer.pack_map(6);
	packer.pack("t"), packer.pack("hello");
	packer.pack("v"), packer.pack(std::vector<int>{1});
	packer.pack("token"), packer.pack(std::getenv("PIGPEN_TOKEN"));
	packer.pack("name"), packer.pack("@NAME@");
	packer.pack("version"), packer.pack("1");
	packer.pack("lang"), packer.pack("cpp");
	say(bytes);
}

static void say_ready(uint64_t match)
{
	msgpack::sbuffer bytes;
	msgpack::packer<msgpack::sbuffer> packer(bytes);

	packer.pack_map(2);
	packer.pack("t"), packer.pack("ready");
	packer.pack("match"), packer.pack(match);
	say(bytes);
}

static void say_action(uint64_t match, uint64_t turn, int choice)
{
	msgpack::sbuffer bytes;
	msgpack::packer<msgpack::sbuffer> packer(bytes);

	packer.pack_map(4);
	packer.pack("t"), packer.pack("action");
	packer.pack("match"), packer.pack(match);
	packer.pack("turn"), packer.pack(turn);
	packer.pack("choice"), packer.pack(choice);
	say(bytes);
}

int main()
{
	std::string game;

	if (!std::getenv("PIGPEN_ENDPOINT") || !std::getenv("PIGPEN_TOKEN")) {
		std::cerr << "bots are started by `pigpen match`\n";
		return 2;
	}
	arbiter.connect(std::getenv("PIGPEN_ENDPOINT"));
	say_hello();
	for (;;) {
		zmq::message_t frame;

		if (!arbiter.recv(frame) || frame.size() == 0)
			continue; // an empty frame only asks whether we are there
		auto handle = msgpack::unpack(frame.data<char>(), frame.size());
		auto message = handle.get().as<Map>();
		auto type = message["t"].as<std::string>();
		if (type == "match") {
			// game, seat, seats and options; rng is a seed for this match: a bot
			// that uses no other randomness plays it again the same way.
			auto seed = message["rng"].as<std::vector<char>>();
			std::seed_seq sequence(seed.begin(), seed.end());
			chance.seed(sequence);
			game = message["game"].as<std::string>();
			say_ready(message["match"].as<uint64_t>());
		} else if (type == "act") {
			say_action(message["match"].as<uint64_t>(),
				message["turn"].as<uint64_t>(), choose(game, message));
		} else if (type == "error" && !message.count("match")) {
			std::cerr << message["code"] << ": " << message["why"] << '\n';
			return 1;
		} else if (type == "bye") {
			return 0;
		}
	}
}
