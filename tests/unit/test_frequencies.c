/*
 * Each arrangement of the hidden cards comes out of the sampler as often as it must.
 *
 * The frequencies are compared with a full enumeration late in a round, where few cards
 * are hidden: every way of laying the hidden cards into the hidden places is built here
 * by brute force and kept if invariants() and game_observe() find nothing wrong with
 * it; its weight is the number of ways to do so with cards that can be told apart.
 * In Tennessee Pig too many cards are hidden for that: test_frequencies_tennessee.c.
 */
#include "tests/unit/each_game.h"
#include "tests/unit/playout.h"
#include "games/fields.h"
#include "games/dirty_pig/dirty_pig.h"
#include "games/pig_pile/pig_pile.h"

#include <math.h>
#include <stdlib.h>

enum {
	MOMENTS = 40,     /* enumerated views of each game */
	HIDDEN_MAX = 14,  /* cards hidden in such a view */
	WORLDS_MAX = 600, /* arrangements of such a view */
	ZONES_MAX = 48,
	SLOTS_MAX = GAME_ORDER_MAX
};

/* The fields that hold hidden cards; of `fixed`, a part of the same shape, everybody
 * knows that it is there. */
static const struct {
	const char *game, *field, *fixed;
} hidden_fields[] = {
	{"pig_pile", "hand", "known"},
	{"pig_pile", "stock", NULL},
	{"pig_pile", "slop", NULL},
	{"pig_it_hog_it", "hand", NULL},
	{"galloping_pigs", "hand", NULL},
	{"galloping_pigs", "aside", NULL},
	{"dirty_pig", "hand", NULL},
	{"dirty_pig", "stack", NULL},
};

struct zone {
	const struct game_field *field, *fixed;
	int outer;
	bool ordered; /* FIELD_CARD: places; otherwise a heap */
	int from, n;  /* its slots */
};

struct world {
	uint64_t key;
	double weight;
	int seen;
};

/* One view whose hidden cards are enumerated. */
struct moment {
	const struct game *game;
	int seat;
	struct table view, base; /* base: any world of the view */
	struct zone zone[ZONES_MAX];
	int zones;
	uint8_t left[64];        /* hidden cards not yet laid */
	uint8_t slot[SLOTS_MAX]; /* face in each hidden place */
	int slots;
	struct world world[WORLDS_MAX];
	int worlds, tried;
	bool too_many;
};

static const struct game_field *field_named(const struct game *game, const char *name)
{
	for (int i = 0; name && i < game->field_count; i++)
		if (!strcmp(game->fields[i].name, name))
			return &game->fields[i];
	return NULL;
}

static int zone_of_field(const struct game *game, const struct game_field *field)
{
	for (size_t i = 0; i < sizeof(hidden_fields) / sizeof(hidden_fields[0]); i++)
		if (!strcmp(hidden_fields[i].game, game->id) &&
			!strcmp(hidden_fields[i].field, field->name))
			return (int)i;
	return -1;
}

static int heap_count(const struct game_field *field, const void *at, int face)
{
	if (field->type == FIELD_COUNTS)
		return ((const uint8_t *)at)[face];
	return (int)(field_get_int(at, field->size, false) >> face & 1);
}

/* A seat's entry, or the whole field where there is one for all. */
static size_t zone_size(const struct game_field *field)
{
	size_t n = field_entry_size(field);

	return field->dim[0].kind == LENGTH_SEATS ? n
						  : n * (size_t)field_outer_max(field);
}

static bool moment_slot(struct moment *m, uint8_t face)
{
	if (m->slots == HIDDEN_MAX)
		return false;
	m->slot[m->slots++] = face;
	m->left[face]++;
	return true;
}

/* The hidden cards of one entry of a field become slots. */
static bool moment_zone(
	struct moment *m, const struct game_field *field, int outer, int row)
{
	struct zone *z = &m->zone[m->zones++];

	z->field = field;
	z->fixed = field_named(m->game, hidden_fields[row].fixed);
	z->outer = outer;
	z->ordered = field->type == FIELD_CARD;
	z->from = m->slots;
	for (size_t i = 0; z->ordered && i < zone_size(field); i++) {
		uint8_t face = ((uint8_t *)field_entry(field, m->base.bytes, outer))[i];

		if (face != NO_CARD && !moment_slot(m, face))
			return false;
	}
	for (int face = 0; !z->ordered && face < m->game->face_count; face++) {
		int n = heap_count(field, field_entry(field, m->base.bytes, outer), face);

		if (z->fixed)
			n -= heap_count(z->fixed,
				field_entry(z->fixed, m->base.bytes, outer), face);
		while (n-- > 0)
			if (!moment_slot(m, (uint8_t)face))
				return false;
	}
	z->n = m->slots - z->from;
	return true;
}

static bool entry_blank(const struct game_field *field, void *state, int outer)
{
	const uint8_t *at = field_entry(field, state, outer);
	uint8_t blank = field->type == FIELD_CARD || field->type == FIELD_SEAT ? 0xff : 0;

	for (size_t i = 0; i < zone_size(field); i++)
		if (at[i] != blank)
			return false;
	return true;
}

/* Finds the hidden places. False if there are too many cards, or something else than
 * the zones is hidden. */
static bool moment_init(struct moment *m, const struct game *game, const void *state,
	int seat, struct dice *dice)
{
	struct game_random random = {dice_next, dice};

	memset(m, 0, sizeof(*m));
	m->game = game;
	m->seat = seat;
	game_observe(game, state, seat, m->view.bytes);
	game->sample(m->view.bytes, &random, m->base.bytes);
	for (int i = 0; i < game->field_count; i++) {
		const struct game_field *field = &game->fields[i];
		int row = zone_of_field(game, field);

		for (int o = 0; o < field_outer_max(field); o++) {
			if (field->dim[0].kind != LENGTH_SEATS && o > 0)
				break;
			if (field_seen_by(field, m->base.bytes, seat, o))
				continue;
			if (row < 0 && !entry_blank(field, m->base.bytes, o))
				return false;
			if (row >= 0 && !moment_zone(m, field, o, row))
				return false;
		}
	}
	return m->slots >= 2;
}

static uint64_t zones_key(const struct moment *m, const struct table *state)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (int i = 0; i < m->zones; i++) {
		const struct zone *z = &m->zone[i];
		const uint8_t *at =
			field_entry(z->field, (void *)(uintptr_t)state->bytes, z->outer);

		for (size_t k = 0; k < zone_size(z->field); k++)
			hash = (hash ^ at[k]) * 0x100000001b3u;
	}
	return hash;
}

static void lay_heap(const struct moment *m, const struct zone *z, uint8_t *at)
{
	if (z->field->type == FIELD_COUNTS) {
		memset(at, 0, z->field->size);
		if (z->fixed)
			memcpy(at,
				field_entry(z->fixed, (void *)(uintptr_t)m->base.bytes,
					z->outer),
				z->field->size);
		for (int i = 0; i < z->n; i++)
			at[m->slot[z->from + i]]++;
	} else {
		int64_t set = 0;

		for (int i = 0; i < z->n; i++)
			set |= 1ll << m->slot[z->from + i];
		field_set_int(at, z->field->size, set);
	}
}

static void lay_cards(const struct moment *m, struct table *state)
{
	*state = m->base;
	for (int i = 0; i < m->zones; i++) {
		const struct zone *z = &m->zone[i];
		uint8_t *at = field_entry(z->field, state->bytes, z->outer);

		if (!z->ordered) {
			lay_heap(m, z, at);
			continue;
		}
		for (int k = 0; k < z->n; at++)
			if (*at != NO_CARD)
				*at = m->slot[z->from + k++];
	}
}

/* In how many ways can the cards of a hand lie in its places? PP-4.5: a place has a
 * limit; with wash_any an 8 is as high as W. */
static double pig_pile_ways(const struct moment *m, const struct zone *z)
{
	const struct pig_pile_state *state = (const void *)m->base.bytes;
	bool wash_any = state->head.option[PIG_PILE_OPTION_WASH_ANY];
	double ways = 1;
	int place = 0;

	for (int limit = 0; limit < PIG_PILE_FACES; limit++)
		for (int k = 0; k < state->limit[z->outer][limit]; k++, place++) {
			int allowed = 0;

			for (int i = 0; i < z->n; i++) {
				int face = m->slot[z->from + i];

				if (face == PIG_PILE_EIGHT && wash_any)
					face = PIG_PILE_WILD;
				allowed += face <= limit;
			}
			ways *= allowed > place ? allowed - place : 0;
		}
	return place == z->n ? ways : 0;
}

static double factorial(int n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

/* In how many ways can the cards that the viewer knows to be in the other hands be
 * some of those that are there? */
static double dirty_pig_ways(const struct moment *m)
{
	const struct dirty_pig *state = (const void *)m->base.bytes;
	int count[DIRTY_PIG_FACES] = {0};
	double ways = 1;

	for (int i = 0; i < m->zones; i++)
		for (int k = 0; !m->zone[i].ordered && k < m->zone[i].n; k++)
			count[m->slot[m->zone[i].from + k]]++;
	for (int face = 0; face < DIRTY_PIG_FACES; face++)
		for (int k = 0; k < state->held[m->seat][face]; k++)
			ways *= count[face] > k ? count[face] - k : 0;
	return ways;
}

/* Ways to lay cards that can be told apart so that the zones look like this, up to a
 * factor that is the same for all. */
static double weight(const struct moment *m)
{
	double ways = m->game == &dirty_pig_game ? dirty_pig_ways(m) : 1;

	for (int i = 0; i < m->zones; i++) {
		const struct zone *z = &m->zone[i];
		int count[64] = {0};

		if (z->ordered)
			continue;
		ways *= z->fixed ? pig_pile_ways(m, z) : factorial(z->n);
		for (int k = 0; k < z->n; k++)
			count[m->slot[z->from + k]]++;
		for (int face = 0; face < 64; face++)
			ways /= factorial(count[face]);
	}
	return ways;
}

static void moment_leaf(struct moment *m)
{
	struct table state, view;
	double w = weight(m);

	if (w <= 0)
		return;
	lay_cards(m, &state);
	if (m->game->invariants(state.bytes))
		return;
	game_observe(m->game, state.bytes, m->seat, view.bytes);
	if (memcmp(&view, &m->view, m->game->state_size))
		return;
	m->world[m->worlds++] = (struct world){zones_key(m, &state), w, 0};
	m->too_many |= m->worlds == WORLDS_MAX;
}

/* Lays all remaining cards into the slots from `slot` of zone `zone` on. */
static void moment_fill(struct moment *m, int zone, int slot)
{
	const struct zone *z = &m->zone[zone];
	int least = 0;

	if (m->too_many || (m->too_many = ++m->tried > 40 * WORLDS_MAX))
		return;
	if (zone == m->zones) {
		moment_leaf(m);
		return;
	}
	if (slot == z->n) {
		moment_fill(m, zone + 1, 0);
		return;
	}
	if (!z->ordered && slot > 0)
		least = m->slot[z->from + slot - 1];
	for (int face = least; face < m->game->face_count; face++) {
		if (!m->left[face])
			continue;
		m->left[face]--;
		m->slot[z->from + slot] = (uint8_t)face;
		moment_fill(m, zone, slot + 1);
		m->left[face]++;
	}
}

static int compare_worlds(const void *a, const void *b)
{
	const struct world *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Cells that expect fewer than five are counted as one. */
static double chi_square(const struct moment *m, int samples, int *cells)
{
	double total = 0, chi = 0, rare = 0;
	int rare_seen = 0;

	*cells = 0;
	for (int i = 0; i < m->worlds; i++)
		total += m->world[i].weight;
	for (int i = 0; i < m->worlds; i++) {
		double expected = samples * m->world[i].weight / total;

		if (expected < 5) {
			rare += expected;
			rare_seen += m->world[i].seen;
			continue;
		}
		chi += (m->world[i].seen - expected) * (m->world[i].seen - expected) /
		       expected;
		++*cells;
	}
	if (rare >= 5) {
		chi += (rare_seen - rare) * (rare_seen - rare) / rare;
		++*cells;
	}
	return chi;
}

/* A true sampler exceeds the limit about once in a million moments. */
static void check_frequencies(struct moment *m, struct dice *dice, const char *name)
{
	struct game_random random = {dice_next, dice};
	int samples = 2000 + 40 * m->worlds * each_game_scale(), cells;
	double chi, limit;

	qsort(m->world, (size_t)m->worlds, sizeof(m->world[0]), compare_worlds);
	for (int i = 0; i < samples; i++) {
		struct table state;
		struct world key, *found;

		m->game->sample(m->view.bytes, &random, state.bytes);
		key.key = zones_key(m, &state);
		found = bsearch(
			&key, m->world, (size_t)m->worlds, sizeof(key), compare_worlds);
		cr_assert(found,
			"%s: a sampled world is not among the %d that are possible", name,
			m->worlds);
		found->seen++;
	}
	chi = chi_square(m, samples, &cells);
	limit = cells - 1 + 7 * sqrt(2.0 * (cells - 1)) + 12;
	cr_assert_leq(chi, limit,
		"%s, seat %d: chi-square %.1f of %d worlds, at most %.1f", name, m->seat,
		chi, m->worlds, limit);
}

static void run_frequencies(const struct game *game)
{
	static struct moment m;
	static struct events events;
	struct dice dice = dice_named(game->id, 99);
	int moments = 0, match = 0, worlds = 0;
	char name[256];

	if (!strcmp(game->id, "tennessee_pig"))
		return;
	for (const struct variant *v = variants; moments < MOMENTS && match < 2000; v++) {
		struct playout p;
		int here = 0;

		if (!v->game)
			v = variants, match++;
		if (strcmp(v->game, game->id) || v->seats > 4)
			continue;
		variant_name(v, name, sizeof(name));
		cr_assert(playout_init(&p, game, v, 500 + (unsigned)match));
		while (here < 4 && p.count < 3000 && playout_step(&p, &events)) {
			unsigned acting = game_head(p.state.bytes)->acting;
			int seat = (int)dice_below(&dice, (uint32_t)v->seats);

			events.count = 0;
			if (game_head(p.state.bytes)->need != NEED_ANSWERS ||
				(acting & (acting - 1)) || dice_below(&dice, 3) ||
				!moment_init(&m, game, p.state.bytes, seat, &dice))
				continue;
			moment_fill(&m, 0, 0);
			if (m.too_many || m.worlds < 2)
				continue;
			check_frequencies(&m, &dice, name);
			worlds += m.worlds;
			moments++;
			here++;
		}
		playout_release(&p);
	}
	fprintf(stderr, "note: %s: %d views with %d worlds in all enumerated\n", game->id,
		moments, worlds);
	cr_assert_geq(moments, MOMENTS);
}

EACH_GAME(frequencies, run_frequencies)

/* A hand of `n` random cards; each lies in a place with a limit that allows it. */
static void lay_limited_hand(struct pig_pile_state *s, int seat, int n, struct dice *dice)
{
	while (n-- > 0) {
		int face = (int)dice_below(dice, PIG_PILE_FACES);
		bool high = face == PIG_PILE_EIGHT &&
			    s->head.option[PIG_PILE_OPTION_WASH_ANY];
		int least = high ? PIG_PILE_WILD : face;

		s->hand[seat][face]++;
		s->limit[seat][least + (int)dice_below(dice,
					       (uint32_t)(PIG_PILE_FACES - least))]++;
	}
}

/* Limits seldom bind late in a random round, so these tables are made by hand. */
Test(frequencies, pig_pile_limits)
{
	const struct game *game = each_game("pig_pile");
	struct dice dice = dice_named("limits", 1);
	static struct moment m;
	int16_t option[GAME_OPTIONS_MAX];

	for (int i = 0; game && i < MOMENTS; i++) {
		struct table table;
		struct pig_pile_state *s = (void *)table.bytes;

		game_defaults(game, option);
		option[PIG_PILE_OPTION_WASH_ANY] = i % 2;
		game_blank(game, 3, option, s);
		s->head.phase = PIG_PILE_TURN;
		s->head.acting = 1;
		s->hand[0][PIG_PILE_FOUR] = 1;
		lay_limited_hand(s, 1, 3, &dice);
		lay_limited_hand(s, 2, 2 + i % 3, &dice);
		game->complete(s);
		cr_assert_null(game->invariants(s));
		cr_assert(moment_init(&m, game, s, 0, &dice));
		moment_fill(&m, 0, 0);
		cr_assert(!m.too_many && m.worlds > 0);
		check_frequencies(&m, &dice, "pig_pile with limits");
	}
}

static uint8_t random_face(struct dice *dice)
{
	return (uint8_t)dice_below(dice, DIRTY_PIG_FACES);
}

/* Nothing is known to be held late in most random matches, so these tables are made by
 * hand: what is held is now and then all, mostly a part of the other hands. */
Test(frequencies, dirty_pig_held)
{
	const struct game *game = each_game("dirty_pig");
	struct dice dice = dice_named("held", 1);
	static struct moment m;
	int16_t option[GAME_OPTIONS_MAX];
	int checked = 0;

	for (int i = 0; game && checked < MOMENTS; i++) {
		struct table table;
		struct dirty_pig *s = (void *)table.bytes;

		game_defaults(game, option);
		game_blank(game, 2 + i % 2, option, s);
		s->head.phase = DIRTY_PIG_TURN;
		s->head.acting = 1;
		s->hand[0][DIRTY_PIG_MUD] = 3;
		for (int k = 0; k < 3 * (1 + i % 2); k++) {
			uint8_t face = random_face(&dice);

			s->hand[1 + k / 3][face]++;
			s->held[0][face] += dice_below(&dice, 3) > 0;
		}
		for (int k = 0; k < 2 + i % 3; k++)
			s->stack[k] = random_face(&dice);
		game->complete(s);
		if (game->invariants(s))
			continue; /* more of a card than there are */
		cr_assert(moment_init(&m, game, s, 0, &dice));
		moment_fill(&m, 0, 0);
		if (m.too_many)
			continue;
		checked++;
		check_frequencies(&m, &dice, "dirty_pig with held cards");
	}
}
