/*
 * Sessions: three bots, two connections to the socket of each, and an arbiter that offers,
 * asks and ends matches, in any order; the bots' frames go through the decoder as they
 * would from a socket. After every step everything that session.h draws must hold.
 *
 * A step is a byte for what happens and a byte for whom it concerns.
 */
#include "protocol/session.h"
#include "tests/fuzz/fuzz.h"

#define BOTS        3
#define PEERS       (2 * BOTS) /* peer n is a connection of bot n % BOTS */
#define MATCHES     4
#define FRAME_BYTES 4096

enum step {
	STEP_HELLO,
	STEP_READY,
	STEP_ACTION,
	STEP_BYE,
	STEP_ERROR,
	STEP_FRAME, /* bytes of any kind: their number, then the bytes */
	STEP_OFFER,
	STEP_ASK,
	STEP_UNUSED, /* so that the corpus keeps its meaning */
	STEP_END,
	STEP_LOST,
	STEP_CLOSE,
	STEP_ALIVE, /* a connection dies or lives, and nobody has said so */
	STEP_AGAIN, /* a session is freed and another expected */
	STEPS
};

static const char *const tokens[BOTS] = {"sow", "boar", "piglet"};

struct world {
	struct sessions sessions;
	struct session *bot[BOTS];
	struct peer peer[PEERS];
	bool alive[PEERS];
	int64_t now_ns;
};

static bool peer_alive(struct session *session)
{
	const struct world *world = session->user;

	return world->alive[session->peer.bytes[0]];
}

static void expect_bot(struct world *world, int bot)
{
	struct limits limits = limits_default();
	uint8_t secret[SECRET_BYTES];

	limits.messages = 3;
	memset(secret, bot + 1, sizeof(secret));
	world->bot[bot] =
		session_new(&world->sessions, tokens[bot], secret, &limits, world);
}

static void world_init(struct world *world)
{
	*world = (struct world){0};
	sessions_init(&world->sessions);
	world->sessions.alive = peer_alive;
	for (int i = 0; i < BOTS; i++)
		expect_bot(world, i);
	for (int i = 0; i < PEERS; i++) {
		world->peer[i].size = 1;
		world->peer[i].bytes[0] = (uint8_t)i;
		world->alive[i] = true;
	}
}

static void check_session(const struct world *world, const struct session *session)
{
	size_t matches = 0, speaking = 0;

	assert((int64_t)session->matches.count <= session->matches_max);
	for (size_t i = 0; i < session->matches.capacity; i++)
		matches += session->matches.entries[i].value != NULL;
	assert(matches == session->matches.count);
	for (int i = 0; i < PEERS; i++)
		speaking += session_speaks(session, &world->peer[i]);
	if (session->state == SESSION_LIVE)
		assert(speaking == 1);
	if (session->state == SESSION_NEW || session->state == SESSION_LOST)
		assert(speaking == 0);
	if (session->state != SESSION_CLOSED)
		assert(session->credit >= 0);
	assert(session->credit <= session->limits.messages * (session->matches_max + 1));
}

static void check_world(const struct world *world)
{
	for (int i = 0; i < BOTS; i++)
		check_session(world, world->bot[i]);
}

/* What a message may do to sessions: only its own can be closed by it, and what is over
 * stays over. */
static void check_changes(const struct world *world, const enum session_state *before,
	const struct session *own)
{
	for (int i = 0; i < BOTS; i++) {
		const struct session *s = world->bot[i];

		assert(before[i] != SESSION_CLOSED || s->state == SESSION_CLOSED);
		assert(s->state != SESSION_CLOSED || before[i] == SESSION_CLOSED ||
			s == own);
	}
}

static void check_verdict(const struct verdict *v, const struct message *message)
{
	switch (v->what) {
	case DO_WELCOME:
	case DO_RESUME:
	case DO_ERROR:
		assert(v->session->state == SESSION_LIVE);
		break;
	case DO_READY:
		assert(v->match->match == message->ready.match);
		break;
	case DO_ANSWER:
		assert(v->match->match == message->action.match);
		break;
	case DO_FOREIGN:
		assert(!v->match && v->session->counts.foreign > 0);
		break;
	case DO_BYE:
	case DO_VIOLATION:
		assert(v->session->state == SESSION_CLOSED);
		break;
	case DO_REFUSE:
		assert(v->code && *v->why.text);
		break;
	case DO_NOTHING:
		break;
	}
}

/* Is the bot in the match that the message answers? */
static bool is_in_match(const struct session *session, const struct message *message)
{
	return message->type == MESSAGE_ACTION &&
	       table_find(&session->matches, &message->action.match, sizeof(int64_t));
}

static void receive(struct world *world, int peer, const struct message *message,
	struct verdict *verdict)
{
	const struct peer *from = &world->peer[peer];
	struct session *own = world->bot[peer % BOTS];
	enum session_state before[BOTS];
	bool in_match = is_in_match(own, message), speaks = session_speaks(own, from);

	for (int i = 0; i < BOTS; i++)
		before[i] = world->bot[i]->state;
	session_receive(own, from, message, ++world->now_ns, verdict);
	check_verdict(verdict, message);
	check_changes(world, before, own);
	/* An answer is handed on exactly if the bot is in its match. */
	if (message->type == MESSAGE_ACTION && speaks && own->state == SESSION_LIVE)
		assert(verdict->what == (in_match ? DO_ANSWER : DO_FOREIGN));
}

/* As session.h says: decode, hand in, stop at the first thing that is wrong. */
static void frame(struct world *world, int peer, const uint8_t *bytes, size_t size)
{
	struct session *session = world->bot[peer % BOTS];
	struct verdict verdict = {.what = DO_NOTHING};
	struct decoder decoder;
	struct message message;
	struct why why;

	decoder_init(&decoder, FROM_BOT,
		session_speaks(session, &world->peer[peer]) && session->batch,
		&session->limits, bytes, size);
	while (!decoder_done(&decoder) && verdict.what != DO_VIOLATION &&
		verdict.what != DO_REFUSE) {
		enum err err = decoder_next(&decoder, &message, &why);

		if (err == ERR_OK) {
			receive(world, peer, &message, &verdict);
			continue;
		}
		session_malformed(session, err, &why, &verdict);
		check_verdict(&verdict, NULL);
		return;
	}
}

static void send_message(struct world *world, int peer, const struct message *message)
{
	uint8_t bytes[FRAME_BYTES];
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));

	assert(codec_encode(message, &buffer) == ERR_OK);
	frame(world, peer, buffer.bytes, buffer.size);
}

static void say_hello(struct world *world, int peer, struct fuzz_input *input)
{
	int choice = fuzz_byte(input), bot = choice % BOTS;
	struct message message = {.type = MESSAGE_HELLO};

	message.hello = (struct message_hello){
		.v = {1, {choice & 0x80 ? 2 : PROTOCOL_VERSION}},
		.token = text_of(tokens[bot]),
		.matches = 1 + (choice >> 2) % 3,
		.batch = choice & 0x10,
	};
	if (choice & 0x20)
		message.hello.secret = (struct text){
			(const char *)world->bot[(choice & 0x40) ? 0 : bot]->secret,
			SECRET_BYTES};
	send_message(world, peer, &message);
}

static void say(struct world *world, int step, int peer, struct fuzz_input *input)
{
	struct message message = {.type = MESSAGE_BYE};
	int choice = fuzz_byte(input);

	if (step == STEP_READY) {
		message.type = MESSAGE_READY;
		message.ready.match = choice % MATCHES;
	} else if (step == STEP_ACTION) {
		message.type = MESSAGE_ACTION;
		message.action = (struct message_action){
			.match = choice % MATCHES,
			.turn = 1 + (choice >> 2) % 8,
		};
	} else if (step == STEP_ERROR) {
		message.type = MESSAGE_ERROR;
		message.error = (struct message_error){
			.code = text_of("other"), .why = text_of("oink"), .match = -1};
	}
	send_message(world, peer, &message);
}

static void raw_frame(struct world *world, int peer, struct fuzz_input *input)
{
	size_t size = fuzz_byte(input);

	size = size < input->left ? size : input->left;
	frame(world, peer, input->at, size);
	input->at += size;
	input->left -= size;
}

/* What the arbiter does in a match of a bot's, where session.h allows it. */
static void act_on_match(struct world *world, int step, int who)
{
	struct session *session = world->bot[who % BOTS];
	int64_t number = who / BOTS % MATCHES;
	struct session_match *match =
		table_find(&session->matches, &number, sizeof(number));

	if (step == STEP_OFFER && !match)
		session_offer(session, number, NULL);
	else if (step == STEP_ASK && match)
		session_asked(session);
	else if (step == STEP_END && match)
		session_end(session, &match);
}

static void take_step(struct world *world, struct fuzz_input *input)
{
	int step = fuzz_below(input, STEPS), who = fuzz_byte(input);
	int bot = who % BOTS, peer = who % PEERS;

	if (step == STEP_HELLO) {
		say_hello(world, peer, input);
	} else if (step < STEP_FRAME) {
		say(world, step, peer, input);
	} else if (step == STEP_FRAME) {
		raw_frame(world, peer, input);
	} else if (step <= STEP_END) {
		act_on_match(world, step, who);
	} else if (step == STEP_LOST) {
		session_lost(world->bot[bot]);
	} else if (step == STEP_CLOSE) {
		session_close(world->bot[bot]);
	} else if (step == STEP_ALIVE) {
		world->alive[peer] = !world->alive[peer];
	} else {
		session_free(&world->sessions, &world->bot[bot]);
		expect_bot(world, bot);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	struct world world;

	world_init(&world);
	while (input.left) {
		take_step(&world, &input);
		check_world(&world);
	}
	sessions_release(&world.sessions);
	return 0;
}
