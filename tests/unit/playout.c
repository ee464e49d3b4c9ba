/* Random matches, recorded step by step. */
#include "tests/unit/playout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint64_t dice_next(void *dice)
{
	struct dice *d = dice;
	uint64_t z = d->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint32_t dice_below(struct dice *dice, uint32_t n)
{
	struct game_random random = {dice_next, dice};

	return game_random_below(&random, n);
}

struct dice dice_named(const char *name, unsigned number)
{
	struct dice dice = {0xcbf29ce484222325u + number};

	for (; *name; name++)
		dice.state = (dice.state ^ (unsigned char)*name) * 0x100000001b3u;
	dice_next(&dice);
	return dice;
}

bool playout_init(struct playout *p, const struct game *game,
	const struct variant *variant, unsigned number)
{
	char name[256];

	memset(p, 0, sizeof(*p));
	variant_name(variant, name, sizeof(name));
	p->game = game;
	p->seats = variant->seats;
	p->dice = dice_named(name, number);
	p->style = (int)dice_below(&p->dice, 4);
	if (!variant_options(game, variant, p->option))
		return false;
	game_start(game, p->seats, p->option, p->state.bytes);
	return true;
}

void playout_release(struct playout *p)
{
	free(p->step);
	p->step = NULL;
}

static void draw_order(struct playout *p, struct step *step)
{
	struct game_random random = {dice_next, &p->dice};
	struct chance request;

	p->game->chance(p->state.bytes, &request);
	step->what = STEP_CHANCE;
	step->kind = request.kind;
	step->n = request.n;
	step->index = request.index;
	memcpy(step->order, request.token, request.n);
	game_random_shuffle(&random, step->order, request.n);
}

static int random_bit(struct playout *p, unsigned set)
{
	int skip = (int)dice_below(&p->dice, (uint32_t)__builtin_popcount(set));

	while (skip-- > 0)
		set &= set - 1;
	return __builtin_ctz(set);
}

/* Four styles: even, towards the front of the list, towards its end, fallback often. */
static void draw_action(struct playout *p, struct step *step)
{
	struct action legal[GAME_LEGAL_MAX];
	struct table view;
	int n, pick, other;

	step->what = STEP_ACTION;
	step->seat = (uint8_t)random_bit(p, game_head(p->state.bytes)->pending);
	n = p->game->legal(p->state.bytes, step->seat, legal);
	assert(n > 0);
	pick = (int)dice_below(&p->dice, (uint32_t)n);
	other = (int)dice_below(&p->dice, (uint32_t)n);
	if (p->style == 1)
		pick = pick < other ? pick : other;
	if (p->style == 2)
		pick = pick > other ? pick : other;
	step->action = legal[pick];
	if (p->style == 3 && dice_below(&p->dice, 2)) {
		game_observe(p->game, p->state.bytes, step->seat, view.bytes);
		p->game->fallback(view.bytes, &step->action);
	}
}

/* Looks for an action that is refused and punished; turns the step into it. */
static void try_offence(struct playout *p, struct step *step)
{
	struct action *space;
	int n = action_space(p->game, p->seats, 1, &space);

	for (int tries = 0; tries < 40; tries++) {
		struct table copy = p->state;
		struct action action = space[dice_below(&p->dice, (uint32_t)n)];

		if (p->game->check(copy.bytes, step->seat, &action, NULL) ||
			!p->game->offence(copy.bytes, step->seat, &action, NULL))
			continue;
		step->what = STEP_OFFENCE;
		step->action = action;
		break;
	}
	free(space);
}

bool playout_draw(struct playout *p, struct step *step)
{
	const struct game_head *head = game_head(p->state.bytes);

	memset(step, 0, sizeof(*step));
	if (head->need == NEED_NOTHING)
		return false;
	if (head->need == NEED_CHANCE) {
		draw_order(p, step);
		return true;
	}
	draw_action(p, step);
	if (p->game->offence && head->option[OPTION_FAULTS] &&
		(int)dice_below(&p->dice, 100) < p->offence_percent)
		try_offence(p, step);
	return true;
}

void step_apply(const struct game *game, void *state, const struct step *step,
	struct events *events)
{
	if (step->what == STEP_CHANCE)
		game->apply_chance(state, step->order, step->n, events);
	else if (step->what == STEP_ACTION)
		game->apply(state, step->seat, &step->action, events);
	else
		game->offence(state, step->seat, &step->action, events);
}

const struct step *playout_step(struct playout *p, struct events *events)
{
	struct step step;

	if (!playout_draw(p, &step))
		return NULL;
	if (p->count == p->room) {
		p->room = p->room ? 2 * p->room : 256;
		p->step = realloc(p->step, (size_t)p->room * sizeof(*p->step));
	}
	p->step[p->count] = step;
	step_apply(p->game, p->state.bytes, &step, events);
	return &p->step[p->count++];
}

struct space {
	const struct game *game;
	int seats, order_max;
	struct action *list;
	int count, room;
};

static void space_add(struct space *s, const struct action *action)
{
	if (s->count == s->room) {
		s->room = s->room ? 2 * s->room : 1024;
		s->list = realloc(s->list, (size_t)s->room * sizeof(*s->list));
	}
	s->list[s->count++] = *action;
}

static void space_equal_lists(struct space *s, struct action *a, int at, int max)
{
	for (int face = 0; face < s->game->face_count; face++)
		for (int n = 4; n <= max; n++) {
			memset(a->arg + at, 0, (size_t)(GAME_ARGS_MAX - at));
			memset(a->arg + at, face, (size_t)n);
			a->count = (uint8_t)(at + n);
			space_add(s, a);
		}
	memset(a->arg + at, 0, (size_t)(GAME_ARGS_MAX - at));
}

/* Lists of up to `max` cards; sorted ones only, or all. */
static void space_lists(
	struct space *s, struct action *a, int at, int from, int max, bool sorted)
{
	if (at == max)
		return;
	for (int face = sorted ? from : 0; face < s->game->face_count; face++) {
		a->arg[at] = (uint8_t)face;
		a->count = (uint8_t)(at + 1);
		space_add(s, a);
		space_lists(s, a, at + 1, face, max, sorted);
	}
	a->arg[at] = 0;
	a->count = (uint8_t)at;
}

static void space_list(
	struct space *s, struct action *a, int at, const struct game_arg *arg)
{
	int room = GAME_ARGS_MAX - at;
	int max = arg->max && arg->max < room ? arg->max : room;
	bool sorted = arg->type == ARG_CARDS;
	int deep = sorted ? 3 : s->order_max;

	if (arg->optional) {
		a->count = (uint8_t)at;
		space_add(s, a);
	}
	space_lists(s, a, at, 0, at + (deep < max ? deep : max), sorted);
	if (sorted)
		space_equal_lists(s, a, at, max);
	a->count = (uint8_t)at;
}

static int scalar_values(const struct space *s, const struct game_arg *arg)
{
	int n = 0;

	switch ((enum arg_type)arg->type) {
	case ARG_CARD:
		return s->game->face_count;
	case ARG_INT:
		return arg->max + 1;
	case ARG_SEAT:
		return s->seats;
	case ARG_WORD:
		while (arg->words[n])
			n++;
		return n;
	default:
		return 0;
	}
}

static void space_args(struct space *s, struct action *a, int at)
{
	const struct game_arg *arg = &s->game->verbs[a->verb].args[at];

	if (at == 4 || arg->type == ARG_END) {
		a->count = (uint8_t)at;
		space_add(s, a);
		return;
	}
	if (arg->type == ARG_CARDS || arg->type == ARG_ORDER) {
		space_list(s, a, at, arg);
		return;
	}
	for (int value = 0; value < scalar_values(s, arg); value++) {
		a->arg[at] = (uint8_t)value;
		space_args(s, a, at + 1);
	}
	if (arg->type == ARG_TRUE) {
		a->arg[at] = 1;
		space_args(s, a, at + 1);
	}
	if (arg->optional || arg->type == ARG_TRUE) {
		a->arg[at] = ABSENT;
		space_args(s, a, at + 1);
	}
	a->arg[at] = 0;
}

static int compare(const void *a, const void *b)
{
	return action_compare(a, b);
}

int action_space(const struct game *game, int seats, int order_max, struct action **list)
{
	struct space s = {.game = game, .seats = seats, .order_max = order_max};

	for (int verb = 0; verb < game->verb_count; verb++) {
		struct action a = {.verb = (uint8_t)verb};

		space_args(&s, &a, 0);
	}
	qsort(s.list, (size_t)s.count, sizeof(*s.list), compare);
	*list = s.list;
	return s.count;
}
