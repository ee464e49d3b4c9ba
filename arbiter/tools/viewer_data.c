/* The data that the replay viewer in the browser shows. */
#include "arbiter/tools/viewer_data.h"
#include "arbiter/replay/json_parts.h"
#include "arbiter/tools/json_patch.h"
#include "arbiter/table/notation.h"
#include "protocol/memory.h"
#include "arbiter/base/json_text.h"

#include <stdlib.h>
#include <string.h>

struct viewer_data {
	struct playback *playback;
	const struct replay_info *info;
	const struct game *game;
	int viewer;
	bool evidence; /* of faults, with what the bot wrote */
	json_t *table; /* after the last step */
};

static bool is_open(const struct viewer_data *data, int seat)
{
	return data->viewer == OMNISCIENT || data->viewer == seat;
}

/* The fields of `pub` that are not the same for all viewers. */
static json_t *narrowed(const struct game *game, json_t *pub)
{
	json_t *fields = json_object();

	for (int i = 0; i < game->field_count; i++)
		if (game->fields[i].visible)
			json_object_set(fields, game->fields[i].name,
				json_object_get(pub, game->fields[i].name));
	return fields;
}

/* A seat's part of the table: {me, pub: the fields that it sees differently}. */
static json_t *own_part(const struct viewer_data *data, int seat)
{
	json_t *view, *part;

	if (!is_open(data, seat))
		return json_null();
	view = replay_json_view(data->game, playback_state(data->playback), seat);
	part = json_object();
	json_object_set(part, "me", json_object_get(view, "me"));
	json_object_del(json_object_get(part, "me"), "pending");
	json_object_set_new(
		part, "pub", narrowed(data->game, json_object_get(view, "pub")));
	json_decref(view);
	return part;
}

/* What no viewer sees; what only its owner sees is in the owner's part. */
static json_t *hidden_part(const struct viewer_data *data)
{
	const struct game *game = data->game;
	json_t *view = replay_json_view(game, playback_state(data->playback), OMNISCIENT);
	json_t *all = json_object_get(view, "all"), *part = json_object();

	for (int i = 0; i < game->field_count; i++)
		if (game->fields[i].see == SEE_NONE)
			json_object_set(part, game->fields[i].name,
				json_object_get(all, game->fields[i].name));
	json_object_set_new(part, "pub", narrowed(game, json_object_get(view, "pub")));
	json_decref(view);
	return part;
}

/* The seats that owe an answer, as far as the audience may know. */
static json_t *pending(const struct viewer_data *data)
{
	const struct game_head *head = game_head(playback_state(data->playback));
	json_t *list = json_array();

	for (int seat = 0; seat < head->seats; seat++)
		if (is_open(data, seat) && game_seat_in(head->pending, seat))
			json_array_append_new(list, json_integer(seat));
	return list;
}

/* Every view that the audience may choose; parts that several views share are stored
 * once. Everything comes from game_observe(). */
static json_t *make_table(const struct viewer_data *data)
{
	int viewer = data->viewer == OMNISCIENT ? SPECTATOR : data->viewer;
	json_t *view =
		replay_json_view(data->game, playback_state(data->playback), viewer);
	json_t *table = json_object(), *own = json_array();
	json_t *need = json_object_get(view, "need");

	json_object_set(table, "phase", json_object_get(view, "phase"));
	json_object_set_new(
		table, "need", need ? json_incref(need) : json_string("answers"));
	json_object_set(table, "act", json_object_get(view, "act"));
	json_object_set_new(table, "pending", pending(data));
	json_object_set(table, "pub", json_object_get(view, "pub"));
	for (int seat = 0; seat < data->info->setup.seats; seat++)
		json_array_append_new(own, own_part(data, seat));
	json_object_set_new(table, "own", own);
	if (data->viewer == OMNISCIENT)
		json_object_set_new(table, "all", hidden_part(data));
	json_decref(view);
	return table;
}

struct viewer_data *viewer_data_new(struct playback *playback, int viewer)
{
	struct viewer_data *data = xcalloc(1, sizeof(*data));

	data->playback = playback;
	data->info = playback_info(playback);
	data->game = data->info->setup.game;
	data->viewer = viewer;
	data->table = make_table(data);
	return data;
}

void viewer_data_free(struct viewer_data **data)
{
	if (!*data)
		return;
	json_decref((*data)->table);
	free(*data);
	*data = NULL;
}

static json_t *players(const struct viewer_data *data)
{
	const struct compose_setup *setup = &data->info->setup;
	json_t *list = json_array();

	for (int seat = 0; seat < setup->seats; seat++) {
		const struct replay_player *player = &data->info->player[seat];
		json_t *entry = json_object();

		if (is_open(data, seat)) {
			json_decref(entry);
			entry = replay_json_player(player);
		} else if (setup->names_shown || data->viewer == SPECTATOR) {
			replay_json_set(
				entry, "name", replay_json_text(text_of(player->name)));
		}
		json_array_append_new(list, entry);
	}
	return list;
}

static json_t *viewer_name(int viewer)
{
	if (viewer >= 0)
		return json_integer(viewer);
	return json_string(viewer == SPECTATOR ? "spectator" : "all");
}

json_t *viewer_data_head(const struct viewer_data *data)
{
	const struct compose_setup *setup = &data->info->setup;
	char clock[128];
	json_t *head = json_object();

	clock_rules_format(&setup->clock, clock, sizeof(clock));
	replay_json_set(head, "format", json_string("pigpen-viewer/1"));
	replay_json_set(head, "game", json_string(data->game->id));
	replay_json_set(head, "title", json_string(data->game->title));
	replay_json_set(head, "rules", json_integer(data->info->rules));
	replay_json_set(head, "options", replay_json_options(data->game, setup->option));
	replay_json_set(head, "seats", json_integer(setup->seats));
	replay_json_set(head, "for", viewer_name(data->viewer));
	replay_json_set(head, "match", json_integer(setup->match_id));
	replay_json_set(head, "start", json_integer(data->info->start_unix_s));
	replay_json_set(head, "clock", json_string(clock));
	replay_json_set(head, "players", players(data));
	replay_json_set(head, "table", json_incref(data->table));
	return head;
}

static json_t *action_text(const struct game *game, const struct action *action)
{
	char text[NOTATION_MAX];

	notation_action(game, action, text, sizeof(text));
	return json_string(text);
}

static void set_legal(
	const struct viewer_data *data, const struct replay_move *move, json_t *json)
{
	struct action legal[GAME_LEGAL_MAX];
	int n = data->game->legal(playback_state(data->playback), move->seat, legal);
	json_t *list = json_array();

	for (int i = 0; i < n; i++) {
		json_array_append_new(list, action_text(data->game, &legal[i]));
		if (action_equal(&legal[i], &move->action))
			replay_json_set(json, "choice", json_integer(i));
	}
	replay_json_set(json, "legal", list);
	if (!json_object_get(json, "choice"))
		replay_json_set(json, "action", action_text(data->game, &move->action));
}

/* Before the step is applied: who decided what, and among which actions. */
static void set_move(
	const struct viewer_data *data, const struct replay_move *move, json_t *json)
{
	if (!is_open(data, move->seat))
		return;
	replay_json_set(json, "seat", json_integer(move->seat));
	set_legal(data, move, json);
	if (move->by == BY_FORCED || move->by == BY_FALLBACK)
		replay_json_set(json, "by", json_string(replay_by_names[move->by]));
	if (move->offence.size)
		replay_json_set(json, "offence", replay_json_text(move->offence));
	replay_json_set(json, "note", replay_json_note(move));
	if (!move->turn)
		return;
	replay_json_set(json, "ms", replay_json_ms(replay_think_us(move)));
	replay_json_set(json, "cpu", replay_json_ms(move->cpu_us));
	replay_json_set(json, "bank", json_integer(move->bank_us / 1000));
	if (move->lag_us)
		replay_json_set(json, "lag", replay_json_ms(move->lag_us));
}

/* Who sees the cards of an event, unless everybody does. */
static void set_audience(const struct viewer_data *data, int event, json_t *json)
{
	const struct event *e = &playback_events(data->playback)->list[event];
	json_t *list;

	if (data->viewer != OMNISCIENT || e->audience == AUDIENCE_ALL ||
		!data->game->events[e->kind].cards)
		return;
	list = json_array();
	for (int seat = 0; seat < data->info->setup.seats; seat++)
		if (event_seen_by(e, seat))
			json_array_append_new(list, json_integer(seat));
	if (event_seen_by(e, SPECTATOR))
		json_array_append_new(list, json_string("spectator"));
	replay_json_set(json, "see", list);
}

/* After the step was applied: the events, and how the table changed. */
static void set_outcome(struct viewer_data *data, json_t *json)
{
	json_t *events = replay_json_events(
		data->game, playback_events(data->playback), data->viewer);
	json_t *table = make_table(data), *event;
	size_t i;

	json_array_foreach(events, i, event) set_audience(data, (int)i, event);
	if (json_array_size(events))
		json_object_set(json, "events", events);
	json_decref(events);
	replay_json_set(json, "table", json_patch(data->table, table));
	json_decref(data->table);
	data->table = table;
}

static json_t *take_move(struct viewer_data *data, const struct playback_step *step)
{
	json_t *json = json_object();

	replay_json_set(json, "decision", json_integer(step->decision));
	set_move(data, &step->move, json);
	playback_apply(data->playback);
	set_outcome(data, json);
	if (json_object_size(json) > 1)
		return json;
	json_decref(json);
	return NULL;
}

static json_t *take_chance(struct viewer_data *data, const struct playback_step *step)
{
	json_t *json = json_object();

	replay_json_set(
		json, "chance", json_string(game_chance_names[step->chance.kind]));
	playback_apply(data->playback);
	set_outcome(data, json);
	return json;
}

static json_t *take_refusal(const struct replay_refused *refused)
{
	json_t *json = json_object(), *inner = json_object();

	replay_json_set(inner, "seat", json_integer(refused->seat));
	replay_json_set(inner, "clause", replay_json_text(refused->clause));
	replay_json_set(inner, "why", replay_json_text(refused->why));
	replay_json_set(json, "refused", inner);
	return json;
}

static json_t *take_link(const struct replay_linked *linked)
{
	return json_pack(
		"{s:{s:i,s:b}}", "link", "seat", linked->seat, "back", (int)linked->back);
}

/* How its process ended is evidence, too. */
static json_t *take_fault(
	const struct viewer_data *data, const struct replay_faulted *faulted)
{
	json_t *json = replay_json_fault(faulted, !data->evidence);

	if (!data->evidence)
		json_object_del(json, "exit");
	return json_pack("{s:o}", "fault", json);
}

static json_t *take_result(const struct replay_ended *ended)
{
	json_t *json = json_object();

	replay_json_set(json, "result", replay_json_result(ended));
	if (ended->is_void)
		replay_json_set(json, "void", replay_json_text(ended->void_reason));
	return json;
}

void viewer_data_skip(struct viewer_data *data, const struct playback_step *step)
{
	if (step->type != REPLAY_CHANCE && step->type != REPLAY_ACTION)
		return;
	playback_apply(data->playback);
	json_decref(data->table);
	data->table = NULL;
}

json_t *viewer_data_step(struct viewer_data *data, const struct playback_step *step)
{
	if (!data->table)
		data->table = make_table(data);
	switch (step->type) {
	case REPLAY_CHANCE:
		return take_chance(data, step);
	case REPLAY_ACTION:
		return take_move(data, step);
	case REPLAY_REFUSAL:
		return is_open(data, step->refused.seat) ? take_refusal(&step->refused)
							 : NULL;
	case REPLAY_LINK:
		return is_open(data, step->linked.seat) ? take_link(&step->linked) : NULL;
	case REPLAY_FAULT:
		if (!is_open(data, step->faulted.seat))
			return NULL;
		return take_fault(data, &step->faulted);
	case REPLAY_RESULT:
		return take_result(&step->ended);
	default:
		return NULL;
	}
}

void viewer_data_print(json_t *json, FILE *out)
{
	char *text = json_to_text(json, REPLAY_JSON_FLAGS);

	for (const char *c = text; *c; c++)
		if (*c == '<')
			fputs("\\u003c", out);
		else
			fputc(*c, out);
	free(text);
}

static void print_and_drop(json_t *json, FILE *out)
{
	viewer_data_print(json, out);
	json_decref(json);
}

static enum playback_status write_steps(
	struct viewer_data *data, FILE *out, struct why *why)
{
	struct playback_step step;
	enum playback_status status;
	const char *comma = "";

	while ((status = playback_next(data->playback, &step)) == PLAYBACK_STEP) {
		json_t *json = viewer_data_step(data, &step);

		if (!json)
			continue;
		fprintf(out, "%s\n", comma);
		print_and_drop(json, out);
		comma = ",";
	}
	if (status != PLAYBACK_DONE) {
		why_set(why, "%s", playback_why(data->playback));
		fprintf(out, "%s\n", comma);
		print_and_drop(json_pack("{s:o}", "cut",
				       json_of_bytes(why->text, strlen(why->text))),
			out);
	}
	return status;
}

enum playback_status viewer_data_write(
	const char *path, int viewer, bool evidence, FILE *out, struct why *why)
{
	enum playback_status status;
	struct playback *playback = playback_open(path, NULL, &status, why);
	struct viewer_data *data;

	if (!playback)
		return status;
	if (viewer >= playback_info(playback)->setup.seats) {
		why_set(why, "there is no seat %d; the match has 0 to %d", viewer,
			playback_info(playback)->setup.seats - 1);
		playback_free(&playback);
		return PLAYBACK_UNREADABLE;
	}
	data = viewer_data_new(playback, viewer);
	data->evidence = evidence;
	fputs("{\"head\":", out);
	print_and_drop(viewer_data_head(data), out);
	fputs(",\n\"steps\":[", out);
	status = write_steps(data, out, why);
	fputs("\n]}\n", out);
	viewer_data_free(&data);
	playback_free(&playback);
	return status;
}
