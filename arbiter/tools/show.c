/* Walking through a replay for the text and JSON forms of `replay show`. */
#include "arbiter/tools/show_internal.h"

static const struct show_form *form_of(const struct show *show)
{
	return show->options->json ? &show_json : &show_text;
}

static bool in_range(const struct show *show, const struct playback_step *step)
{
	const struct show_options *o = show->options;

	if (step->type == REPLAY_RESULT || step->type == REPLAY_SEAL)
		return true;
	/* What happens between two decisions belongs to the first of them. */
	return step->decision >= o->from && step->decision <= o->to;
}

static void take_step(struct show *show, const struct playback_step *step)
{
	static const struct events none;
	bool changes = step->type == REPLAY_CHANCE || step->type == REPLAY_ACTION;
	const void *state = playback_state(show->playback);

	show->phase = show->game->phases[game_head(state)->phase];
	if (step->type == REPLAY_CHANCE && step->chance.kind == CHANCE_DEAL)
		show->round++;
	playback_apply(show->playback);
	if (in_range(show, step))
		form_of(show)->step(
			show, step, changes ? playback_events(show->playback) : &none);
}

static enum playback_status show_all(struct show *show)
{
	struct playback_step step;
	enum playback_status status;

	form_of(show)->header(show);
	while ((status = playback_next(show->playback, &step)) == PLAYBACK_STEP)
		take_step(show, &step);
	return status;
}

static enum playback_status show_one(struct show *show, struct why *why)
{
	struct playback_step step = {0};
	enum playback_status status;

	while ((status = playback_next(show->playback, &step)) == PLAYBACK_STEP) {
		const void *state = playback_state(show->playback);

		if (step.type == REPLAY_CHANCE && step.chance.kind == CHANCE_DEAL)
			show->round++;
		if (step.type != REPLAY_ACTION || step.decision != show->options->at)
			continue;
		show->phase = show->game->phases[game_head(state)->phase];
		form_of(show)->question(show, &step);
		return PLAYBACK_DONE;
	}
	if (status != PLAYBACK_DONE)
		return status;
	why_set(why, "there is no decision %d; the match has 1 to %d", show->options->at,
		step.decision);
	return PLAYBACK_UNREADABLE;
}

enum playback_status replay_show(
	const char *path, const struct show_options *options, FILE *out, struct why *why)
{
	enum playback_status status;
	struct show show = {.options = options, .out = out};

	show.playback = playback_open(path, NULL, &status, why);
	if (!show.playback)
		return status;
	show.info = playback_info(show.playback);
	show.game = show.info->setup.game;
	if (options->viewer >= show.info->setup.seats) {
		why_set(why, "there is no seat %d; the match has 0 to %d",
			options->viewer, show.info->setup.seats - 1);
		playback_free(&show.playback);
		return PLAYBACK_UNREADABLE;
	}
	*why->text = 0;
	status = options->at ? show_one(&show, why) : show_all(&show);
	if (status != PLAYBACK_DONE && !*why->text)
		why_set(why, "%s", playback_why(show.playback));
	playback_free(&show.playback);
	return status;
}
