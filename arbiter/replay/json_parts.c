/* Parts of a replay as JSON. */
#include "arbiter/replay/json_parts.h"
#include "protocol/utf8.h"
#include "protocol/json.h"
#include "protocol/scan.h"
#include "protocol/memory.h"

#include <assert.h>
#include <stdlib.h>

const char *const replay_by_names[] = {"bot", "forced", "fallback", "bot"};

/* What our own writers packed can always be expressed as JSON. */
static json_t *from_packed(msgpack_sbuffer *packed)
{
	json_t *json = json_from_blob(
		(struct blob){(const uint8_t *)packed->data, (uint32_t)packed->size},
		NULL);

	assert(json);
	msgpack_sbuffer_destroy(packed);
	return json;
}

static msgpack_packer start(msgpack_sbuffer *packed)
{
	msgpack_packer packer;

	msgpack_sbuffer_init(packed);
	msgpack_packer_init(&packer, packed, msgpack_sbuffer_write);
	return packer;
}

json_t *replay_json_action(const struct game *game, const struct action *action)
{
	msgpack_sbuffer packed;
	msgpack_packer packer = start(&packed);

	game_write_action(game, action, &packer);
	return from_packed(&packed);
}

json_t *replay_json_legal(const struct game *game, const void *state, int seat)
{
	struct action legal[GAME_LEGAL_MAX];
	int n = game->legal(state, seat, legal);
	json_t *list = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(list, replay_json_action(game, &legal[i]));
	return list;
}

json_t *replay_json_view(const struct game *game, const void *state, int viewer)
{
	_Alignas(16) uint8_t view[GAME_STATE_MAX];
	msgpack_sbuffer packed;
	msgpack_packer packer = start(&packed);

	game_observe(game, state, viewer, view);
	game_write_view(game, view, &packer);
	return from_packed(&packed);
}

json_t *replay_json_events(
	const struct game *game, const struct events *events, int viewer)
{
	msgpack_sbuffer packed;
	msgpack_packer packer = start(&packed);

	msgpack_pack_array(&packer, (size_t)events->count);
	for (int i = 0; i < events->count; i++)
		game_write_event(game, &events->list[i], viewer, &packer);
	return from_packed(&packed);
}

json_t *replay_json_options(const struct game *game, const int16_t *option)
{
	msgpack_sbuffer packed;
	msgpack_packer packer = start(&packed);

	game_write_options(game, option, &packer);
	return from_packed(&packed);
}

void replay_json_set(json_t *object, const char *key, json_t *value)
{
	if (value)
		json_object_set_new(object, key, value);
}

/* Text from a file may be any bytes; if it is not UTF-8 it is shown as bytes. */
json_t *replay_json_text(struct text text)
{
	json_t *object;

	if (utf8_valid(text))
		return json_stringn_nocheck(text.bytes, text.size);
	object = json_object();
	replay_json_set(object, "bin", replay_json_hex(text.bytes, text.size));
	return object;
}

json_t *replay_json_hex(const void *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *at = bytes;
	char *hex = xmalloc(2 * size + 1);
	json_t *json;

	for (size_t i = 0; i < size; i++) {
		hex[2 * i] = digits[at[i] >> 4];
		hex[2 * i + 1] = digits[at[i] & 15];
	}
	json = json_stringn_nocheck(hex, 2 * size);
	free(hex);
	return json;
}

json_t *replay_json_ms(int64_t us)
{
	return json_real((double)us / 1000);
}

json_t *replay_json_player(const struct replay_player *player)
{
	json_t *json = json_object();

	replay_json_set(json, "name", replay_json_text(text_of(player->name)));
	replay_json_set(json, "version", replay_json_text(text_of(player->version)));
	replay_json_set(json, "hash", replay_json_text(text_of(player->hash)));
	return json;
}

json_t *replay_json_order(const struct game *game, const struct replay_order *order)
{
	json_t *json = json_object(), *list = json_array();

	replay_json_set(json, "chance", json_string(game_chance_names[order->kind]));
	for (int i = 0; i < order->n; i++)
		json_array_append_new(
			list, order->kind == CHANCE_FIRST
				      ? json_integer(order->order[i])
				      : json_string(game->faces[order->order[i]]));
	replay_json_set(json, "order", list);
	return json;
}

json_t *replay_json_note(const struct replay_move *move)
{
	json_t *object;

	if (!move->note.size)
		return NULL;
	if (!move->note_is_bytes)
		return replay_json_text(move->note);
	object = json_object();
	replay_json_set(
		object, "bin", replay_json_hex(move->note.bytes, move->note.size));
	return object;
}

json_t *replay_json_move(
	const struct game *game, const struct replay_move *move, bool canonical)
{
	json_t *json = json_object();

	replay_json_set(json, "seat", json_integer(move->seat));
	replay_json_set(json, "action", replay_json_action(game, &move->action));
	replay_json_set(json, "by", json_string(replay_by_names[move->by]));
	if (move->offence.size)
		replay_json_set(json, "offence", replay_json_text(move->offence));
	if (move->turn && !canonical)
		replay_json_set(
			json, "ms", replay_json_ms(move->received_us - move->sent_us));
	replay_json_set(json, "note", replay_json_note(move));
	return json;
}

static void set_text(json_t *json, const char *key, struct text text)
{
	if (text.size)
		replay_json_set(json, key, replay_json_text(text));
}

/* What differs from run to run: times, and texts and bytes that may hold times or ids. */
static void set_evidence(json_t *json, const struct replay_faulted *f)
{
	replay_json_set(json, "time_ms", replay_json_ms(f->time_us));
	set_text(json, "why", f->why);
	if (f->bytes.size)
		replay_json_set(
			json, "bytes", replay_json_hex(f->bytes.bytes, f->bytes.size));
	if (text_is(f->class_name, "timeout")) {
		replay_json_set(json, "budget_ms", replay_json_ms(f->budget_us));
		replay_json_set(json, "overrun_ms", replay_json_ms(f->overrun_us));
		replay_json_set(json, "lag_ms", replay_json_ms(f->lag_us));
	}
	set_text(json, "stderr", f->stderr_tail);
}

json_t *replay_json_fault(const struct replay_faulted *f, bool canonical)
{
	json_t *json = json_object();

	replay_json_set(json, "seat", json_integer(f->seat));
	set_text(json, "class", f->class_name);
	set_text(json, "phase", f->phase);
	if (f->turn)
		replay_json_set(json, "turn", json_integer(f->turn));
	set_text(json, "clause", f->clause);
	set_text(json, "verdict", f->verdict);
	if (f->exit_status >= 0)
		replay_json_set(json, "exit", json_integer(f->exit_status));
	if (!canonical)
		set_evidence(json, f);
	return json;
}

json_t *replay_json_result(const struct replay_ended *ended)
{
	json_t *json = json_from_blob(ended->whole, NULL);

	return json ? json : json_null();
}
