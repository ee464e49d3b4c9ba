/* A replay as JSON, for `pigpen replay show --json`. */
#include "arbiter/tools/show_internal.h"
#include "arbiter/replay/json_parts.h"

static void write_line(struct show *show, json_t *json)
{
	json_dumpf(json, show->out, REPLAY_JSON_FLAGS);
	fputc('\n', show->out);
	json_decref(json);
}

static json_t *start(const char *what)
{
	json_t *json = json_object();

	replay_json_set(json, "what", json_string(what));
	return json;
}

static void header(struct show *show)
{
	const struct replay_info *info = show->info;
	const struct compose_setup *setup = &info->setup;
	json_t *json = start("match"), *players = json_array();

	replay_json_set(json, "match", json_integer(setup->match_id));
	replay_json_set(json, "game", json_string(show->game->id));
	replay_json_set(json, "rules", json_integer(info->rules));
	replay_json_set(json, "options", replay_json_options(show->game, setup->option));
	replay_json_set(json, "seats", json_integer(setup->seats));
	for (int seat = 0; seat < setup->seats; seat++)
		json_array_append_new(players,
			show_is_open(show, seat) ? replay_json_player(&info->player[seat])
						 : json_null());
	replay_json_set(json, "players", players);
	replay_json_set(json, "start", json_integer(info->start_unix_s));
	write_line(show, json);
}

static json_t *chance(struct show *show, const struct replay_order *order)
{
	json_t *json = start("chance");

	if (show->options->viewer == OMNISCIENT)
		json_object_update_new(json, replay_json_order(show->game, order));
	else
		replay_json_set(
			json, "chance", json_string(game_chance_names[order->kind]));
	return json;
}

static json_t *decision(struct show *show, const struct playback_step *step)
{
	json_t *json = start("decision");

	replay_json_set(json, "decision", json_integer(step->decision));
	replay_json_set(json, "round", json_integer(show->round));
	replay_json_set(json, "phase", json_string(show->phase));
	if (show_is_open(show, step->move.seat)) {
		json_object_update_new(
			json, replay_json_move(show->game, &step->move, false));
		if (step->move.turn)
			replay_json_set(json, "turn", json_integer(step->move.turn));
	}
	return json;
}

static json_t *refusal(struct show *show, const struct replay_refused *refused)
{
	json_t *json = start("refusal");

	(void)show;
	replay_json_set(json, "seat", json_integer(refused->seat));
	replay_json_set(json, "turn", json_integer(refused->turn));
	replay_json_set(json, "clause", replay_json_text(refused->clause));
	replay_json_set(json, "why", replay_json_text(refused->why));
	replay_json_set(json, "answer",
		replay_json_hex(refused->answer.bytes, refused->answer.size));
	return json;
}

static json_t *linked(const struct replay_linked *l)
{
	json_t *json = start("link");

	replay_json_set(json, "seat", json_integer(l->seat));
	replay_json_set(json, "link", json_string(l->back ? "back" : "lost"));
	replay_json_set(json, "time_ms", replay_json_ms(l->time_us));
	return json;
}

static json_t *result(struct show *show, const struct replay_ended *ended)
{
	json_t *json = start("result");

	replay_json_set(json, "result", replay_json_result(ended));
	if (ended->is_void)
		replay_json_set(json, "void", replay_json_text(ended->void_reason));
	if (show->options->viewer == OMNISCIENT)
		replay_json_set(json, "time_ms", replay_json_ms(ended->time_us));
	return json;
}

/* NULL: the viewer may know nothing of this step. */
static json_t *describe(struct show *show, const struct playback_step *step)
{
	json_t *json;

	switch (step->type) {
	case REPLAY_CHANCE:
		return chance(show, &step->chance);
	case REPLAY_ACTION:
		return decision(show, step);
	case REPLAY_REFUSAL:
		return show_is_open(show, step->refused.seat)
			       ? refusal(show, &step->refused)
			       : NULL;
	case REPLAY_LINK:
		return show_is_open(show, step->linked.seat) ? linked(&step->linked)
							     : NULL;
	case REPLAY_FAULT:
		if (!show_is_open(show, step->faulted.seat))
			return NULL;
		json = start("fault");
		json_object_update_new(json, replay_json_fault(&step->faulted, false));
		return json;
	case REPLAY_RESULT:
		return result(show, &step->ended);
	default:
		return NULL;
	}
}

static void show_step(
	struct show *show, const struct playback_step *step, const struct events *events)
{
	json_t *json = describe(show, step);

	if (!json)
		return;
	if (events->count)
		replay_json_set(json, "events",
			replay_json_events(show->game, events, show->options->viewer));
	write_line(show, json);
}

static void question(struct show *show, const struct playback_step *step)
{
	const struct replay_move *move = &step->move;
	const void *state = playback_state(show->playback);
	json_t *json = decision(show, step);
	int viewer = show->options->viewer;

	if (viewer == OMNISCIENT)
		viewer = move->seat;
	if (viewer == move->seat) {
		if (move->choice >= 0)
			replay_json_set(json, "choice", json_integer(move->choice));
		replay_json_set(
			json, "legal", replay_json_legal(show->game, state, move->seat));
		if (move->turn) {
			replay_json_set(json, "bank_ms", replay_json_ms(move->bank_us));
			replay_json_set(json, "cpu_ms", replay_json_ms(move->cpu_us));
			replay_json_set(json, "lag_ms", replay_json_ms(move->lag_us));
		}
	}
	replay_json_set(json, "view", replay_json_view(show->game, state, viewer));
	playback_apply(show->playback);
	replay_json_set(json, "events",
		replay_json_events(show->game, playback_events(show->playback),
			show->options->viewer));
	write_line(show, json);
}

const struct show_form show_json = {header, show_step, question};
