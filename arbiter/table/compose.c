/* The messages that the seats of a match are sent. */
#include "arbiter/table/compose.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "protocol/codec.h"
#include "protocol/memory.h"

/*
 * `parts` holds the blobs of the message being built (view, legal list …), `out` the
 * message itself. Both are as large as the protocol lets a message be: a message that
 * does not fit is a bug of the game.
 */
struct compose_scratch {
	struct events events;
	struct action legal[GAME_LEGAL_MAX];
	_Alignas(16) uint8_t view[GAME_STATE_MAX];
	struct buffer parts, out;
	uint8_t parts_bytes[ARBITER_MESSAGE_BYTES_MAX];
	uint8_t out_bytes[ARBITER_MESSAGE_BYTES_MAX];
};

struct compose_scratch *compose_scratch_new(void)
{
	struct compose_scratch *scratch = xcalloc(1, sizeof(*scratch));

	scratch->parts = buffer_on(scratch->parts_bytes, sizeof(scratch->parts_bytes));
	scratch->out = buffer_on(scratch->out_bytes, sizeof(scratch->out_bytes));
	return scratch;
}

void compose_scratch_free(struct compose_scratch **scratch)
{
	free(*scratch);
	*scratch = NULL;
}

void composer_init(struct composer *composer, const struct compose_setup *setup,
	struct compose_scratch *scratch)
{
	composer->setup = *setup;
	composer->scratch = scratch;
	memset(composer->feed, 0, sizeof(composer->feed));
	game_start(setup->game, setup->seats, setup->option, composer->state);
}

void composer_place(struct composer *composer, const void *state)
{
	memcpy(composer->state, state, composer->setup.game->state_size);
}

void composer_release(struct composer *composer)
{
	for (int seat = 0; seat < composer->setup.seats; seat++) {
		free(composer->feed[seat].data);
		composer->feed[seat] = (struct compose_feed){0};
	}
}

static void feed_append(struct compose_feed *feed, const void *bytes, size_t size)
{
	if (size > feed->capacity - feed->size) {
		size_t capacity = feed->capacity ? feed->capacity : 256;

		while (capacity - feed->size < size)
			capacity *= 2;
		feed->data = xrealloc(feed->data, capacity);
		feed->capacity = capacity;
	}
	memcpy(feed->data + feed->size, bytes, size);
	feed->size += size;
	feed->count++;
}

static void feed_clear(struct compose_feed *feed)
{
	feed->size = 0;
	feed->count = 0;
}

/* An event has at most two forms, with its cards and without; each is written once. */
static void distribute_event(struct composer *composer, const struct event *event)
{
	const struct compose_setup *setup = &composer->setup;
	struct buffer *parts = &composer->scratch->parts;
	struct blob form[2] = {{NULL, 0}, {NULL, 0}};

	buffer_clear(parts);
	for (int seat = 0; seat < setup->seats; seat++) {
		struct blob *blob = &form[event_seen_by(event, seat)];

		if (!blob->size) {
			size_t start = parts->size;
			msgpack_packer packer = buffer_packer(parts);

			game_write_event(setup->game, event, seat, &packer);
			*blob = blob_since(parts, start);
			assert(!parts->overflow);
		}
		feed_append(&composer->feed[seat], blob->bytes, blob->size);
	}
}

static void distribute(struct composer *composer)
{
	struct events *events = &composer->scratch->events;

	for (int i = 0; i < events->count; i++)
		distribute_event(composer, &events->list[i]);
}

void composer_chance(struct composer *composer, const uint8_t *order, int n)
{
	composer->scratch->events.count = 0;
	composer->setup.game->apply_chance(
		composer->state, order, n, &composer->scratch->events);
	distribute(composer);
}

void composer_apply(struct composer *composer, int seat, const struct action *action)
{
	composer->scratch->events.count = 0;
	composer->setup.game->apply(
		composer->state, seat, action, &composer->scratch->events);
	distribute(composer);
}

bool composer_offence(struct composer *composer, int seat, const struct action *action)
{
	const struct game *game = composer->setup.game;

	composer->scratch->events.count = 0;
	if (!game->offence ||
		!game->offence(composer->state, seat, action, &composer->scratch->events))
		return false;
	distribute(composer);
	return true;
}

const struct events *composer_events(const struct composer *composer)
{
	return &composer->scratch->events;
}

/* The parts of a message. Each appends to scratch->parts and returns what it wrote. */

static struct blob part_view(struct composer *composer, int seat)
{
	struct compose_scratch *scratch = composer->scratch;
	size_t start = scratch->parts.size;
	msgpack_packer packer = buffer_packer(&scratch->parts);

	game_observe(composer->setup.game, composer->state, seat, scratch->view);
	game_write_view(composer->setup.game, scratch->view, &packer);
	return blob_since(&scratch->parts, start);
}

static struct blob part_legal(struct composer *composer, int seat)
{
	struct compose_scratch *scratch = composer->scratch;
	const struct game *game = composer->setup.game;
	size_t start = scratch->parts.size;
	msgpack_packer packer = buffer_packer(&scratch->parts);
	int n = game->legal(composer->state, seat, scratch->legal);

	msgpack_pack_array(&packer, (size_t)n);
	for (int i = 0; i < n; i++)
		game_write_action(game, &scratch->legal[i], &packer);
	return blob_since(&scratch->parts, start);
}

static struct blob part_events(struct composer *composer, int seat)
{
	struct compose_feed *feed = &composer->feed[seat];
	struct buffer *parts = &composer->scratch->parts;
	size_t start = parts->size;
	msgpack_packer packer = buffer_packer(parts);

	msgpack_pack_array(&packer, feed->count);
	if (feed->size)
		buffer_write(parts, (const char *)feed->data, feed->size);
	feed_clear(feed);
	return blob_since(parts, start);
}

static struct blob part_options(struct composer *composer)
{
	struct buffer *parts = &composer->scratch->parts;
	size_t start = parts->size;
	msgpack_packer packer = buffer_packer(parts);

	game_write_options(composer->setup.game, composer->setup.option, &packer);
	return blob_since(parts, start);
}

static struct blob part_result(
	struct composer *composer, const struct game_result *result)
{
	struct buffer *parts = &composer->scratch->parts;
	size_t start = parts->size;
	msgpack_packer packer = buffer_packer(parts);

	if (result)
		game_write_result(
			composer->setup.game, result, composer->setup.seats, &packer);
	else
		msgpack_pack_nil(&packer);
	return blob_since(parts, start);
}

static struct blob encode(struct composer *composer, const struct message *message)
{
	struct buffer *out = &composer->scratch->out;
	enum err err;

	assert(!composer->scratch->parts.overflow);
	buffer_clear(out);
	err = codec_encode(message, out);
	assert(err == ERR_OK);
	(void)err;
	return blob_since(out, 0);
}

static struct message_clock clock_of(const struct compose_question *question)
{
	return (struct message_clock){
		.bank_ms = question->bank_us / 1000,
		.move_ms = question->budget_us / 1000,
	};
}

static void fill_match(struct composer *composer, int seat, const uint8_t *rng,
	struct message_match *match)
{
	const struct compose_setup *setup = &composer->setup;
	int8_t team[GAME_SEATS_MAX];

	*match = (struct message_match){
		.match = setup->match_id,
		.game = text_of(setup->game->id),
		.rules = setup->game->rules_version,
		.options = part_options(composer),
		.seat = seat,
		.seats = setup->seats,
		.clock = {setup->clock.kind, setup->clock.bank_ns / NS_PER_MS,
			setup->clock.increment_ns / NS_PER_MS,
			setup->clock.move_ns_max / NS_PER_MS},
		.commit = {(const char *)setup->commit, sizeof(setup->commit)},
		.rng = {(const char *)rng, CHANCE_RNG_SIZE},
	};
	setup->game->teams_of(composer->state, team);
	match->teams.count = setup->seats;
	for (int i = 0; i < setup->seats; i++)
		match->teams.at[i] = team[i];
	match->names.count = setup->names_shown ? setup->seats : 0;
	for (int i = 0; i < match->names.count; i++)
		match->names.at[i] = text_of(setup->name[i]);
}

struct blob compose_match(
	struct composer *composer, int seat, const uint8_t rng[CHANCE_RNG_SIZE])
{
	struct message message = {.type = MESSAGE_MATCH};

	buffer_clear(&composer->scratch->parts);
	fill_match(composer, seat, rng, &message.match);
	return encode(composer, &message);
}

bool compose_event_due(const struct composer *composer, int seat)
{
	return composer->setup.wants_events[seat] && composer->feed[seat].count;
}

struct blob compose_event(struct composer *composer, int seat)
{
	struct message message = {.type = MESSAGE_EVENT};

	buffer_clear(&composer->scratch->parts);
	message.event.match = composer->setup.match_id;
	message.event.events = part_events(composer, seat);
	return encode(composer, &message);
}

struct blob compose_act(
	struct composer *composer, int seat, const struct compose_question *question)
{
	struct message message = {.type = MESSAGE_ACT};

	buffer_clear(&composer->scratch->parts);
	message.act = (struct message_act){
		.match = composer->setup.match_id,
		.turn = question->turn,
		.view = part_view(composer, seat),
		.events = part_events(composer, seat),
		.legal = part_legal(composer, seat),
		.clock = clock_of(question),
	};
	return encode(composer, &message);
}

struct blob compose_end(
	struct composer *composer, int seat, const struct game_result *result)
{
	struct message message = {.type = MESSAGE_END};

	buffer_clear(&composer->scratch->parts);
	message.end.match = composer->setup.match_id;
	message.end.events = part_events(composer, seat);
	message.end.result = part_result(composer, result);
	return encode(composer, &message);
}

struct blob compose_refuse(
	struct composer *composer, uint32_t turn, const char *clause, const char *why)
{
	struct message message = {.type = MESSAGE_REFUSE};

	message.refuse = (struct message_refuse){
		.match = composer->setup.match_id,
		.turn = turn,
		.clause = text_of(clause),
		.why = text_of(why),
	};
	return encode(composer, &message);
}

struct blob compose_resume(struct composer *composer, int seat,
	const uint8_t rng[CHANCE_RNG_SIZE], const struct compose_question *question)
{
	struct message message = {.type = MESSAGE_RESUME};

	buffer_clear(&composer->scratch->parts);
	fill_match(composer, seat, rng, &message.resume.match);
	message.resume.view = part_view(composer, seat);
	if (question) {
		message.resume.act.turn = question->turn;
		message.resume.act.legal = part_legal(composer, seat);
		message.resume.act.clock = clock_of(question);
	}
	feed_clear(&composer->feed[seat]);
	return encode(composer, &message);
}
