/*
 * Proving needs the seed, which stands in the last record: the orders are kept until
 * then and compared at the seal.
 */
#include "arbiter/replay/playback.h"
#include "arbiter/match.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHY_SIZE 400

/* An order, kept for the seal: kind, index (two bytes), n, the order. */
struct kept_orders {
	uint8_t *bytes;
	size_t size, capacity;
};

struct playback {
	struct playback_options options;
	struct replay_reader *reader;
	struct replay_info info;
	struct composer composer;
	struct compose_scratch *scratch;
	msgpack_zone zone;
	bool composer_ready, pending, ended, forfeited;
	struct playback_step step; /* handed out, perhaps not applied */
	int decisions;
	uint16_t faulted;
	uint32_t turn[GAME_SEATS_MAX];
	struct replay_refused refused; /* the last one, for its message */
	char refused_clause[32], refused_why[WHY_BYTES_MAX];
	struct replay_ended end;
	struct kept_orders orders;
	uint8_t chain[REPLAY_CHAIN_SIZE];
	enum playback_status status;
	char why[WHY_SIZE];
};

static bool wrong(struct playback *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Names the record; returns false. */
static bool wrong(struct playback *p, const char *format, ...)
{
	va_list args;
	int n = snprintf(p->why, sizeof(p->why),
		"record %llu at byte %llu: ", (unsigned long long)p->step.record,
		(unsigned long long)p->step.offset);

	va_start(args, format);
	vsnprintf(p->why + n, sizeof(p->why) - (size_t)n, format, args);
	va_end(args);
	p->status = PLAYBACK_WRONG;
	return false;
}

static const struct game *game_of(const struct playback *p)
{
	return p->info.setup.game;
}

static enum playback_status status_of(enum replay_status status)
{
	switch (status) {
	case REPLAY_DONE:
		return PLAYBACK_DONE;
	case REPLAY_CUT:
		return PLAYBACK_CUT;
	case REPLAY_NEWER:
		return PLAYBACK_OTHER;
	case REPLAY_UNREADABLE:
		return PLAYBACK_UNREADABLE;
	default:
		return PLAYBACK_WRONG;
	}
}

static bool other_version(struct playback *p)
{
	const struct game *game = game_of(p);

	if (game && p->info.rules == game->rules_version)
		return false;
	if (!game)
		snprintf(p->why, sizeof(p->why), "this program has no game '%s'",
			p->info.game);
	else
		snprintf(p->why, sizeof(p->why),
			"played by version %lld of the rules of %s, this program has "
			"version %d; "
			"use the pigpen of its time",
			(long long)p->info.rules, game->id, game->rules_version);
	p->status = PLAYBACK_OTHER;
	return true;
}

/* The first record must be a header that this program can play. */
static bool read_header(struct playback *p)
{
	struct replay_record record;
	enum replay_status status = replay_reader_next(p->reader, &record);
	const char *problem;

	if (status != REPLAY_RECORD) {
		p->status = status_of(status);
		snprintf(p->why, sizeof(p->why), "%s", replay_reader_why(p->reader));
		return false;
	}
	p->step.offset = record.offset;
	memcpy(p->chain, record.chain, sizeof(p->chain));
	if (record.type != REPLAY_HEADER)
		return wrong(p, "the first record is not a header");
	problem = replay_parse_header(record.payload, &p->info);
	/* A version that differs explains options that this program does not know. */
	if (other_version(p))
		return false;
	if (problem)
		return wrong(p, "%s", problem);
	composer_init(&p->composer, &p->info.setup, p->scratch);
	p->composer_ready = true;
	return true;
}

struct playback *playback_open(const char *path, const struct playback_options *options,
	enum playback_status *status, char *why, size_t why_size)
{
	struct playback *p = calloc(1, sizeof(*p));

	if (!p)
		abort();
	p->options = options ? *options : (struct playback_options){0};
	p->reader = replay_reader_open(path, p->why, sizeof(p->why));
	p->scratch = compose_scratch_new();
	msgpack_zone_init(&p->zone, 2048);
	if (!p->reader)
		p->status = PLAYBACK_UNREADABLE;
	if (!p->reader || !read_header(p)) {
		*status = p->status;
		snprintf(why, why_size, "%s", p->why);
		playback_free(&p);
		return NULL;
	}
	*status = PLAYBACK_STEP;
	return p;
}

void playback_free(struct playback **playback)
{
	struct playback *p = *playback;

	if (!p)
		return;
	if (p->composer_ready)
		composer_release(&p->composer);
	compose_scratch_free(&p->scratch);
	msgpack_zone_destroy(&p->zone);
	replay_reader_free(&p->reader);
	free(p->orders.bytes);
	free(p);
	*playback = NULL;
}

static void keep_order(struct playback *p, const struct replay_order *order)
{
	struct kept_orders *k = &p->orders;
	size_t more = 4 + (size_t)order->n;

	if (k->capacity - k->size < more) {
		k->capacity = 2 * k->capacity + 4096;
		k->bytes = realloc(k->bytes, k->capacity);
		if (!k->bytes)
			abort();
	}
	k->bytes[k->size++] = (uint8_t)order->kind;
	k->bytes[k->size++] = (uint8_t)(order->index >> 8);
	k->bytes[k->size++] = (uint8_t)order->index;
	k->bytes[k->size++] = (uint8_t)order->n;
	memcpy(k->bytes + k->size, order->order, (size_t)order->n);
	k->size += (size_t)order->n;
}

/* Is the order a permutation of what the game asks for now? */
static bool check_chance(struct playback *p, const struct replay_order *order)
{
	const struct game_head *head = game_head(p->composer.state);
	struct chance request;
	int count[256] = {0};

	if (head->need != NEED_CHANCE)
		return wrong(p, "an order is drawn although the game needs none");
	game_of(p)->chance(p->composer.state, &request);
	if (request.kind != order->kind || request.index != order->index ||
		request.n != order->n)
		return wrong(p,
			"the order is '%s %d' of %d, the game needs '%s %d' of %d",
			game_chance_names[order->kind], order->index, order->n,
			game_chance_names[request.kind], request.index, request.n);
	for (int i = 0; i < request.n; i++) {
		count[request.token[i]]++;
		count[order->order[i]]--;
	}
	for (int i = 0; i < 256; i++)
		if (count[i])
			return wrong(
				p, "the order is not a permutation of the game's cards");
	if (p->options.prove)
		keep_order(p, order);
	return true;
}

/* A penal transition: refused by the rules, with the clause that was recorded. */
static bool check_offence(struct playback *p, const struct replay_move *move)
{
	struct refusal why;

	if (game_of(p)->check(p->composer.state, move->seat, &move->action, &why))
		return wrong(p, "an action is recorded as an offence, but it is legal");
	if (move->offence.size && !text_is(move->offence, why.clause))
		return wrong(p, "the offence is against %s, recorded is another clause",
			why.clause);
	if (!game_of(p)->offence)
		return wrong(p, "the game knows no penalties");
	return true;
}

static bool check_choice(struct playback *p, const struct replay_move *move)
{
	struct action legal[GAME_LEGAL_MAX];
	int n = game_of(p)->legal(p->composer.state, move->seat, legal);

	if (move->choice >= 0 &&
		(move->choice >= n || !action_equal(&legal[move->choice], &move->action)))
		return wrong(p, "choice %d is not the recorded action", move->choice);
	if (move->by == BY_FORCED && n != 1)
		return wrong(p, "an action is recorded as forced, but there are %d", n);
	return true;
}

static bool check_fallback(struct playback *p, const struct replay_move *move)
{
	_Alignas(16) uint8_t view[GAME_STATE_MAX];
	struct action action;

	game_observe(game_of(p), p->composer.state, move->seat, view);
	game_of(p)->fallback(view, &action);
	if (!action_equal(&action, &move->action))
		return wrong(p, "the action is not the game's neutral move");
	return true;
}

static bool check_move(struct playback *p, const struct replay_move *move)
{
	const struct game_head *head = game_head(p->composer.state);
	struct refusal why = {"", ""};

	if (head->need != NEED_ANSWERS || !game_seat_in(head->pending, move->seat))
		return wrong(p, "seat %d acts although it is not its turn", move->seat);
	if (move->by == BY_PENALTY)
		return check_offence(p, move);
	if (!game_of(p)->check(p->composer.state, move->seat, &move->action, &why))
		return wrong(p, "the action of seat %d is not legal: %s (%s)", move->seat,
			why.why, why.clause);
	if (!p->options.prove)
		return true;
	if (move->turn && move->turn != p->turn[move->seat])
		return wrong(p, "seat %d answers turn %u, asked was turn %u", move->seat,
			move->turn, p->turn[move->seat]);
	if (!check_choice(p, move))
		return false;
	return move->by != BY_FALLBACK || check_fallback(p, move);
}

/* Regenerates a message where it stands. */
static bool regenerate(
	struct playback *p, const struct replay_message *m, struct blob *bytes)
{
	struct composer *c = &p->composer;
	const struct compose_question *question = m->has_question ? &m->question : NULL;

	switch (m->kind) {
	case SENT_MATCH:
		*bytes = compose_match(c, m->seat, m->rng);
		return true;
	case SENT_EVENT:
		*bytes = compose_event(c, m->seat);
		return true;
	case SENT_ACT:
		if (!question)
			return wrong(p, "a question has no numbers");
		p->turn[m->seat] = m->question.turn;
		*bytes = compose_act(c, m->seat, question);
		return true;
	case SENT_REFUSE:
		*bytes = compose_refuse(
			c, p->refused.turn, p->refused_clause, p->refused_why);
		return true;
	case SENT_END:
		if (!p->ended)
			return wrong(p, "the end is announced before there is a result");
		p->end.result.reason = p->refused_why;
		text_copy(p->end.reason, p->refused_why, sizeof(p->refused_why));
		*bytes = compose_end(c, m->seat, p->end.is_void ? NULL : &p->end.result);
		return true;
	case SENT_RESUME:
		*bytes = compose_resume(c, m->seat, m->rng, question);
		return true;
	}
	return wrong(p, "a message of unknown kind");
}

static const char *const sent_names[] = {
	"", "match", "event", "act", "refuse", "end", "resume"};

static bool play_message(struct playback *p, const struct replay_message *m)
{
	uint8_t digest[REPLAY_DIGEST_SIZE];
	struct blob bytes;

	if (!regenerate(p, m, &bytes))
		return false;
	if (p->options.prove) {
		crypto_generichash(
			digest, sizeof(digest), bytes.bytes, bytes.size, NULL, 0);
		if (memcmp(digest, m->digest, sizeof(digest)))
			return wrong(p, "the `%s` to seat %d is not what was sent",
				sent_names[m->kind], m->seat);
	}
	if (p->options.message)
		p->options.message(p->options.context, m, bytes);
	return true;
}

static bool play_messages(struct playback *p, struct blob payload)
{
	struct replay_messages messages;
	struct replay_message message;
	const char *problem =
		replay_messages_begin(payload, p->info.setup.seats, &messages);

	while (!problem && replay_messages_next(&messages, &message, &problem))
		if (!play_message(p, &message))
			return false;
	return problem ? wrong(p, "%s", problem) : true;
}

/* The result follows from the final state and from who has forfeited. */
static bool check_result(struct playback *p, const struct replay_ended *ended)
{
	const struct game *game = game_of(p);
	int seats = p->info.setup.seats;
	bool finished = game_head(p->composer.state)->need == NEED_NOTHING;
	struct game_result result = {.reason = "forfeit"};

	if (ended->is_void)
		return true;
	if (!finished && !ended->faulted)
		return wrong(p, "there is a result although the game is not over");
	if (ended->faulted != p->faulted)
		return wrong(
			p, "the seats that faulted are not those of the fault records");
	game->teams_of(p->composer.state, result.team);
	if (finished)
		game->result(p->composer.state, &result);
	if (ended->faulted)
		match_rank_forfeits(game, &result, seats, ended->faulted, finished);
	for (int s = 0; s < seats; s++)
		if (result.score[s] != ended->result.score[s] ||
			result.rank[s] != ended->result.rank[s])
			return wrong(p,
				"seat %d has score %d, rank %d; recorded is %d, rank %d",
				s, result.score[s], result.rank[s],
				ended->result.score[s], ended->result.rank[s]);
	return true;
}

static bool check_orders(struct playback *p, const uint8_t *seed)
{
	const struct kept_orders *k = &p->orders;

	for (size_t at = 0; at < k->size; at += 4u + k->bytes[at + 3]) {
		const uint8_t *kept = k->bytes + at + 4;
		struct chance request = {.kind = k->bytes[at],
			.index = (uint16_t)(k->bytes[at + 1] << 8 | k->bytes[at + 2]),
			.n = k->bytes[at + 3]};
		uint8_t order[GAME_ORDER_MAX];
		int count[256] = {0}, n = 0;

		for (int i = 0; i < request.n; i++)
			count[kept[i]]++;
		for (int face = 0; face < 256; face++)
			while (count[face]-- > 0)
				request.token[n++] = (uint8_t)face;
		chance_order(seed, &request, order);
		if (memcmp(order, kept, request.n))
			return wrong(p, "the order '%s %d' does not follow from the seed",
				game_chance_names[request.kind], request.index);
	}
	return true;
}

static bool check_seal(struct playback *p, const struct replay_sealed *sealed)
{
	uint8_t commit[CHANCE_COMMIT_SIZE];
	char id[24];

	snprintf(id, sizeof(id), "%lld", (long long)p->info.setup.match_id);
	chance_commit(sealed->nonce, id, sealed->seed, commit);
	if (memcmp(commit, p->info.setup.commit, sizeof(commit)))
		return wrong(p, "nonce, match and seed do not give the commitment");
	if (!p->ended)
		return wrong(p, "there is a seal but no result");
	return check_orders(p, sealed->seed);
}

/* Parses the record into the step and checks it against the state. */
static bool take_record(struct playback *p, struct blob payload)
{
	struct playback_step *s = &p->step;
	int seats = p->info.setup.seats;
	const char *problem = NULL;

	switch (s->type) {
	case REPLAY_HEADER:
		return wrong(p, "there is a second header");
	case REPLAY_SENT:
		return play_messages(p, payload);
	case REPLAY_CHANCE:
		problem = replay_parse_chance(payload, game_of(p), &s->chance);
		return problem ? wrong(p, "%s", problem) : check_chance(p, &s->chance);
	case REPLAY_ACTION:
		problem = replay_parse_action(payload, &p->info, &p->zone, &s->move);
		if (!problem)
			s->decision = ++p->decisions;
		return problem ? wrong(p, "%s", problem) : check_move(p, &s->move);
	case REPLAY_REFUSAL:
		problem = replay_parse_refusal(payload, seats, &s->refused);
		p->refused = s->refused;
		if (!problem) {
			text_copy(s->refused.clause, p->refused_clause,
				sizeof(p->refused_clause));
			text_copy(s->refused.why, p->refused_why, sizeof(p->refused_why));
		}
		break;
	case REPLAY_LINK:
		problem = replay_parse_link(payload, seats, &s->linked);
		break;
	case REPLAY_FAULT:
		problem = replay_parse_fault(payload, seats, &s->faulted);
		if (!problem && !text_is(s->faulted.verdict, "void"))
			p->faulted |= (uint16_t)(1u << s->faulted.seat);
		break;
	case REPLAY_RESULT:
		problem = replay_parse_result(payload, &s->ended);
		if (!problem && p->options.prove && !check_result(p, &s->ended))
			return false;
		p->end = s->ended;
		p->ended = !problem;
		break;
	case REPLAY_SEAL:
		problem = replay_parse_seal(payload, &s->sealed);
		if (!problem && p->options.prove && !check_seal(p, &s->sealed))
			return false;
		break;
	}
	return problem ? wrong(p, "%s", problem) : true;
}

void playback_apply(struct playback *p)
{
	const struct replay_move *move = &p->step.move;

	if (!p->pending)
		return;
	p->pending = false;
	if (p->step.type == REPLAY_CHANCE)
		composer_chance(&p->composer, p->step.chance.order, p->step.chance.n);
	else if (p->step.type == REPLAY_ACTION && move->by == BY_PENALTY) {
		if (!composer_offence(&p->composer, move->seat, &move->action))
			wrong(p, "the game has no penalty for this action");
	} else if (p->step.type == REPLAY_ACTION)
		composer_apply(&p->composer, move->seat, &move->action);
}

enum playback_status playback_next(struct playback *p, struct playback_step *step)
{
	struct replay_record record;
	enum replay_status status;

	playback_apply(p);
	if (p->status != PLAYBACK_STEP)
		return p->status;
	do {
		status = replay_reader_next(p->reader, &record);
		if (status != REPLAY_RECORD) {
			p->status = status_of(status);
			snprintf(p->why, sizeof(p->why), "%s",
				replay_reader_why(p->reader));
			return p->status;
		}
		p->step.type = record.type;
		p->step.record = record.number;
		p->step.offset = record.offset;
		p->step.decision = p->decisions;
		memcpy(p->chain, record.chain, sizeof(p->chain));
		if (record.type > REPLAY_SEAL) /* of a later minor version */
			continue;
		if (!take_record(p, record.payload))
			return p->status;
	} while (record.type == REPLAY_SENT || record.type > REPLAY_SEAL);
	p->pending = true;
	*step = p->step;
	return PLAYBACK_STEP;
}

const char *playback_why(const struct playback *playback)
{
	return playback->why;
}

const struct replay_info *playback_info(const struct playback *playback)
{
	return &playback->info;
}

const void *playback_state(const struct playback *playback)
{
	return playback->composer.state;
}

const struct events *playback_events(const struct playback *playback)
{
	return composer_events(&playback->composer);
}

const uint8_t *playback_chain(const struct playback *playback)
{
	return playback->chain;
}
