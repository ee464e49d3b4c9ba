/* Rebuilding what one seat was sent in a match from the replay. */
#include "arbiter/tools/seat_log.h"
#include "arbiter/replay/json_parts.h"
#include "protocol/json.h"
#include "protocol/memory.h"

#include <stdlib.h>

static struct seat_entry *append(struct seat_log *log)
{
	if (log->count == log->capacity) {
		log->capacity = 2 * log->capacity + 64;
		log->entry = xrealloc(log->entry, log->capacity * sizeof(*log->entry));
	}
	log->entry[log->count] = (struct seat_entry){0};
	return &log->entry[log->count++];
}

void seat_log_release(struct seat_log *log)
{
	for (size_t i = 0; i < log->count; i++) {
		free(log->entry[i].bytes);
		json_decref(log->entry[i].note);
	}
	free(log->entry);
	json_decref(log->faults);
	*log = (struct seat_log){0};
}

/* The context of playback_options.message. */
struct collector {
	struct seat_log *log;
	uint32_t turn; /* of the last question */
};

static void take_message(
	void *context, const struct replay_message *message, struct blob bytes)
{
	struct collector *c = context;
	struct seat_entry *entry;

	if (message->seat != c->log->seat)
		return;
	if (message->has_question)
		c->turn = message->question.turn;
	entry = append(c->log);
	entry->kind = message->kind;
	entry->turn = message->has_question || message->kind == SENT_REFUSE ? c->turn : 0;
	entry->size = bytes.size;
	entry->bytes = xmalloc(bytes.size);
	memcpy(entry->bytes, bytes.bytes, bytes.size);
}

static void take_move(struct seat_log *log, const struct playback_step *step)
{
	const struct replay_move *move = &step->move;
	struct seat_entry *entry = append(log);

	entry->kind = SEAT_DECISION;
	entry->decision = step->decision;
	entry->turn = move->turn;
	entry->by = move->by;
	entry->action = move->action;
	entry->choice = move->choice;
	entry->think_us = replay_think_us(move);
	text_copy(move->offence, entry->offence, sizeof(entry->offence));
	entry->note = replay_json_note(move);
}

static void take_step(struct seat_log *log, const struct playback_step *step)
{
	if (step->type == REPLAY_ACTION && step->move.seat == log->seat)
		take_move(log, step);
	else if (step->type == REPLAY_FAULT && step->faulted.seat == log->seat)
		json_array_append_new(
			log->faults, replay_json_fault(&step->faulted, false));
}

enum playback_status seat_log_from_replay(
	struct seat_log *log, const char *path, int seat, struct why *why)
{
	struct collector collector = {.log = log};
	struct playback_options options = {
		.prove = true, .message = take_message, .context = &collector};
	enum playback_status status;
	struct playback *p = playback_open(path, &options, &status, why);
	const struct replay_info *info;
	struct playback_step step;

	*log = (struct seat_log){.seat = seat};
	if (!p)
		return status;
	info = playback_info(p);
	log->game = info->setup.game;
	log->rules = info->rules;
	log->seats = info->setup.seats;
	memcpy(log->option, info->setup.option, sizeof(log->option));
	log->player = info->player[seat];
	log->faults = json_array();
	while ((status = playback_next(p, &step)) == PLAYBACK_STEP)
		take_step(log, &step);
	if (status != PLAYBACK_DONE)
		why_set(why, "%s", playback_why(p));
	playback_free(&p);
	return status;
}

static json_t *message_json(const struct seat_entry *entry)
{
	json_t *json = json_object();

	replay_json_set(json, "sent", json_string(replay_sent_names[entry->kind]));
	if (entry->turn)
		replay_json_set(json, "turn", json_integer(entry->turn));
	replay_json_set(json, "bytes", replay_json_hex(entry->bytes, entry->size));
	replay_json_set(json, "message",
		json_from_blob((struct blob){entry->bytes, entry->size}, NULL));
	return json;
}

static json_t *decision_json(const struct seat_log *log, const struct seat_entry *entry)
{
	json_t *json = json_object();

	if (entry->turn)
		replay_json_set(json, "turn", json_integer(entry->turn));
	replay_json_set(json, "action", replay_json_action(log->game, &entry->action));
	if (entry->choice >= 0)
		replay_json_set(json, "choice", json_integer(entry->choice));
	replay_json_set(json, "by", json_string(replay_by_names[entry->by]));
	if (*entry->offence)
		replay_json_set(json, "offence", json_string(entry->offence));
	if (entry->turn)
		replay_json_set(json, "ms", replay_json_ms(entry->think_us));
	if (entry->note)
		replay_json_set(json, "note", json_incref(entry->note));
	return json;
}

static void write_value(FILE *out, const char *lead, json_t *value)
{
	fputs(lead, out);
	json_dumpf(value, out, REPLAY_JSON_FLAGS | JSON_ENCODE_ANY);
	json_decref(value);
}

void seat_log_write_json(const struct seat_log *log, FILE *out)
{
	fputs("{\"format\":\"pigpen-seat/1\"", out);
	write_value(out, ",\n\"game\":", json_string(log->game->id));
	write_value(out, ",\n\"rules\":", json_integer(log->rules));
	write_value(out, ",\n\"options\":", replay_json_options(log->game, log->option));
	write_value(out, ",\n\"seats\":", json_integer(log->seats));
	write_value(out, ",\n\"seat\":", json_integer(log->seat));
	write_value(out, ",\n\"player\":", replay_json_player(&log->player));
	fputs(",\n\"log\":[", out);
	for (size_t i = 0; i < log->count; i++) {
		const struct seat_entry *entry = &log->entry[i];

		write_value(out, i ? ",\n" : "\n",
			entry->bytes ? message_json(entry) : decision_json(log, entry));
	}
	write_value(out, "\n],\n\"faults\":", json_incref(log->faults));
	fputs("}\n", out);
}
