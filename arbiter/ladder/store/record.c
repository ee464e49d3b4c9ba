/* The record of a match as JSON. */
#include "arbiter/ladder/store/record.h"
#include "arbiter/base/json_text.h"

#include <sodium.h>

static json_t *write_fault(const struct seat_record *seat)
{
	json_t *fault = json_object();

	json_object_set_new(fault, "class", json_string(fault_names[seat->fault]));
	json_object_set_new(fault, "phase", json_of_text(seat->fault_phase));
	json_object_set_new(fault, "why", json_of_text(seat->fault_why));
	json_object_set_new(fault, "stderr", json_of_text(seat->fault_stderr));
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

void match_record_write(const struct match_record *record, json_t *object)
{
	json_t *seats = json_array();
	char hex[2 * REPLAY_CHAIN_SIZE + 1] = "";

	if (record->has_chain)
		sodium_bin2hex(hex, sizeof(hex), record->chain, sizeof(record->chain));
	json_object_set_new(object, "match", json_integer(record->match_id));
	json_object_set_new(object, "start", json_integer(record->start_unix_s));
	json_object_set_new(object, "seconds", json_real(record->seconds));
	json_object_set_new(object, "reason", json_of_text(record->reason));
	json_object_set_new(object, "replay", json_of_text(record->replay));
	json_object_set_new(object, "chain", json_of_text(hex));
	for (int i = 0; i < record->seats; i++)
		json_array_append_new(seats, write_seat(&record->seat[i]));
	json_object_set_new(object, "seats", seats);
}

bool match_record_faulted(const struct match_record *record)
{
	for (int i = 0; i < record->seats; i++)
		if (record->seat[i].fault)
			return true;
	return false;
}
