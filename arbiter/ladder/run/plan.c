/* Planning: who is benched, and the sets of the next epoch. */
#include "arbiter/ladder/run/plan.h"
#include "arbiter/ladder/rating/schedule.h"
#include "protocol/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sodium.h>

/* An epoch grows with the ladder, so that planning stays a small part of the work. */
#define EPOCH_SHARE                4
#define SETS_PER_ENTRANT_EPOCH_MAX 64

int table_rotations(const int64_t *entrant, int seats)
{
	for (int shift = 1; shift < seats; shift++) {
		bool same = seats % shift == 0;

		for (int i = 0; same && i < seats; i++)
			same = entrant[i] == entrant[(i + shift) % seats];
		if (same)
			return shift;
	}
	return seats;
}

bool plan_bench(struct ladder *ladder, struct standings *standings, FILE *out)
{
	const struct ladder_settings *config = &ladder->config;
	char reason[160];

	for (int i = 0; i < standings->count; i++) {
		struct standing *s = &standings->list[i];

		if (s->entrant.state != ENTRANT_ACTIVE ||
			s->judged_matches < config->bench_matches_min ||
			s->judged_faults <= config->bench_share * s->judged_matches)
			continue;
		snprintf(reason, sizeof(reason), "faulted in %d of %d matches",
			s->judged_faults, s->judged_matches);
		if (!store_set_entrant_state(
			    ladder->store, s->entrant.id, ENTRANT_BENCHED, reason))
			return false;
		s->entrant.state = ENTRANT_BENCHED;
		if (out)
			fprintf(out, "%s is benched: %s\n", s->entrant.name, reason);
	}
	return true;
}

static int author_number(const struct standings *standings, int index)
{
	const char *author = standings->list[index].entrant.author;

	/* Bots without an author do not share one. */
	for (int i = 0; *author && i < index; i++)
		if (!strcmp(standings->list[i].entrant.author, author))
			return i;
	return index;
}

static int challenger_of(
	const struct standings *standings, const struct ladder_settings *config)
{
	int best = -1;

	for (int i = 0; i < standings->count; i++)
		if (standings->list[i].entrant.state == ENTRANT_ACTIVE &&
			(best < 0 || !strcmp(standings->list[i].entrant.name,
					     config->challenger)))
			best = i;
	return best < 0 ? 0 : best;
}

static int sets_per_entrant(
	const struct standings *standings, const struct ladder_settings *config)
{
	int active = 0, sets = 0, each;

	for (int i = 0; i < standings->count; i++)
		if (standings->list[i].entrant.state == ENTRANT_ACTIVE) {
			active++;
			sets += standings->list[i].rating.sets;
		}
	each = active ? sets / active / EPOCH_SHARE : 0;
	if (each > SETS_PER_ENTRANT_EPOCH_MAX)
		each = SETS_PER_ENTRANT_EPOCH_MAX;
	return each > config->sets_per_entrant ? each : config->sets_per_entrant;
}

/* A table of sides becomes one of seats. */
static void seat_sides(const struct schedule_table *table,
	const struct match_rules *rules, const int8_t *side, struct store_set *set)
{
	set->seats = rules->seats;
	for (int seat = 0; seat < rules->seats; seat++)
		set->entrant[seat] = table->entrant[(int)side[seat]] + 1;
	set->rotations = table_rotations(set->entrant, set->seats);
}

static struct store_rating *ratings_now(const struct standings *standings)
{
	struct store_rating *list = xcalloc((size_t)standings->count + 1, sizeof(*list));

	for (int i = 0; i < standings->count; i++) {
		const struct rating *r = &standings->list[i].rating;

		list[i] = (struct store_rating){.entrant = standings->list[i].entrant.id,
			.elo = r->elo,
			.low = r->low,
			.high = r->high,
			.sets = r->sets};
	}
	return list;
}

static void fill_entrants(
	const struct standings *standings, struct schedule_entrant *entrant)
{
	for (int i = 0; i < standings->count; i++) {
		const struct standing *s = &standings->list[i];

		entrant[i] = (struct schedule_entrant){
			.elo = s->rating.elo,
			.uncertainty = standing_uncertainty(s),
			.sets = s->rating.sets,
			.author = author_number(standings, i),
			.active = s->entrant.state == ENTRANT_ACTIVE,
			.once = *s->entrant.remote,
		};
	}
}

static bool store_plan(struct ladder *ladder, const struct standings *standings,
	const struct schedule_input *in, const struct schedule_table *tables, int count,
	const int8_t *side)
{
	struct store_set *sets = xcalloc((size_t)count, sizeof(*sets));
	struct store_rating *ratings = ratings_now(standings);
	bool ok;

	for (int i = 0; i < count; i++)
		seat_sides(&tables[i], &ladder->config.rules, side, &sets[i]);
	ok = store_add_epoch(
		ladder->store, in->epoch, sets, count, ratings, standings->count);
	free(sets);
	free(ratings);
	return ok;
}

bool plan_epoch(struct ladder *ladder, const struct standings *standings, int *planned)
{
	const struct ladder_settings *config = &ladder->config;
	struct schedule_entrant *entrant =
		xcalloc((size_t)standings->count + 1, sizeof(*entrant));
	int8_t side[GAME_SEATS_MAX];
	int64_t epoch = 0;
	struct schedule_input in = {
		.mode = config->schedule,
		.entrants = standings->count,
		.entrant = entrant,
		.met = standings->met,
		.left = standings->left,
		.one_per_author = config->one_per_author,
		.sets_per_entrant = sets_per_entrant(standings, config),
		.challenger = challenger_of(standings, config),
	};
	struct schedule_table *tables;
	bool ok = store_next_epoch(ladder->store, &epoch);

	in.epoch = (uint32_t)epoch;
	crypto_generichash((uint8_t *)&in.seed, sizeof(in.seed),
		(const uint8_t *)config->seed, strlen(config->seed), NULL, 0);
	in.sides = match_rules_sides(&config->rules, side);
	if (config->teams == TEAMS_MIXED || !in.sides) {
		in.sides = config->rules.seats;
		for (int seat = 0; seat < config->rules.seats; seat++)
			side[seat] = (int8_t)seat;
	}
	fill_entrants(standings, entrant);
	tables = xcalloc((size_t)schedule_epoch_size(&in) + 1, sizeof(*tables));
	*planned = schedule_epoch_size(&in) ? schedule_epoch(&in, tables) : 0;
	if (ok && *planned)
		ok = store_plan(ladder, standings, &in, tables, *planned, side);
	free(tables);
	free(entrant);
	return ok;
}
