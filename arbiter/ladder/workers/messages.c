/* Messages between coordinator and worker: their names, writers and readers. */
#include "arbiter/ladder/workers/messages.h"
#include "arbiter/base/lines.h"
#include "arbiter/base/words.h"
#include "arbiter/ladder/workers/message_fields.h"
#include "arbiter/ladder/workers/messages_internal.h"

#include <limits.h>
#include <string.h>
#include <sodium.h>

#define EXCUSES_LIMIT 1000000

const char *const worker_message_names[] = {"rules", "bot", "play", "alive", "listening",
	"online", "handshakes", "done", NULL};

/* A string, or null if it is empty. */
static json_t *text_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

static void write_rules(const struct rules_message *rules, json_t *line)
{
	match_rules_write(&rules->rules, line);
	json_object_set_new(line, "at_once", json_integer(rules->at_once));
	json_object_set_new(line, "processes", json_integer(rules->processes));
	json_object_set_new(line, "logs", text_or_null(rules->logs));
	if (*rules->listen) {
		json_object_set_new(line, "listen", json_string(rules->listen));
		json_object_set_new(line, "key", json_string(rules->key_path));
	}
	if (rules->workers) {
		json_object_set_new(line, "workers", json_integer(rules->workers));
		json_object_set_new(
			line, "worker_mb", json_integer(rules->worker_mb_max));
	}
}

static void read_rules(struct rules_message *rules, struct message_fields *fields)
{
	static const char *const names[] = {"t", "game", "seats", "options", "clock",
		"clock_kind", "on_fault", "retries", "sandbox", "limits", "at_once",
		"processes", "logs", "listen", "key", "workers", "worker_mb", NULL};

	fields_only(fields, names);
	if (fields->ok && !match_rules_read(&rules->rules, fields->object, fields->why))
		fields->ok = why_before(fields->why, "%s: ", fields->message);
	rules->at_once = 1;
	rules->processes = WORKER_PROCESSES_DEFAULT;
	if (field_given(fields, "at_once"))
		rules->at_once = (int)field_integer(fields, "at_once", 1, INT_MAX);
	if (field_given(fields, "processes"))
		rules->processes = (int)field_integer(fields, "processes", 1, INT_MAX);
	if (field_given(fields, "logs"))
		field_text(fields, "logs", rules->logs, sizeof(rules->logs));
	if (field_given(fields, "listen")) {
		field_text(fields, "listen", rules->listen, sizeof(rules->listen));
		field_text(fields, "key", rules->key_path, sizeof(rules->key_path));
	}
	if (field_given(fields, "workers")) {
		rules->workers = (int)field_integer(fields, "workers", 1, INT_MAX);
		rules->worker_mb_max =
			(int)field_integer(fields, "worker_mb", 0, INT_MAX);
	}
}

static void write_bot(const struct bot_message *bot, json_t *line)
{
	json_object_set_new(line, "id", json_integer(bot->id));
	json_object_set_new(line, "folder", json_string(bot->folder));
	json_object_set_new(line, "name", json_string(bot->name));
	json_object_set_new(line, "hash", json_string(bot->hash));
	if (*bot->remote)
		json_object_set_new(line, "remote", json_string(bot->remote));
}

static void read_bot(struct bot_message *bot, struct message_fields *fields)
{
	static const char *const names[] = {
		"t", "id", "folder", "name", "hash", "remote", NULL};

	fields_only(fields, names);
	bot->id = field_integer(fields, "id", INT64_MIN, INT64_MAX);
	field_text(fields, "folder", bot->folder, sizeof(bot->folder));
	field_text(fields, "name", bot->name, sizeof(bot->name));
	field_text(fields, "hash", bot->hash, sizeof(bot->hash));
	if (field_given(fields, "remote"))
		field_text(fields, "remote", bot->remote, sizeof(bot->remote));
}

static void write_play(const struct play_message *play, json_t *line)
{
	json_t *seats = json_array(), *barred = json_array(), *excuses = json_array();
	char seed[2 * CHANCE_SEED_SIZE + 1];

	for (int seat = 0; seat < play->seats; seat++) {
		json_array_append_new(seats, json_integer(play->bot[seat]));
		json_array_append_new(excuses, json_integer(play->excuses[seat]));
		if (game_seat_in(play->barred, seat))
			json_array_append_new(barred, json_integer(seat));
	}
	sodium_bin2hex(seed, sizeof(seed), play->seed, sizeof(play->seed));
	json_object_set_new(line, "job", json_integer(play->job));
	json_object_set_new(line, "set", json_integer(play->set));
	json_object_set_new(line, "rotation", json_integer(play->rotation));
	json_object_set_new(line, "seed", json_string(seed));
	json_object_set_new(line, "seats", seats);
	json_object_set_new(line, "barred", barred);
	if (play->has_excuses)
		json_object_set(line, "excuses", excuses);
	json_object_set_new(line, "replay", text_or_null(play->replay));
	json_object_set_new(line, "compress", json_boolean(play->compress));
	json_decref(excuses);
}

static void read_barred(struct play_message *play, struct message_fields *fields)
{
	const json_t *list = json_object_get(fields->object, "barred");

	if (!json_is_array(list))
		field_refuse(fields, "barred", "a list of seats");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *seat = json_array_get(list, i);
		json_int_t number = json_integer_value(seat);

		if (json_is_integer(seat) && number >= 0 && number < play->seats)
			play->barred |= (uint16_t)(1u << number);
		else
			field_refuse(fields, "barred", "a list of seats");
	}
}

static void read_excuses(struct play_message *play, struct message_fields *fields)
{
	const json_t *list;

	play->has_excuses = true;
	if (field_list(fields, "excuses", GAME_SEATS_MAX, &list) != play->seats)
		field_refuse(fields, "excuses", "a list of as many numbers as seats");
	for (int seat = 0; fields->ok && seat < play->seats; seat++) {
		const json_t *times = json_array_get(list, (size_t)seat);

		play->excuses[seat] = (int)json_integer_value(times);
		if (!json_is_integer(times) || json_integer_value(times) < 0 ||
			json_integer_value(times) > EXCUSES_LIMIT)
			field_refuse(fields, "excuses", "a list of numbers from 0 on");
	}
}

static void read_play(struct play_message *play, struct message_fields *fields)
{
	static const char *const names[] = {"t", "job", "set", "rotation", "seed",
		"seats", "barred", "excuses", "replay", "compress", NULL};
	const json_t *seats;

	fields_only(fields, names);
	play->job = field_integer(fields, "job", 0, INT64_MAX);
	play->rotation = (int)field_integer(fields, "rotation", 0, INT_MAX);
	field_hex(fields, "seed", play->seed, sizeof(play->seed));
	play->seats = field_list(fields, "seats", GAME_SEATS_MAX, &seats);
	for (int seat = 0; seat < play->seats; seat++) {
		const json_t *id = json_array_get(seats, (size_t)seat);

		play->bot[seat] = json_integer_value(id);
		if (!json_is_integer(id))
			field_refuse(fields, "seats", "a list of ids of bots");
	}
	if (field_given(fields, "set"))
		play->set = field_integer(fields, "set", 0, INT64_MAX);
	if (field_given(fields, "barred"))
		read_barred(play, fields);
	if (field_given(fields, "excuses"))
		read_excuses(play, fields);
	if (field_given(fields, "replay"))
		field_text(fields, "replay", play->replay, sizeof(play->replay));
	if (field_given(fields, "compress"))
		play->compress = field_boolean(fields, "compress");
}

static void read_alive(struct message_fields *fields)
{
	static const char *const names[] = {"t", NULL};

	fields_only(fields, names);
}

static void write_listening(const struct listening_message *listening, json_t *line)
{
	json_object_set_new(line, "endpoint", json_string(listening->endpoint));
	json_object_set_new(line, "server_key", json_string(listening->server_key));
}

static void read_listening(
	struct listening_message *listening, struct message_fields *fields)
{
	static const char *const names[] = {"t", "endpoint", "server_key", NULL};

	fields_only(fields, names);
	field_text(fields, "endpoint", listening->endpoint, sizeof(listening->endpoint));
	field_text(fields, "server_key", listening->server_key,
		sizeof(listening->server_key));
}

static void write_online(const struct online_message *online, json_t *line)
{
	json_object_set_new(line, "id", json_integer(online->id));
	json_object_set_new(line, "online", json_boolean(online->online));
}

static void read_online(struct online_message *online, struct message_fields *fields)
{
	static const char *const names[] = {"t", "id", "online", NULL};

	fields_only(fields, names);
	online->id = field_integer(fields, "id", INT64_MIN, INT64_MAX);
	online->online = field_boolean(fields, "online");
}

static void write_handshakes(const struct handshakes_message *handshakes, json_t *line)
{
	const struct zap_counts *counts = &handshakes->counts;

	json_object_set_new(
		line, "opened", json_integer((json_int_t)counts->connections));
	json_object_set_new(line, "admitted", json_integer((json_int_t)counts->admitted));
	json_object_set_new(line, "unknown", json_integer((json_int_t)counts->unknown));
	json_object_set_new(line, "refused", json_integer((json_int_t)counts->refused));
	json_object_set_new(line, "strangers", json_integer(handshakes->strangers));
}

static void read_handshakes(
	struct handshakes_message *handshakes, struct message_fields *fields)
{
	static const char *const names[] = {
		"t", "opened", "admitted", "unknown", "refused", "strangers", NULL};
	struct zap_counts *counts = &handshakes->counts;

	fields_only(fields, names);
	counts->connections = (uint64_t)field_integer(fields, "opened", 0, INT64_MAX);
	counts->admitted = (uint64_t)field_integer(fields, "admitted", 0, INT64_MAX);
	counts->unknown = (uint64_t)field_integer(fields, "unknown", 0, INT64_MAX);
	counts->refused = (uint64_t)field_integer(fields, "refused", 0, INT64_MAX);
	handshakes->strangers = field_integer(fields, "strangers", 0, INT64_MAX);
}

json_t *worker_message_write(const struct worker_message *message)
{
	json_t *line = json_object();

	json_object_set_new(line, "t", json_string(worker_message_names[message->type]));
	switch (message->type) {
	case WORKER_RULES:
		write_rules(&message->rules, line);
		break;
	case WORKER_BOT:
		write_bot(&message->bot, line);
		break;
	case WORKER_PLAY:
		write_play(&message->play, line);
		break;
	case WORKER_LISTENING:
		write_listening(&message->listening, line);
		break;
	case WORKER_ONLINE:
		write_online(&message->online, line);
		break;
	case WORKER_HANDSHAKES:
		write_handshakes(&message->handshakes, line);
		break;
	case WORKER_DONE:
		done_message_write(&message->done, line);
		break;
	case WORKER_ALIVE:
	case WORKER_MESSAGES:
		break;
	}
	return line;
}

static void read_fields(struct worker_message *message, struct message_fields *fields)
{
	switch (message->type) {
	case WORKER_RULES:
		read_rules(&message->rules, fields);
		break;
	case WORKER_BOT:
		read_bot(&message->bot, fields);
		break;
	case WORKER_PLAY:
		read_play(&message->play, fields);
		break;
	case WORKER_ALIVE:
		read_alive(fields);
		break;
	case WORKER_LISTENING:
		read_listening(&message->listening, fields);
		break;
	case WORKER_ONLINE:
		read_online(&message->online, fields);
		break;
	case WORKER_HANDSHAKES:
		read_handshakes(&message->handshakes, fields);
		break;
	case WORKER_DONE:
		done_message_read(&message->done, fields);
		break;
	case WORKER_MESSAGES:
		break;
	}
}

bool worker_message_read(
	struct worker_message *message, const json_t *line, struct why *why)
{
	struct message_fields fields = {.object = line, .why = why, .ok = true};
	int type = word_index(
		worker_message_names, json_string_value(json_object_get(line, "t")));

	if (type < 0) {
		char names[128];

		word_list(worker_message_names, names, sizeof(names));
		return why_set(why, "\"t\" must be one of %s", names);
	}
	memset(message, 0, sizeof(*message));
	message->type = (enum worker_message_type)type;
	fields.message = worker_message_names[type];
	read_fields(message, &fields);
	return fields.ok;
}

bool worker_message_send(int fd, const struct worker_message *message)
{
	return lines_write_json(fd, worker_message_write(message));
}
