/* Finding the first difference between two replays. */
#include "arbiter/tools/diff.h"
#include "arbiter/table/notation.h"

#include <string.h>

/* One replay being read. */
struct diff_reading {
	struct diff_side *side;
	struct playback *playback;
	struct playback_step step;
	const struct replay_info *info;
};

static void finish(struct diff_reading *r)
{
	if (r->side->status != PLAYBACK_STEP && r->side->status != PLAYBACK_DONE)
		why_set(&r->side->why, "%s", playback_why(r->playback));
}

/* Advances to the next order, decision or result; false at the end. */
static bool advance(struct diff_reading *r)
{
	do
		r->side->status = playback_next(r->playback, &r->step);
	while (r->side->status == PLAYBACK_STEP && r->step.type != REPLAY_CHANCE &&
		r->step.type != REPLAY_ACTION && r->step.type != REPLAY_RESULT);
	finish(r);
	return r->side->status == PLAYBACK_STEP;
}

static bool same_step(const struct playback_step *a, const struct playback_step *b)
{
	if (a->type != b->type)
		return false;
	if (a->type == REPLAY_CHANCE)
		return a->chance.kind == b->chance.kind && a->chance.n == b->chance.n &&
		       !memcmp(a->chance.order, b->chance.order, (size_t)a->chance.n);
	if (a->type == REPLAY_ACTION)
		return a->move.seat == b->move.seat && a->move.by == b->move.by &&
		       action_equal(&a->move.action, &b->move.action);
	return a->ended.whole.size == b->ended.whole.size &&
	       !memcmp(a->ended.whole.bytes, b->ended.whole.bytes, a->ended.whole.size);
}

static void print_side(const struct diff_reading *r, FILE *out)
{
	const struct playback_step *s = &r->step;
	const struct game *game = r->info->setup.game;
	char text[NOTATION_MAX];

	fprintf(out, "  %s: ", r->side->path);
	if (r->side->status != PLAYBACK_STEP) {
		fprintf(out, "ends\n");
	} else if (s->type == REPLAY_CHANCE) {
		notation_order(game, s->chance.kind, s->chance.order, s->chance.n, text,
			sizeof(text));
		fprintf(out, "%s: %s\n", game_chance_names[s->chance.kind], text);
	} else if (s->type == REPLAY_ACTION) {
		static const char *const by[] = {
			"", " (forced)", " (fallback)", " (offence)"};

		notation_action(game, &s->move.action, text, sizeof(text));
		fprintf(out, "seat %d: %s%s\n", s->move.seat, text, by[s->move.by]);
	} else {
		fprintf(out, "the end by %.*s, scores", (int)s->ended.reason.size,
			s->ended.reason.bytes);
		for (int i = 0; i < r->info->setup.seats; i++)
			fprintf(out, " %d", s->ended.result.score[i]);
		fputc('\n', out);
	}
}

/* The decision at which they part, which may follow orders that differ. */
static void print_parting(
	const struct diff_reading *a, const struct diff_reading *b, FILE *out)
{
	bool moves = a->step.type == REPLAY_ACTION || b->step.type == REPLAY_ACTION;
	int decision =
		a->step.decision > b->step.decision ? a->step.decision : b->step.decision;

	if (a->step.type == REPLAY_CHANCE && b->step.type == REPLAY_CHANCE)
		fprintf(out, "the cards differ after decision %d:\n", decision);
	else if (moves)
		fprintf(out, "they part at decision %d:\n", decision);
	else
		fprintf(out, "the results differ after %d decisions:\n", decision);
	print_side(a, out);
	print_side(b, out);
}

static bool same_header(
	const struct diff_reading *a, const struct diff_reading *b, FILE *out)
{
	const struct compose_setup *x = &a->info->setup, *y = &b->info->setup;

	if (x->game != y->game) {
		fprintf(out, "the games differ: %s and %s\n", x->game->id, y->game->id);
		return false;
	}
	if (x->seats != y->seats) {
		fprintf(out, "the seats differ: %d and %d\n", x->seats, y->seats);
		return false;
	}
	for (int i = 0; i < x->game->option_count; i++)
		if (x->option[i] != y->option[i]) {
			fprintf(out, "the option %s differs\n", x->game->options[i].name);
			return false;
		}
	return true;
}

static bool compare(struct diff_reading *a, struct diff_reading *b, FILE *out)
{
	bool more_a, more_b;

	if (!same_header(a, b, out))
		return false;
	do {
		more_a = advance(a);
		more_b = advance(b);
		if (more_a != more_b || (more_a && !same_step(&a->step, &b->step))) {
			print_parting(a, b, out);
			return false;
		}
	} while (more_a);
	if (a->side->status != PLAYBACK_DONE || b->side->status != PLAYBACK_DONE)
		return false;
	fprintf(out, "the same match: %d decisions\n", a->step.decision);
	return true;
}

static bool start(struct diff_reading *r, struct diff_side *side)
{
	r->side = side;
	r->playback = playback_open(side->path, NULL, &side->status, &side->why);
	if (r->playback)
		r->info = playback_info(r->playback);
	return r->playback;
}

bool replay_diff(struct diff_side *a, struct diff_side *b, FILE *out)
{
	struct diff_reading x = {0}, y = {0};
	bool open_a = start(&x, a), open_b = start(&y, b);
	bool same = open_a && open_b && compare(&x, &y, out);

	playback_free(&x.playback);
	playback_free(&y.playback);
	return same;
}
