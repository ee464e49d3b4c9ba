#include "arbiter/ladder/store/record.h"
#include "arbiter/base/words.h"

#include <stdio.h>
#include <string.h>
#include <sodium.h>

static json_t *text_or_null(const char *text)
{
	json_t *string = *text ? json_string(text) : json_null();

	/* A bot's last words need not be UTF-8. */
	return string ? string : json_string("(not UTF-8)");
}

static json_t *write_fault(const struct seat_record *seat)
{
	json_t *fault = json_object();

	json_object_set_new(fault, "class", json_string(fault_names[seat->fault]));
	json_object_set_new(fault, "phase", text_or_null(seat->fault_phase));
	json_object_set_new(fault, "why", text_or_null(seat->fault_why));
	json_object_set_new(fault, "stderr", text_or_null(seat->fault_stderr));
	return fault;
}

static json_t *write_seat(const struct seat_record *seat)
{
	json_t *object = json_object();

	json_object_set_new(object, "score", json_integer(seat->score));
	json_object_set_new(object, "rank", json_integer(seat->rank));
	json_object_set_new(object, "team", json_integer(seat->team));
	json_object_set_new(object, "decisions", json_integer(seat->decisions));
	json_object_set_new(object, "dropped", json_integer(seat->dropped));
	json_object_set_new(object, "think_us", json_integer(seat->think_us));
	json_object_set_new(object, "think_us_max", json_integer(seat->think_us_max));
	json_object_set_new(
		object, "fault", seat->fault ? write_fault(seat) : json_null());
	return object;
}

json_t *match_record_write(const struct match_record *record)
{
	json_t *object = json_object(), *seats = json_array();
	char hex[2 * REPLAY_CHAIN_SIZE + 1] = "";

	if (record->has_chain)
		sodium_bin2hex(hex, sizeof(hex), record->chain, sizeof(record->chain));
	json_object_set_new(object, "void",
		record->is_void ? json_string(record->void_reason) : json_null());
	json_object_set_new(object, "match", json_integer(record->match_id));
	json_object_set_new(object, "start", json_integer(record->start_unix_s));
	json_object_set_new(object, "seconds", json_real(record->seconds));
	json_object_set_new(object, "reason", text_or_null(record->reason));
	json_object_set_new(object, "replay", text_or_null(record->replay));
	json_object_set_new(object, "chain", text_or_null(hex));
	for (int i = 0; i < record->seats; i++)
		json_array_append_new(seats, write_seat(&record->seat[i]));
	json_object_set_new(object, "seats", seats);
	return object;
}

static void read_text(const json_t *object, const char *key, char *text, size_t size)
{
	const char *value = json_string_value(json_object_get(object, key));

	snprintf(text, size, "%s", value ? value : "");
}

static int64_t read_number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static bool read_seat(struct seat_record *seat, const json_t *object)
{
	const json_t *fault = json_object_get(object, "fault");
	int class = 0;

	seat->score = (int)read_number(object, "score");
	seat->rank = (int)read_number(object, "rank");
	seat->team = (int)read_number(object, "team");
	seat->decisions = (uint32_t)read_number(object, "decisions");
	seat->dropped = (uint32_t)read_number(object, "dropped");
	seat->think_us = read_number(object, "think_us");
	seat->think_us_max = read_number(object, "think_us_max");
	if (json_is_object(fault)) {
		class = word_index(
			fault_names, json_string_value(json_object_get(fault, "class")));
		read_text(fault, "phase", seat->fault_phase, sizeof(seat->fault_phase));
		read_text(fault, "why", seat->fault_why, sizeof(seat->fault_why));
		read_text(
			fault, "stderr", seat->fault_stderr, sizeof(seat->fault_stderr));
	}
	seat->fault = (enum fault_class) class;
	return json_is_object(object) && class >= 0;
}

bool match_record_read(struct match_record *record, const json_t *object)
{
	const json_t *seats = json_object_get(object, "seats");
	const char *chain = json_string_value(json_object_get(object, "chain"));

	memset(record, 0, sizeof(*record));
	if (!json_is_array(seats) || json_array_size(seats) > GAME_SEATS_MAX)
		return false;
	record->is_void = json_is_string(json_object_get(object, "void"));
	read_text(object, "void", record->void_reason, sizeof(record->void_reason));
	record->match_id = read_number(object, "match");
	record->start_unix_s = read_number(object, "start");
	record->seconds = json_number_value(json_object_get(object, "seconds"));
	read_text(object, "reason", record->reason, sizeof(record->reason));
	read_text(object, "replay", record->replay, sizeof(record->replay));
	record->has_chain = chain && sodium_hex2bin(record->chain, sizeof(record->chain),
					     chain, strlen(chain), NULL, NULL, NULL) == 0;
	record->seats = (int)json_array_size(seats);
	for (int i = 0; i < record->seats; i++)
		if (!read_seat(&record->seat[i], json_array_get(seats, (size_t)i)))
			return false;
	return true;
}

bool match_record_faulted(const struct match_record *record)
{
	for (int i = 0; i < record->seats; i++)
		if (record->seat[i].fault)
			return true;
	return false;
}
