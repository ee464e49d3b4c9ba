/* The message `done`: the record of one match. */
#include "arbiter/base/json_text.h"
#include "arbiter/base/words.h"
#include "arbiter/ladder/workers/messages_internal.h"

#include <limits.h>

void done_message_write(const struct done_message *done, json_t *line)
{
	const struct match_record *record = &done->record;

	json_object_set_new(line, "job", json_integer(done->job));
	json_object_set_new(line, "void",
		record->void_cause
			? json_of_bytes(record->void_reason, strlen(record->void_reason))
			: json_null());
	json_object_set_new(line, "cause",
		record->void_cause ? json_string(void_cause_names[record->void_cause])
				   : json_null());
	match_record_write(record, line);
}

static void read_fault(
	struct seat_record *seat, const json_t *object, struct why *why, bool *ok)
{
	static const char *const names[] = {"class", "phase", "why", "stderr", NULL};
	struct message_fields fields = {object, "done: \"fault\"", why, true};
	int class = word_index(
		fault_names, json_string_value(json_object_get(object, "class")));

	fields_only(&fields, names);
	if (class <= FAULT_NONE)
		field_refuse(&fields, "class", "the name of a class of faults");
	seat->fault = class > FAULT_NONE ? (enum fault_class) class : FAULT_NONE;
	field_prose(&fields, "phase", seat->fault_phase, sizeof(seat->fault_phase));
	field_prose(&fields, "why", seat->fault_why, sizeof(seat->fault_why));
	field_prose(&fields, "stderr", seat->fault_stderr, sizeof(seat->fault_stderr));
	*ok = *ok && fields.ok;
}

static bool read_seat(struct seat_record *seat, const json_t *object, struct why *why)
{
	static const char *const names[] = {"score", "rank", "team", "decisions",
		"dropped", "think_us", "think_us_max", "fault", NULL};
	struct message_fields fields = {object, "done: \"seats\"", why, true};

	if (!json_is_object(object))
		return why_set(why, "done: \"seats\" must be a list of objects");
	fields_only(&fields, names);
	seat->score = (int)field_integer(&fields, "score", INT_MIN, INT_MAX);
	seat->rank = (int)field_integer(&fields, "rank", 0, GAME_SEATS_MAX);
	seat->team = (int)field_integer(&fields, "team", -1, GAME_SEATS_MAX);
	seat->decisions = (uint32_t)field_integer(&fields, "decisions", 0, UINT32_MAX);
	seat->dropped = (uint32_t)field_integer(&fields, "dropped", 0, UINT32_MAX);
	seat->think_us = field_integer(&fields, "think_us", 0, INT64_MAX);
	seat->think_us_max = field_integer(&fields, "think_us_max", 0, INT64_MAX);
	if (fields.ok && field_given(&fields, "fault"))
		read_fault(seat, json_object_get(object, "fault"), why, &fields.ok);
	return fields.ok;
}

/* Both are null, or neither. */
static void read_void(struct match_record *record, struct message_fields *fields)
{
	int cause = word_index(void_cause_names,
		json_string_value(json_object_get(fields->object, "cause")));

	if (!field_given(fields, "void") && !field_given(fields, "cause"))
		return;
	if (cause <= VOID_NONE)
		field_refuse(fields, "cause", "null, or why the match is void");
	else
		record->void_cause = (enum void_cause)cause;
	if (!field_given(fields, "void"))
		field_refuse(fields, "void", "a string beside a \"cause\"");
	field_prose(fields, "void", record->void_reason, sizeof(record->void_reason));
}

void done_message_read(struct done_message *done, struct message_fields *fields)
{
	static const char *const names[] = {"t", "job", "void", "cause", "match", "start",
		"seconds", "reason", "replay", "chain", "seats", NULL};
	struct match_record *record = &done->record;
	const json_t *seats;

	fields_only(fields, names);
	done->job = field_integer(fields, "job", 0, INT64_MAX);
	read_void(record, fields);
	record->match_id = field_integer(fields, "match", 0, INT64_MAX);
	record->start_unix_s = field_integer(fields, "start", 0, INT64_MAX);
	record->seconds = field_number(fields, "seconds");
	field_prose(fields, "reason", record->reason, sizeof(record->reason));
	if (field_given(fields, "replay"))
		field_text(fields, "replay", record->replay, sizeof(record->replay));
	record->has_chain = field_given(fields, "chain");
	if (record->has_chain)
		field_hex(fields, "chain", record->chain, sizeof(record->chain));
	record->seats = field_list(fields, "seats", GAME_SEATS_MAX, &seats);
	for (int i = 0; fields->ok && i < record->seats; i++)
		fields->ok = read_seat(
			&record->seat[i], json_array_get(seats, (size_t)i), fields->why);
}
