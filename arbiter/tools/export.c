/* A replay as one JSON document, written step by step. */
#include "arbiter/tools/export.h"
#include "arbiter/replay/json_parts.h"

#include <stdio.h>

/* What is written after the steps and collected while they are read. */
struct export
{
	const struct export_options *options;
	const struct game *game;
	const struct replay_info *info;
	FILE *out;
	bool first; /* no step has been written yet */
	json_t *faults, *result, *void_reason, *seed, *nonce;
};

static void write_key(struct export *e, const char *key, json_t *value)
{
	if (!value)
		return;
	fprintf(e->out, ",\n\"%s\":", key);
	json_dumpf(value, e->out, REPLAY_JSON_FLAGS | JSON_ENCODE_ANY);
	json_decref(value);
}

static void write_head(struct export *e)
{
	const struct compose_setup *setup = &e->info->setup;
	json_t *players = json_array();

	fputs("{\"format\":\"pigpen-replay/1\"", e->out);
	write_key(e, "game", json_string(e->game->id));
	write_key(e, "rules", json_integer(e->info->rules));
	write_key(e, "options", replay_json_options(e->game, setup->option));
	write_key(e, "seats", json_integer(setup->seats));
	for (int i = 0; i < setup->seats; i++)
		json_array_append_new(players, replay_json_player(&e->info->player[i]));
	write_key(e, "players", players);
	if (!e->options->canonical)
		write_key(e, "match", json_integer(setup->match_id));
	fputs(",\n\"steps\":[", e->out);
	e->first = true;
}

static void write_step(struct export *e, json_t *step)
{
	fputs(e->first ? "\n" : ",\n", e->out);
	e->first = false;
	json_dumpf(step, e->out, REPLAY_JSON_FLAGS);
	json_decref(step);
}

static void write_move(
	struct export *e, const struct replay_move *move, const void *state)
{
	json_t *step = replay_json_move(e->game, move, e->options->canonical);

	if (e->options->full) {
		replay_json_set(
			step, "legal", replay_json_legal(e->game, state, move->seat));
		replay_json_set(
			step, "view", replay_json_view(e->game, state, move->seat));
	}
	write_step(e, step);
}

static void take_step(
	struct export *e, const struct playback_step *step, const void *state)
{
	switch (step->type) {
	case REPLAY_CHANCE:
		write_step(e, replay_json_order(e->game, &step->chance));
		break;
	case REPLAY_ACTION:
		write_move(e, &step->move, state);
		break;
	case REPLAY_FAULT:
		json_array_append_new(e->faults,
			replay_json_fault(&step->faulted, e->options->canonical));
		break;
	case REPLAY_RESULT:
		e->result = replay_json_result(&step->ended);
		if (step->ended.is_void && !e->options->canonical)
			e->void_reason = replay_json_text(step->ended.void_reason);
		break;
	case REPLAY_SEAL:
		e->seed = replay_json_hex(step->sealed.seed, CHANCE_SEED_SIZE);
		if (!e->options->canonical)
			e->nonce = replay_json_hex(step->sealed.nonce, CHANCE_NONCE_SIZE);
		break;
	default:
		break;
	}
}

static void write_tail(struct export *e)
{
	fputs("\n]", e->out);
	write_key(e, "faults", e->faults);
	write_key(e, "result", e->result ? e->result : json_null());
	write_key(e, "void", e->void_reason);
	write_key(e, "seed", e->seed);
	write_key(e, "nonce", e->nonce);
	if (!e->options->canonical)
		write_key(e, "commit",
			replay_json_hex(e->info->setup.commit, CHANCE_COMMIT_SIZE));
	fputs("}\n", e->out);
}

enum playback_status replay_export(const char *path, const struct export_options *options,
	FILE *out, struct why *why)
{
	enum playback_status status;
	struct playback *p = playback_open(path, NULL, &status, why);
	struct playback_step step;
	struct export e = {.options = options, .out = out, .faults = json_array()};

	if (!p) {
		json_decref(e.faults);
		return status;
	}
	e.info = playback_info(p);
	e.game = e.info->setup.game;
	write_head(&e);
	while ((status = playback_next(p, &step)) == PLAYBACK_STEP)
		take_step(&e, &step, playback_state(p));
	write_tail(&e);
	if (status != PLAYBACK_DONE)
		why_set(why, "%s", playback_why(p));
	playback_free(&p);
	return status;
}
