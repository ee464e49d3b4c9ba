/* Reading a seat's log back from its JSON form. The file is not trusted. */
#include "arbiter/tools/seat_log.h"
#include "arbiter/replay/json_parts.h"
#include "protocol/json.h"
#include "protocol/memory.h"

#include <sodium.h>
#include <stdlib.h>

bool seat_log_is_json(const char *path)
{
	FILE *file = fopen(path, "re");
	int first = file ? fgetc(file) : EOF;

	if (file)
		fclose(file);
	return first == '{';
}

static const char *string_at(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* A number that does not fit an int counts as missing. */
static int integer_at(const json_t *object, const char *key, int otherwise)
{
	const json_t *value = json_object_get(object, key);
	json_int_t integer = json_integer_value(value);

	return json_is_integer(value) && integer == (int)integer ? (int)integer
								 : otherwise;
}

static int64_t microseconds_at(const json_t *object, const char *key)
{
	double ms = json_number_value(json_object_get(object, key));

	return ms > 0 && ms < (double)INTEGER_MAX / 1000 ? (int64_t)(ms * 1000 + 0.5) : 0;
}

static int word_at(
	const json_t *object, const char *key, const char *const *words, int count)
{
	const char *text = string_at(object, key);

	for (int i = 0; i < count; i++)
		if (*text && !strcmp(text, words[i]))
			return i;
	return -1;
}

/* A JSON value as a msgpack object in the zone. */
static bool as_object(const json_t *json, struct buffer *buffer, msgpack_zone *zone,
	msgpack_object *object)
{
	msgpack_packer packer = buffer_packer(buffer);

	buffer_clear(buffer);
	return json && json_to_msgpack(json, &packer, NULL) == ERR_OK &&
	       !buffer->overflow && blob_unpack(blob_since(buffer, 0), zone, object);
}

static bool read_options(struct seat_log *log, const json_t *json)
{
	uint8_t bytes[4096];
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));
	msgpack_zone zone;
	msgpack_object object;
	bool ok;

	msgpack_zone_init(&zone, 1024);
	ok = as_object(json, &buffer, &zone, &object) &&
	     !game_read_options(log->game, &object, log->option);
	msgpack_zone_destroy(&zone);
	return ok;
}

static bool read_action(
	const struct seat_log *log, const json_t *json, struct action *action)
{
	uint8_t bytes[4096];
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));
	msgpack_zone zone;
	msgpack_object object;
	struct refusal why;
	bool ok;

	msgpack_zone_init(&zone, 1024);
	ok = as_object(json, &buffer, &zone, &object) &&
	     game_read_action(log->game, log->seats, &object, action, &why);
	msgpack_zone_destroy(&zone);
	return ok;
}

static bool read_message(struct seat_entry *entry, const json_t *json)
{
	const char *hex = string_at(json, "bytes");
	size_t size = strlen(hex) / 2, read;

	entry->kind = word_at(json, "sent", replay_sent_names, SENT_RESUME + 1);
	if (entry->kind < SENT_MATCH || size < 1 || size > ARBITER_MESSAGE_BYTES_MAX)
		return false;
	entry->bytes = xmalloc(size);
	entry->size = (uint32_t)size;
	return !sodium_hex2bin(entry->bytes, size, hex, 2 * size, NULL, &read, NULL) &&
	       read == size;
}

static bool read_decision(
	const struct seat_log *log, struct seat_entry *entry, const json_t *json)
{
	int by = word_at(json, "by", replay_by_names, BY_FALLBACK + 1);

	entry->kind = SEAT_DECISION;
	entry->choice = integer_at(json, "choice", -1);
	entry->think_us = microseconds_at(json, "ms");
	snprintf(
		entry->offence, sizeof(entry->offence), "%s", string_at(json, "offence"));
	if (by < 0 || !read_action(log, json_object_get(json, "action"), &entry->action))
		return false;
	entry->by = *entry->offence ? BY_PENALTY : (enum replay_by)by;
	entry->note = json_incref(json_object_get(json, "note"));
	return true;
}

static bool read_entries(struct seat_log *log, const json_t *list)
{
	size_t n = json_array_size(list);

	log->entry = xcalloc(n + 1, sizeof(*log->entry));
	log->capacity = n + 1;
	for (size_t i = 0; i < n; i++) {
		const json_t *json = json_array_get(list, i);
		struct seat_entry *entry = &log->entry[log->count++];

		entry->turn = (uint32_t)integer_at(json, "turn", 0);
		if (!(json_object_get(json, "sent") ? read_message(entry, json)
						    : read_decision(log, entry, json)))
			return false;
	}
	return n > 0;
}

static const char *read_document(struct seat_log *log, const json_t *json)
{
	const json_t *player = json_object_get(json, "player");

	if (strcmp(string_at(json, "format"), "pigpen-seat/1"))
		return "it is not an export of one seat; `pigpen replay export --seat N` makes one";
	log->game = game_find(string_at(json, "game"));
	if (!log->game)
		return "this program does not have its game";
	log->rules = integer_at(json, "rules", -1);
	if (log->rules != log->game->rules_version)
		return "it was played by another version of the rules";
	log->seats = integer_at(json, "seats", 0);
	log->seat = integer_at(json, "seat", -1);
	if (log->seats < log->game->seats_min || log->seats > log->game->seats_max ||
		log->seat < 0 || log->seat >= log->seats)
		return "its seats do not fit the game";
	if (!read_options(log, json_object_get(json, "options")))
		return "its options do not fit the game";
	snprintf(log->player.name, sizeof(log->player.name), "%s",
		string_at(player, "name"));
	snprintf(log->player.version, sizeof(log->player.version), "%s",
		string_at(player, "version"));
	snprintf(log->player.hash, sizeof(log->player.hash), "%s",
		string_at(player, "hash"));
	log->faults = json_incref(json_object_get(json, "faults"));
	if (!json_is_array(log->faults))
		return "it has no list of faults";
	return read_entries(log, json_object_get(json, "log")) ? NULL
							       : "its log is damaged";
}

bool seat_log_from_json(struct seat_log *log, const char *path, struct why *why)
{
	json_error_t error;
	json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	const char *problem;

	*log = (struct seat_log){0};
	if (!json)
		return why_set(why, "%s: line %d: %s", path, error.line, error.text);
	problem = read_document(log, json);
	if (problem) {
		why_set(why, "%s: %s", path, problem);
		seat_log_release(log);
	}
	json_decref(json);
	return !problem;
}
