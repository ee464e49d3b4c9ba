/* Replays of random matches, made in memory. */
#include "tests/unit/replay_maker.h"

#include <assert.h>
#include <fcntl.h>
#include <ftw.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHOICE_TOO_HIGH 4000

struct maker {
	const struct replay_plan *plan;
	struct replay_made *made;
	struct match match;
	struct dice dice;
	mono_ns now;
	uint16_t left; /* seats whose question has left and starts their clock */
	int calm;      /* answers since the last refusal, fault or loss */
	struct action *space;
	int space_count;
};

static int sink_write(void *context, const void *bytes, size_t size)
{
	struct replay_made *made = context;

	made->bytes = realloc(made->bytes, made->size + size);
	assert(made->bytes);
	memcpy(made->bytes + made->size, bytes, size);
	made->size += size;
	return 0;
}

static void on_send(void *context, int seat, struct blob message)
{
	(void)context, (void)seat, (void)message;
}

static void on_flush(void *context)
{
	struct maker *m = context;

	replay_writer_flush(m->match.replay);
}

static void on_ask(void *context, int seat)
{
	((struct maker *)context)->left |= (uint16_t)(1u << seat);
}

static void on_answered(void *context, int seat)
{
	(void)context, (void)seat;
}

static void on_faulted(void *context, int seat, const struct fault *fault)
{
	(void)context, (void)seat, (void)fault;
}

static void on_finished(void *context)
{
	(void)context;
}

static void on_order(void *context, const struct chance *request, uint8_t *order)
{
	struct maker *m = context;

	m->plan->order(m->plan->context, request, order);
}

static bool percent(struct maker *m, int chance)
{
	return !m->plan->steady && (int)dice_below(&m->dice, 100) < chance;
}

static uint32_t below(struct maker *m, uint32_t n)
{
	return m->plan->steady ? 0 : dice_below(&m->dice, n);
}

static void start_clocks(struct maker *m)
{
	for (int seat = 0; seat < m->plan->variant->seats; seat++)
		if (game_seat_in(m->left, seat) && !match_over(&m->match))
			match_asked(&m->match, seat, m->now);
	m->left = 0;
}

static int pick_waiting(struct maker *m)
{
	unsigned set = m->match.waiting;
	int skip = (int)below(m, (uint32_t)__builtin_popcount(set));

	while (skip-- > 0)
		set &= set - 1;
	return __builtin_ctz(set);
}

static struct blob make_note(struct maker *m, uint8_t *bytes, size_t capacity)
{
	struct buffer buffer = buffer_on(bytes, capacity);
	msgpack_packer packer = buffer_packer(&buffer);
	char text[64];
	int n = snprintf(text, sizeof(text), "remark %u on ♣ \"%s\"",
		dice_below(&m->dice, 1000000), m->plan->game->title);

	if (percent(m, 20)) {
		msgpack_pack_bin(&packer, 3);
		msgpack_pack_bin_body(&packer, "\x00\xff\x07", 3);
	} else {
		msgpack_pack_str(&packer, (size_t)n);
		msgpack_pack_str_body(&packer, text, (size_t)n);
	}
	return blob_since(&buffer, 0);
}

/* An action that the rules refuse and punish; false if none was found. */
static bool find_offence(struct maker *m, int seat, struct action *action)
{
	const struct game *game = m->plan->game;

	if (!game->offence || !game_head(m->match.composer.state)->option[OPTION_FAULTS])
		return false;
	if (!m->space)
		m->space_count =
			action_space(game, m->plan->variant->seats, 1, &m->space);
	for (int tries = 0; tries < 60; tries++) {
		struct table copy;

		memcpy(copy.bytes, m->match.composer.state, sizeof(copy.bytes));
		*action = m->space[dice_below(&m->dice, (uint32_t)m->space_count)];
		if (!game->check(copy.bytes, seat, action, NULL) &&
			game->offence(copy.bytes, seat, action, NULL))
			return true;
	}
	return false;
}

static struct blob pack_action(const struct maker *m, const struct action *action,
	uint8_t *bytes, size_t capacity)
{
	struct buffer buffer = buffer_on(bytes, capacity);
	msgpack_packer packer = buffer_packer(&buffer);

	game_write_action(m->plan->game, action, &packer);
	return blob_since(&buffer, 0);
}

static int choose(struct maker *m, int seat, struct action *legal)
{
	int n = m->plan->game->legal(m->match.composer.state, seat, legal);

	assert(n > 0);
	if (m->plan->choose)
		return m->plan->choose(m->plan->context, seat, m->made->answers, n);
	return (int)dice_below(&m->dice, (uint32_t)n);
}

static void answer(struct maker *m, int seat)
{
	const struct replay_plan *plan = m->plan;
	struct action legal[GAME_LEGAL_MAX], offence;
	uint8_t note[128], action[512];
	bool illegal = m->calm > 0 && percent(m, plan->illegal_percent);
	struct match_answer a = {
		.turn = m->match.seat[seat].turn,
		.choice = choose(m, seat, legal),
		.bytes = {(const uint8_t *)"\x81\xa1t\x01", 4},
		.received = m->now,
		.cpu_ns = 1000 * (int64_t)below(m, 50),
		.lag_ns = 1000 * (int64_t)below(m, 3),
	};

	if (illegal) {
		a.choice = CHOICE_TOO_HIGH;
		m->made->refusals++;
	} else if (percent(m, plan->offence_percent) && find_offence(m, seat, &offence)) {
		a.choice = -1;
		a.action = pack_action(m, &offence, action, sizeof(action));
		m->made->offences++;
	} else if (percent(m, 30)) {
		a.action = pack_action(m, &legal[a.choice], action, sizeof(action));
		a.choice = -1;
	}
	if (percent(m, plan->note_percent))
		a.note = make_note(m, note, sizeof(note));
	m->calm = illegal ? 0 : m->calm + 1;
	m->made->answers++;
	if (plan->twist_answer)
		plan->twist_answer(plan->context, &a);
	match_answer(&m->match, seat, &a);
}

static void put_out(struct maker *m, int seat)
{
	struct fault fault = {.class = m->plan->fault, .at = m->now, .exit_status = 256};

	if (m->plan->fault == FAULT_TIMEOUT) {
		m->now += m->match.seat[seat].budget_ns + 3 * NS_PER_MS;
		match_timeout(&m->match, seat, m->now, NS_PER_US);
		return;
	}
	snprintf(fault.why, sizeof(fault.why), "it exited with status 1");
	snprintf(fault.stderr_tail, sizeof(fault.stderr_tail), "\x1b[31mValueError");
	memcpy(fault.bytes, "\xc1", 1);
	fault.bytes_size = 1;
	if (m->plan->twist_fault)
		m->plan->twist_fault(m->plan->context, &fault);
	match_fault(&m->match, seat, &fault);
}

/* One thing happens at the table. */
static void turn(struct maker *m)
{
	const struct replay_plan *plan = m->plan;
	int seat = pick_waiting(m);

	m->now += (plan->slowness_us + 20 + below(m, 3000)) * NS_PER_US;
	if (plan->fault_at && m->made->answers == plan->fault_at) {
		m->made->answers++;
		put_out(m, seat);
	} else if (plan->abort_at && m->made->answers == plan->abort_at) {
		match_abort(&m->match, m->now, VOID_STOPPED, "the host went down");
	} else if (m->calm > 0 && percent(m, plan->link_percent)) {
		m->calm = 0;
		match_link(&m->match, seat, m->now, false);
		m->now += 700 * NS_PER_US;
		match_link(&m->match, seat, m->now, true);
	} else {
		answer(m, seat);
	}
	start_clocks(m);
}

static void fill_players(const struct replay_plan *plan, struct match_config *config)
{
	for (int seat = 0; seat < plan->variant->seats; seat++) {
		struct replay_player *player = &config->player[seat];

		snprintf(player->name, sizeof(player->name), "player %c", 'A' + seat);
		snprintf(player->version, sizeof(player->version), "1.%d", seat);
		snprintf(player->language, sizeof(player->language), "c");
		memset(player->hash, "0123456789abcdef"[seat], 64);
		memcpy(config->setup.name[seat], player->name, sizeof(player->name));
		config->setup.wants_events[seat] = plan->events && seat % 2 == 0;
	}
}

static void fill_config(const struct replay_plan *plan, struct match_config *config)
{
	char name[256], seed[320];
	bool fits;

	*config = (struct match_config){
		.setup = {.game = plan->game,
			.seats = plan->variant->seats,
			.match_id = plan->match_id ? plan->match_id : 1000 + plan->number,
			.clock = clock_rules_default,
			.names_shown = plan->names_shown},
		.retries = plan->retries,
		.ready_ns_max = 10 * NS_PER_S,
		.start_unix_s = 1700000000,
	};
	fits = variant_options(plan->game, plan->variant, config->setup.option);
	assert(fits);
	(void)fits;
	fill_players(plan, config);
	variant_name(plan->variant, name, sizeof(name));
	snprintf(seed, sizeof(seed), "%s %u", name, plan->number);
	chance_seed_from_text(seed, config->seed);
	memset(config->nonce, plan->nonce ? plan->nonce : 0x5a, sizeof(config->nonce));
	if (plan->twist_config)
		plan->twist_config(plan->context, config);
}

static void play(struct maker *m)
{
	match_start(&m->match, m->now);
	start_clocks(m);
	for (int seat = 0; seat < m->plan->variant->seats; seat++)
		match_ready(&m->match, seat, m->now);
	start_clocks(m);
	while (!match_over(&m->match))
		turn(m);
}

void replay_make(const struct replay_plan *plan, struct replay_made *made)
{
	struct compose_scratch *scratch = compose_scratch_new();
	struct maker *m = calloc(1, sizeof(*m));
	struct match_effects effects = {.send = on_send,
		.flush = on_flush,
		.ask = on_ask,
		.answered = on_answered,
		.faulted = on_faulted,
		.finished = on_finished,
		.order = plan->order ? on_order : NULL,
		.context = m};
	struct match_config *config = malloc(sizeof(*config));
	struct replay_writer writer;
	char name[256];

	assert(m && config);
	memset(made, 0, sizeof(*made));
	m->plan = plan;
	m->made = made;
	m->now = NS_PER_S;
	variant_name(plan->variant, name, sizeof(name));
	m->dice = dice_named(name, plan->number);
	fill_config(plan, config);
	replay_writer_init(&writer, (struct replay_sink){sink_write, made});
	match_init(&m->match, config, &effects, scratch, &writer);
	if (plan->own_seed)
		memset(m->match.seat[plan->own_seed - 1].rng, 0x77, CHANCE_RNG_SIZE);
	play(m);
	memcpy(made->seed, config->seed, sizeof(made->seed));
	memcpy(made->nonce, config->nonce, sizeof(made->nonce));
	for (int seat = 0; seat < plan->variant->seats; seat++)
		memcpy(made->rng[seat], m->match.seat[seat].rng, CHANCE_RNG_SIZE);
	match_release(&m->match);
	replay_writer_release(&writer);
	compose_scratch_free(&scratch);
	free(m->space);
	free(m);
	free(config);
}

void replay_made_release(struct replay_made *made)
{
	free(made->bytes);
	made->bytes = NULL;
}

struct replay_plan replay_plan_rich(
	const struct game *game, const struct variant *variant, unsigned number)
{
	return (struct replay_plan){
		.game = game,
		.variant = variant,
		.number = number,
		.names_shown = number % 2,
		.events = true,
		.retries = 1,
		.note_percent = 15,
		.illegal_percent = 5,
		.offence_percent = 5,
		.link_percent = 3,
		.fault_at = 25,
		.fault = number % 3 ? FAULT_CRASH : FAULT_TIMEOUT,
	};
}

static char folder[64];

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *at)
{
	(void)stat, (void)type, (void)at;
	return remove(path);
}

static void remove_folder(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *replay_file(const char *name)
{
	static char path[128];

	if (!*folder) {
		snprintf(folder, sizeof(folder), "/tmp/pigpen-replay-XXXXXX");
		if (!mkdtemp(folder))
			abort();
		atexit(remove_folder);
	}
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

void replay_write(const char *path, const uint8_t *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t n = write(fd, bytes, size);

	if (n != (ssize_t)size || close(fd))
		abort();
}

bool replay_rechain(uint8_t *bytes, size_t size)
{
	size_t at = REPLAY_MAGIC_SIZE;

	while (at < size) {
		uint8_t *record = bytes + at;
		size_t payload, hashed;

		if (size - at < REPLAY_HEAD_SIZE + REPLAY_CHAIN_SIZE)
			return false;
		payload = (size_t)record[0] | (size_t)record[1] << 8 |
			  (size_t)record[2] << 16 | (size_t)record[3] << 24;
		hashed = REPLAY_HEAD_SIZE + payload;
		if (payload > size - at - REPLAY_HEAD_SIZE - REPLAY_CHAIN_SIZE)
			return false;
		crypto_generichash(record + hashed, REPLAY_CHAIN_SIZE,
			record - REPLAY_CHAIN_SIZE, REPLAY_CHAIN_SIZE + hashed, NULL, 0);
		at += hashed + REPLAY_CHAIN_SIZE;
	}
	return true;
}
