/* Parsing the payloads of records. */
#include "arbiter/replay/records.h"

#include <string.h>

#define NESTING 8

const char *const replay_sent_names[] = {
	"", "match", "event", "act", "refuse", "end", "resume"};

/* A map or array that is being read; the first error is kept. */
struct record_walk {
	struct scan scan;
	const char *wrong;
};

static void fail(struct record_walk *w, const char *what)
{
	if (!w->wrong)
		w->wrong = what;
}

static struct scan_value next(struct record_walk *w, unsigned types)
{
	struct scan_value value = {.type = SCAN_NIL};

	if (!w->wrong && scan_next(&w->scan, &value) != ERR_OK)
		fail(w, "the record is not well-formed");
	if (!w->wrong && !(value.type & types))
		fail(w, "a value of the record has the wrong type");
	return value;
}

static int64_t next_int(struct record_walk *w, int64_t min, int64_t max)
{
	int64_t value = next(w, SCAN_INTEGER).integer;

	if (value < min || value > max)
		fail(w, "a number of the record is out of range");
	return w->wrong ? min : value;
}

static struct text next_text(struct record_walk *w, unsigned types)
{
	struct scan_value value = next(w, types | SCAN_NIL);

	return value.type == SCAN_NIL ? (struct text){"", 0} : value.text;
}

static const uint8_t *next_bytes(struct record_walk *w, size_t size)
{
	struct scan_value value = next(w, SCAN_BIN);

	if (!w->wrong && value.text.size != size)
		fail(w, "a hash of the record has the wrong length");
	return (const uint8_t *)value.text.bytes;
}

static struct blob next_blob(struct record_walk *w)
{
	const uint8_t *start = w->scan.at;

	if (!w->wrong && scan_skip(&w->scan, NESTING, NULL) != ERR_OK)
		fail(w, "the record is not well-formed");
	return (struct blob){start, (uint32_t)(w->scan.at - start)};
}

static void skip(struct record_walk *w, uint32_t values)
{
	while (values-- && !w->wrong)
		next_blob(w);
}

static struct record_walk walk_on(struct blob payload)
{
	return (struct record_walk){.scan = scan_on(payload)};
}

/* The head of the payload's array: at least `min` elements; the caller skips those it
 * does not know. */
static uint32_t open_array(struct record_walk *w, uint32_t min)
{
	uint32_t count = next(w, SCAN_ARRAY).count;

	if (!w->wrong && count < min)
		fail(w, "the record is too short");
	return count;
}

/* Calls `read` for each key of a map; keys it does not know are skipped. */
static void each_key(struct record_walk *w,
	bool (*read)(struct record_walk *, struct text, void *), void *context)
{
	uint32_t pairs = next(w, SCAN_MAP).count;

	while (pairs-- && !w->wrong) {
		struct text key = next(w, SCAN_STR).text;

		if (!w->wrong && !read(w, key, context))
			next_blob(w);
	}
}

static void close_walk(struct record_walk *w)
{
	if (!w->wrong && w->scan.at != w->scan.end)
		fail(w, "the record has bytes behind its value");
}

static bool read_clock_key(struct record_walk *w, struct text key, void *context)
{
	struct clock_rules *clock = context;
	struct text kind;

	if (text_is(key, "kind")) {
		kind = next_text(w, SCAN_STR);
		clock->kind = text_is(kind, "cpu") ? CLOCK_KIND_CPU : CLOCK_KIND_WALL;
	} else if (text_is(key, "bank")) {
		clock->bank_ns = next_int(w, 0, INTEGER_MAX / NS_PER_US) * NS_PER_US;
	} else if (text_is(key, "inc")) {
		clock->increment_ns = next_int(w, 0, INTEGER_MAX / NS_PER_US) * NS_PER_US;
	} else if (text_is(key, "move")) {
		clock->move_ns_max = next_int(w, 0, INTEGER_MAX / NS_PER_US) * NS_PER_US;
	} else if (text_is(key, "wall")) {
		clock->wall_ns_max = next_int(w, 0, INTEGER_MAX / NS_PER_US) * NS_PER_US;
	} else {
		return false;
	}
	return true;
}

/* A player and whether its hello asked for events. */
struct player_slot {
	struct replay_player *player;
	bool *events;
};

static bool read_player_key(struct record_walk *w, struct text key, void *context)
{
	struct player_slot *slot = context;
	struct replay_player *player = slot->player;

	if (text_is(key, "name"))
		text_copy(next_text(w, SCAN_STR), player->name, sizeof(player->name));
	else if (text_is(key, "version"))
		text_copy(
			next_text(w, SCAN_STR), player->version, sizeof(player->version));
	else if (text_is(key, "hash"))
		text_copy(next_text(w, SCAN_STR), player->hash, sizeof(player->hash));
	else if (text_is(key, "lang"))
		text_copy(next_text(w, SCAN_STR), player->language,
			sizeof(player->language));
	else if (text_is(key, "events"))
		*slot->events = next(w, SCAN_BOOL).integer;
	else
		return false;
	return true;
}

static int read_players(struct record_walk *w, struct replay_info *info)
{
	uint32_t n = open_array(w, 1);

	if (n > GAME_SEATS_MAX)
		fail(w, "there are more players than a table has seats");
	for (uint32_t i = 0; i < n && !w->wrong; i++) {
		struct player_slot slot = {
			&info->player[i], &info->setup.wants_events[i]};

		each_key(w, read_player_key, &slot);
		memcpy(info->setup.name[i], info->player[i].name,
			sizeof(info->setup.name[i]));
	}
	return (int)n;
}

/* The options are read once the game is known, whatever the order of the keys. */
struct header_walk {
	struct replay_info *info;
	struct blob options, faces;
	int players;
};

static bool read_header_key(struct record_walk *w, struct text key, void *context)
{
	struct header_walk *h = context;
	struct replay_info *info = h->info;
	const uint8_t *bytes;

	if (text_is(key, "format"))
		info->format = next_int(w, 1, INTEGER_MAX);
	else if (text_is(key, "match"))
		info->setup.match_id = next_int(w, 0, INTEGER_MAX);
	else if (text_is(key, "game"))
		text_copy(next_text(w, SCAN_STR), info->game, sizeof(info->game));
	else if (text_is(key, "rules"))
		info->rules = next_int(w, 0, INTEGER_MAX);
	else if (text_is(key, "options"))
		h->options = next_blob(w);
	else if (text_is(key, "seats"))
		info->setup.seats = (int)next_int(w, 1, GAME_SEATS_MAX);
	else if (text_is(key, "names"))
		info->setup.names_shown = next(w, SCAN_BOOL).integer;
	else if (text_is(key, "players"))
		h->players = read_players(w, info);
	else if (text_is(key, "faces"))
		h->faces = next_blob(w);
	else if (text_is(key, "clock"))
		each_key(w, read_clock_key, &info->setup.clock);
	else if (text_is(key, "policy"))
		text_copy(next_text(w, SCAN_STR), info->policy, sizeof(info->policy));
	else if (text_is(key, "retries"))
		info->retries = next_int(w, 0, INTEGER_MAX);
	else if (text_is(key, "ready"))
		info->ready_us = next_int(w, 0, INTEGER_MAX);
	else if (text_is(key, "start"))
		info->start_unix_s = next_int(w, 0, INTEGER_MAX);
	else if (text_is(key, "commit") && (bytes = next_bytes(w, CHANCE_COMMIT_SIZE)) &&
		 !w->wrong)
		memcpy(info->setup.commit, bytes, CHANCE_COMMIT_SIZE);
	else
		return text_is(key, "commit");
	return true;
}

static const char *read_options(struct blob blob, struct replay_info *info)
{
	msgpack_zone zone;
	msgpack_object object;
	const char *wrong = "the options are not well-formed";

	if (!blob.size)
		return "the header has no options";
	msgpack_zone_init(&zone, 1024);
	if (blob_unpack(blob, &zone, &object))
		wrong = game_read_options(info->setup.game, &object, info->setup.option);
	msgpack_zone_destroy(&zone);
	return wrong;
}

/* Orders are stored as faces by number, so the numbers must mean the same cards. */
static const char *check_faces(struct blob blob, const struct game *game)
{
	struct record_walk w = walk_on(blob);
	uint32_t n = open_array(&w, 0);

	for (uint32_t i = 0; i < n && !w.wrong; i++)
		if (i >= (uint32_t)game->face_count ||
			!text_is(next_text(&w, SCAN_STR), game->faces[i]))
			fail(&w, "the header's faces are not those of the game");
	if (n != (uint32_t)game->face_count)
		fail(&w, "the header's faces are not those of the game");
	return w.wrong;
}

const char *replay_parse_header(struct blob payload, struct replay_info *info)
{
	struct header_walk h = {.info = info};
	struct record_walk w = walk_on(payload);
	const struct game *game;
	const char *problem;

	memset(info, 0, sizeof(*info));
	each_key(&w, read_header_key, &h);
	close_walk(&w);
	game = info->setup.game = game_find(info->game);
	if (w.wrong)
		return w.wrong;
	if (info->format != REPLAY_FORMAT)
		return "the header has no format that is known";
	if (!game)
		return NULL;
	if (info->setup.seats < game->seats_min || info->setup.seats > game->seats_max)
		return "the header has a number of seats that the game does not allow";
	if (h.players != info->setup.seats)
		return "the header does not name a player for each seat";
	problem = check_faces(h.faces, game);
	return problem ? problem : read_options(h.options, info);
}

const char *replay_parse_chance(struct blob payload, int seats, const struct game *game,
	struct replay_order *order)
{
	struct record_walk w = walk_on(payload);
	uint32_t n = open_array(&w, 3);
	struct text bytes;
	int limit;

	order->kind = (enum chance_kind)next_int(&w, CHANCE_FIRST, CHANCE_SHUFFLE);
	order->index = (int)next_int(&w, 0, UINT16_MAX);
	bytes = next(&w, SCAN_BIN).text;
	if (!w.wrong && bytes.size > GAME_ORDER_MAX)
		fail(&w, "an order is longer than any deck");
	order->n = (int)bytes.size;
	order->order = (const uint8_t *)bytes.bytes;
	limit = order->kind == CHANCE_FIRST ? seats : game->face_count;
	for (int i = 0; !w.wrong && i < order->n; i++)
		if (order->order[i] >= limit)
			fail(&w, "an order has a card that does not exist");
	skip(&w, w.wrong ? 0 : n - 3);
	close_walk(&w);
	return w.wrong;
}

static const char *read_action(struct blob blob, const struct replay_info *info,
	msgpack_zone *zone, struct action *action)
{
	msgpack_object object;
	struct refusal why;

	msgpack_zone_clear(zone);
	if (!blob_unpack(blob, zone, &object))
		return "the action is not well-formed";
	if (!game_read_action(info->setup.game, info->setup.seats, &object, action, &why))
		return why.why;
	return NULL;
}

static void read_timing(struct record_walk *w, struct replay_move *move)
{
	struct scan_value choice, note;

	move->turn = (uint32_t)next_int(w, 1, UINT32_MAX);
	choice = next(w, SCAN_INTEGER | SCAN_NIL);
	move->choice = choice.type == SCAN_NIL ? -1 : (int)choice.integer;
	if (move->choice < -1 || move->choice >= GAME_LEGAL_MAX)
		fail(w, "a choice is out of range");
	move->sent_us = next_int(w, 0, INTEGER_MAX);
	move->received_us = next_int(w, 0, INTEGER_MAX);
	move->bank_us = next_int(w, 0, INTEGER_MAX);
	move->cpu_us = next_int(w, 0, INTEGER_MAX);
	move->lag_us = next_int(w, 0, INTEGER_MAX);
	note = next(w, SCAN_BIN | SCAN_STR | SCAN_NIL);
	move->note = note.type == SCAN_NIL ? (struct text){"", 0} : note.text;
	move->note_is_bytes = note.type == SCAN_BIN;
	move->offence = next_text(w, SCAN_STR);
}

const char *replay_parse_action(struct blob payload, const struct replay_info *info,
	msgpack_zone *zone, struct replay_move *move)
{
	struct record_walk w = walk_on(payload);
	uint32_t n = open_array(&w, 3);
	struct blob action;

	memset(move, 0, sizeof(*move));
	move->choice = -1;
	move->seat = (int)next_int(&w, 0, info->setup.seats - 1);
	move->by = (enum replay_by)next_int(&w, BY_BOT, BY_PENALTY);
	action = next_blob(&w);
	if (!w.wrong && n > 3 && n < 12)
		fail(&w, "the record is too short");
	if (!w.wrong && n >= 12) {
		read_timing(&w, move);
		skip(&w, w.wrong ? 0 : n - 12);
	}
	close_walk(&w);
	if (w.wrong)
		return w.wrong;
	return read_action(action, info, zone, &move->action);
}

const char *replay_parse_refusal(
	struct blob payload, int seats, struct replay_refused *refused)
{
	struct record_walk w = walk_on(payload);
	uint32_t n = open_array(&w, 6);

	refused->seat = (int)next_int(&w, 0, seats - 1);
	refused->turn = (uint32_t)next_int(&w, 1, UINT32_MAX);
	refused->clause = next_text(&w, SCAN_STR);
	refused->why = next_text(&w, SCAN_STR);
	refused->received_us = next_int(&w, 0, INTEGER_MAX);
	refused->answer = next_text(&w, SCAN_BIN);
	skip(&w, w.wrong ? 0 : n - 6);
	close_walk(&w);
	return w.wrong;
}

const char *replay_parse_link(
	struct blob payload, int seats, struct replay_linked *linked)
{
	struct record_walk w = walk_on(payload);
	uint32_t n = open_array(&w, 3);

	linked->seat = (int)next_int(&w, 0, seats - 1);
	linked->time_us = next_int(&w, 0, INTEGER_MAX);
	linked->back = text_is(next_text(&w, SCAN_STR), "back");
	skip(&w, w.wrong ? 0 : n - 3);
	close_walk(&w);
	return w.wrong;
}

static bool read_fault_key(struct record_walk *w, struct text key, void *context)
{
	struct replay_faulted *f = context;
	struct scan_value status;

	if (text_is(key, "seat")) {
		f->seat = (int)next_int(w, 0, GAME_SEATS_MAX - 1);
	} else if (text_is(key, "class")) {
		f->class_name = next_text(w, SCAN_STR);
	} else if (text_is(key, "phase")) {
		f->phase = next_text(w, SCAN_STR);
	} else if (text_is(key, "turn")) {
		f->turn = next_int(w, 0, INTEGER_MAX);
	} else if (text_is(key, "time")) {
		f->time_us = next_int(w, 0, INTEGER_MAX);
	} else if (text_is(key, "why")) {
		f->why = next_text(w, SCAN_STR);
	} else if (text_is(key, "verdict")) {
		f->verdict = next_text(w, SCAN_STR);
	} else if (text_is(key, "clause")) {
		f->clause = next_text(w, SCAN_STR);
	} else if (text_is(key, "bytes")) {
		f->bytes = next_text(w, SCAN_BIN);
	} else if (text_is(key, "stderr")) {
		f->stderr_tail = next_text(w, SCAN_STR | SCAN_BIN);
	} else if (text_is(key, "budget")) {
		f->budget_us = next_int(w, INT64_MIN, INT64_MAX);
	} else if (text_is(key, "overrun")) {
		f->overrun_us = next_int(w, INT64_MIN, INT64_MAX);
	} else if (text_is(key, "lag")) {
		f->lag_us = next_int(w, INT64_MIN, INT64_MAX);
	} else if (text_is(key, "exit")) {
		status = next(w, SCAN_INTEGER | SCAN_NIL);
		f->exit_status = status.type == SCAN_NIL ? -1 : status.integer;
	} else {
		return false;
	}
	return true;
}

const char *replay_parse_fault(
	struct blob payload, int seats, struct replay_faulted *faulted)
{
	struct record_walk w = walk_on(payload);

	memset(faulted, 0, sizeof(*faulted));
	faulted->exit_status = -1;
	each_key(&w, read_fault_key, faulted);
	close_walk(&w);
	if (!w.wrong && faulted->seat >= seats)
		fail(&w, "a fault names a seat that does not exist");
	return w.wrong;
}

static void read_numbers(struct record_walk *w, int64_t min, int64_t max, int64_t *out)
{
	uint32_t n = open_array(w, 0);

	if (n > GAME_SEATS_MAX)
		fail(w, "the record has more numbers than a table has seats");
	for (uint32_t i = 0; i < n && !w->wrong; i++) {
		struct scan_value value = next(w, SCAN_INTEGER | SCAN_NIL);

		out[i] = value.type == SCAN_NIL ? -1 : value.integer;
		if (out[i] < min || out[i] > max)
			fail(w, "a number of the record is out of range");
	}
}

static bool read_score_key(struct record_walk *w, struct text key, void *context)
{
	struct replay_ended *ended = context;
	int64_t number[GAME_SEATS_MAX] = {0};

	if (text_is(key, "scores")) {
		read_numbers(w, INT16_MIN, INT16_MAX, number);
		for (int i = 0; i < GAME_SEATS_MAX; i++)
			ended->result.score[i] = (int16_t)number[i];
	} else if (text_is(key, "ranks")) {
		read_numbers(w, 0, GAME_SEATS_MAX, number);
		for (int i = 0; i < GAME_SEATS_MAX; i++)
			ended->result.rank[i] = (uint8_t)number[i];
	} else if (text_is(key, "teams")) {
		read_numbers(w, -1, GAME_SEATS_MAX, number);
		for (int i = 0; i < GAME_SEATS_MAX; i++)
			ended->result.team[i] = (int8_t)number[i];
	} else if (text_is(key, "reason")) {
		ended->reason = next_text(w, SCAN_STR);
	} else {
		return false;
	}
	return true;
}

static void read_result(struct record_walk *w, struct replay_ended *ended)
{
	struct record_walk inner;

	ended->whole = next_blob(w);
	inner = walk_on(ended->whole);
	if (w->wrong)
		return;
	if (ended->whole.size && ended->whole.bytes[0] == 0xc0) {
		ended->is_void = true;
		return;
	}
	memset(ended->result.team, -1, sizeof(ended->result.team));
	each_key(&inner, read_score_key, ended);
	if (inner.wrong)
		fail(w, inner.wrong);
}

static bool read_ended_key(struct record_walk *w, struct text key, void *context)
{
	struct replay_ended *ended = context;
	int64_t seats[GAME_SEATS_MAX];

	if (text_is(key, "result")) {
		read_result(w, ended);
	} else if (text_is(key, "void")) {
		ended->void_reason = next_text(w, SCAN_STR);
	} else if (text_is(key, "faulted")) {
		memset(seats, -1, sizeof(seats));
		read_numbers(w, 0, GAME_SEATS_MAX - 1, seats);
		for (int i = 0; i < GAME_SEATS_MAX; i++)
			if (seats[i] >= 0)
				ended->faulted |= (uint16_t)(1u << seats[i]);
	} else if (text_is(key, "decisions")) {
		read_numbers(w, 0, INTEGER_MAX, ended->decisions);
	} else if (text_is(key, "dropped")) {
		read_numbers(w, 0, INTEGER_MAX, ended->dropped);
	} else if (text_is(key, "time")) {
		ended->time_us = next_int(w, 0, INTEGER_MAX);
	} else {
		return false;
	}
	return true;
}

const char *replay_parse_result(
	struct blob payload, int seats, struct replay_ended *ended)
{
	struct record_walk w = walk_on(payload);

	memset(ended, 0, sizeof(*ended));
	each_key(&w, read_ended_key, ended);
	close_walk(&w);
	if (!w.wrong && !ended->whole.size)
		fail(&w, "the record has no result");
	if (!w.wrong && ended->faulted >> seats)
		fail(&w, "the result names a seat that does not exist");
	return w.wrong;
}

const char *replay_parse_seal(struct blob payload, struct replay_sealed *sealed)
{
	struct record_walk w = walk_on(payload);
	uint32_t n = open_array(&w, 2);

	sealed->nonce = next_bytes(&w, CHANCE_NONCE_SIZE);
	sealed->seed = next_bytes(&w, CHANCE_SEED_SIZE);
	skip(&w, w.wrong ? 0 : n - 2);
	close_walk(&w);
	return w.wrong;
}

const char *replay_messages_begin(
	struct blob payload, int seats, struct replay_messages *messages)
{
	struct record_walk w = walk_on(payload);

	messages->left = open_array(&w, 0);
	messages->scan = w.scan;
	messages->seats = seats;
	return w.wrong;
}

bool replay_messages_next(struct replay_messages *messages,
	struct replay_message *message, const char **wrong)
{
	struct record_walk w = {.scan = messages->scan};
	uint32_t n, used = 3;

	if (!messages->left)
		return false;
	memset(message, 0, sizeof(*message));
	n = open_array(&w, 3);
	message->kind = (enum replay_sent)next_int(&w, SENT_MATCH, SENT_RESUME);
	message->seat = (int)next_int(&w, 0, messages->seats - 1);
	message->digest = next_bytes(&w, REPLAY_DIGEST_SIZE);
	if (message->kind == SENT_MATCH || message->kind == SENT_RESUME) {
		message->rng = next_bytes(&w, CHANCE_RNG_SIZE);
		used++;
	}
	if (!w.wrong && n >= used + 3) {
		message->has_question = true;
		message->question.turn = (uint32_t)next_int(&w, 1, UINT32_MAX);
		message->question.bank_us = next_int(&w, 0, INTEGER_MAX);
		message->question.budget_us = next_int(&w, 0, INTEGER_MAX);
		used += 3;
	}
	if (!w.wrong && n < used)
		fail(&w, "the record is too short");
	skip(&w, w.wrong ? 0 : n - used);
	messages->scan = w.scan;
	messages->left--;
	*wrong = w.wrong;
	return !w.wrong;
}
