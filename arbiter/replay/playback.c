/* Playing a replay back step by step, keeping the state of the game. */
#include "arbiter/replay/playback_internal.h"
#include "protocol/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool playback_wrong(struct playback *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	why_set_list(&p->why, format, args);
	va_end(args);
	p->status = PLAYBACK_WRONG;
	return why_before(&p->why,
		"record %llu at byte %llu: ", (unsigned long long)p->step.record,
		(unsigned long long)p->step.offset);
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

/* Does the match need another version of this program? */
static bool other_version(struct playback *p)
{
	const struct game *game = game_of(p);

	if (p->info.format > REPLAY_FORMAT)
		why_set(&p->why,
			"the replay has format %lld, this program reads %d; use a newer pigpen",
			(long long)p->info.format, REPLAY_FORMAT);
	else if (!game && *p->info.game)
		why_set(&p->why, "this program has no game '%s'", p->info.game);
	else if (game && p->info.rules != game->rules_version)
		why_set(&p->why,
			"played by version %lld of the rules of %s, this program has "
			"version %d; use the pigpen of its time",
			(long long)p->info.rules, game->id, game->rules_version);
	else
		return false;
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
		return why_set(&p->why, "%s", replay_reader_why(p->reader));
	}
	p->step.offset = record.offset;
	memcpy(p->chain, record.chain, sizeof(p->chain));
	if (record.type != REPLAY_HEADER)
		return playback_wrong(p, "the first record is not a header");
	problem = replay_parse_header(record.payload, &p->info);
	/* Checked first, because another version may have options that this one lacks. */
	if (other_version(p))
		return false;
	if (problem || !game_of(p))
		return playback_wrong(
			p, "%s", problem ? problem : "the header names no game");
	composer_init(&p->composer, &p->info.setup, p->options.scratch);
	p->composer_ready = true;
	return true;
}

struct playback *playback_open(const char *path, const struct playback_options *options,
	enum playback_status *status, struct why *why)
{
	struct playback *p = xcalloc(1, sizeof(*p));

	p->options = options ? *options : (struct playback_options){0};
	p->reader = replay_reader_open(path, &p->why);
	if (!p->options.scratch)
		p->options.scratch = p->scratch = compose_scratch_new();
	msgpack_zone_init(&p->zone, 2048);
	if (!p->reader)
		p->status = PLAYBACK_UNREADABLE;
	if (!p->reader || !read_header(p)) {
		*status = p->status;
		why_set(why, "%s", p->why.text);
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

/* Regenerates a message at its place in the file. */
static bool regenerate(
	struct playback *p, const struct replay_message *m, struct blob *bytes)
{
	struct composer *c = &p->composer;
	const struct compose_question *question = m->has_question ? &m->question : NULL;

	/* The composer assumes that a message fits its scratch. */
	if (c->feed[m->seat].size > ARBITER_MESSAGE_BYTES_MAX / 2)
		return playback_wrong(p, "more events than a message can hold");
	switch (m->kind) {
	case SENT_MATCH:
		*bytes = compose_match(c, m->seat, m->rng);
		return true;
	case SENT_EVENT:
		*bytes = compose_event(c, m->seat);
		return true;
	case SENT_ACT:
		if (!question)
			return playback_wrong(p, "a question has no numbers");
		*bytes = compose_act(c, m->seat, question);
		return true;
	case SENT_REFUSE:
		*bytes = compose_refuse(
			c, p->refused.turn, p->refused_clause, p->refused_why);
		return true;
	case SENT_END:
		if (!p->ended)
			return playback_wrong(p, "the end comes before the result");
		*bytes = compose_end(c, m->seat, p->is_void ? NULL : &p->result);
		return true;
	case SENT_RESUME:
		*bytes = compose_resume(c, m->seat, m->rng, question);
		return true;
	}
	return playback_wrong(p, "a message of unknown kind");
}

static void note_message(struct playback *p, const struct replay_message *m)
{
	uint16_t bit = (uint16_t)(1u << m->seat);

	if (m->kind == SENT_MATCH)
		p->told |= bit;
	if (m->kind == SENT_END)
		p->farewell |= bit;
	if (m->kind == SENT_ACT) {
		p->turn[m->seat] = m->question.turn;
		p->asked |= bit;
	}
}

static bool play_message(struct playback *p, const struct replay_message *m)
{
	struct blob bytes;

	if (!regenerate(p, m, &bytes))
		return false;
	if (p->options.prove && !prove_message(p, m, bytes))
		return false;
	note_message(p, m);
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
	return problem ? playback_wrong(p, "%s", problem) : true;
}

static bool take_chance(struct playback *p, struct blob payload)
{
	const char *problem = replay_parse_chance(
		payload, p->info.setup.seats, game_of(p), &p->step.chance);

	return problem ? playback_wrong(p, "%s", problem)
		       : prove_chance(p, &p->step.chance);
}

static bool take_move(struct playback *p, struct blob payload)
{
	const char *problem =
		replay_parse_action(payload, &p->info, &p->zone, &p->step.move);

	if (problem)
		return playback_wrong(p, "%s", problem);
	p->step.decision = ++p->decisions;
	return prove_move(p, &p->step.move);
}

static bool take_refusal(struct playback *p, struct blob payload)
{
	struct replay_refused *refused = &p->step.refused;
	const char *problem = replay_parse_refusal(payload, p->info.setup.seats, refused);

	if (problem)
		return playback_wrong(p, "%s", problem);
	p->refused = *refused;
	text_copy(refused->clause, p->refused_clause, sizeof(p->refused_clause));
	text_copy(refused->why, p->refused_why, sizeof(p->refused_why));
	return true;
}

static bool take_fault(struct playback *p, struct blob payload)
{
	struct replay_faulted *faulted = &p->step.faulted;
	const char *problem = replay_parse_fault(payload, p->info.setup.seats, faulted);

	if (problem)
		return playback_wrong(p, "%s", problem);
	p->faulted |= (uint16_t)(1u << faulted->seat);
	p->asked &= (uint16_t) ~(1u << faulted->seat);
	return true;
}

static bool take_result(struct playback *p, struct blob payload)
{
	struct replay_ended *ended = &p->step.ended;
	const char *problem = replay_parse_result(payload, p->info.setup.seats, ended);

	if (problem)
		return playback_wrong(p, "%s", problem);
	if (p->ended)
		return playback_wrong(p, "there is a second result");
	if (p->options.prove && !prove_result(p, ended))
		return false;
	p->ended = true;
	p->is_void = ended->is_void;
	p->result = ended->result;
	text_copy(ended->reason, p->reason, sizeof(p->reason));
	p->result.reason = p->reason;
	return true;
}

/* Parses the record into the step and checks it against the state. */
static bool take_record(struct playback *p, struct blob payload)
{
	const char *problem = NULL;

	switch (p->step.type) {
	case REPLAY_HEADER:
		return playback_wrong(p, "there is a second header");
	case REPLAY_SENT:
		return play_messages(p, payload);
	case REPLAY_CHANCE:
		return take_chance(p, payload);
	case REPLAY_ACTION:
		return take_move(p, payload);
	case REPLAY_REFUSAL:
		return take_refusal(p, payload);
	case REPLAY_FAULT:
		return take_fault(p, payload);
	case REPLAY_RESULT:
		return take_result(p, payload);
	case REPLAY_LINK:
		problem =
			replay_parse_link(payload, p->info.setup.seats, &p->step.linked);
		break;
	case REPLAY_SEAL:
		problem = replay_parse_seal(payload, &p->step.sealed);
		if (!problem && p->options.prove && !prove_seal(p, &p->step.sealed))
			return false;
		break;
	}
	return problem ? playback_wrong(p, "%s", problem) : true;
}

void playback_apply(struct playback *p)
{
	const struct replay_move *move = &p->step.move;

	if (!p->pending)
		return;
	p->pending = false;
	if (p->step.type == REPLAY_CHANCE)
		composer_chance(&p->composer, p->step.chance.order, p->step.chance.n);
	else if (p->step.type == REPLAY_ACTION && move->by == BY_PENALTY)
		composer_offence(&p->composer, move->seat, &move->action);
	else if (p->step.type == REPLAY_ACTION)
		composer_apply(&p->composer, move->seat, &move->action);
}

/* Is a record of this type handled internally, or unknown? */
static bool is_silent(unsigned type)
{
	return type == REPLAY_SENT || type < REPLAY_HEADER || type > REPLAY_SEAL;
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
			why_set(&p->why, "%s", replay_reader_why(p->reader));
			return p->status;
		}
		p->step.type = record.type;
		p->step.record = record.number;
		p->step.offset = record.offset;
		p->step.decision = p->decisions;
		memcpy(p->chain, record.chain, sizeof(p->chain));
		if (!take_record(p, record.payload))
			return p->status;
	} while (is_silent(record.type));
	p->pending = true;
	*step = p->step;
	return PLAYBACK_STEP;
}

const char *playback_why(const struct playback *playback)
{
	return playback->why.text;
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
