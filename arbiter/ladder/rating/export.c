/* A ladder's facts as JSON and CSV. */
#include "arbiter/ladder/rating/export.h"
#include "arbiter/ladder/rating/standings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_match(void *context, int64_t set, const struct match_record *record)
{
	json_t *object = json_object(), *seats;

	match_record_write(record, object);
	seats = json_object_get(object, "seats");
	json_object_set_new(object, "set", json_integer(set));
	json_object_set_new(object, "rotation", json_integer(record->rotation));
	for (int i = 0; i < record->seats; i++)
		json_object_set_new(json_array_get(seats, (size_t)i), "entrant",
			json_integer(record->seat[i].entrant));
	json_array_append_new(context, object);
}

json_t *export_results(struct ladder *ladder)
{
	json_t *list = json_array();

	if (store_each_match(ladder->store, add_match, list))
		return list;
	json_decref(list);
	return NULL;
}

struct csv {
	FILE *out;
	const struct store_entrant *entrants;
	int count;
};

static void print_match(void *context, int64_t set, const struct match_record *record)
{
	const struct csv *csv = context;

	for (int i = 0; i < record->seats; i++) {
		const struct seat_record *seat = &record->seat[i];
		const struct store_entrant *e =
			seat->entrant >= 1 && seat->entrant <= csv->count
				? &csv->entrants[seat->entrant - 1]
				: NULL;

		/* Names, hashes, classes and paths hold no comma and no quote. */
		fprintf(csv->out,
			"%lld,%d,%lld,%d,%lld,%s,%.16s,%d,%d,%d,%u,%lld,%s,%s\n",
			(long long)set, record->rotation, (long long)record->match_id, i,
			(long long)seat->entrant, e ? e->name : "", e ? e->hash : "",
			seat->score, seat->rank, seat->team, seat->decisions,
			(long long)seat->think_us,
			seat->fault ? fault_names[seat->fault] : "", record->replay);
	}
}

bool export_results_csv(struct ladder *ladder, FILE *out)
{
	struct store_entrant *entrants;
	int count;
	bool ok = store_entrants(ladder->store, &entrants, &count);
	struct csv csv = {out, entrants, count};

	fputs("set,rotation,match,seat,entrant,name,hash,score,rank,team,decisions,"
	      "think_us,fault,replay\n",
		out);
	ok = ok && store_each_match(ladder->store, print_match, &csv);
	free(entrants);
	return ok;
}

static json_t *number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *export_history(const struct store_rating *list, int count)
{
	json_t *array = json_array();

	for (int i = 0; i < count; i++)
		json_array_append_new(array,
			json_pack("{s:I,s:I,s:o,s:o,s:o,s:i}", "epoch",
				(json_int_t)list[i].epoch, "entrant",
				(json_int_t)list[i].entrant, "elo",
				number_or_null(list[i].elo), "low",
				number_or_null(list[i].low), "high",
				number_or_null(list[i].high), "sets", list[i].sets));
	return array;
}

static bool add_sets(struct ladder *ladder, enum set_state state, json_t *array)
{
	struct store_set *sets;
	int count;
	bool ok = store_sets(ladder->store, state, 0, &sets, &count);

	for (int i = 0; ok && i < count; i++) {
		json_t *table = json_array();

		for (int place = 0; place < sets[i].seats; place++)
			json_array_append_new(
				table, json_integer(sets[i].entrant[place]));
		json_array_append_new(array,
			json_pack("{s:I,s:I,s:i,s:s,s:o}", "id", (json_int_t)sets[i].id,
				"epoch", (json_int_t)sets[i].epoch, "rotations",
				sets[i].rotations, "state", set_state_names[state],
				"table", table));
	}
	free(sets);
	return ok;
}

static bool add_history(struct ladder *ladder, json_t *root)
{
	struct store_rating *list;
	int count;
	bool ok = store_history(ladder->store, &list, &count);

	json_object_set_new(root, "history", export_history(list, ok ? count : 0));
	free(list);
	return ok;
}

static json_t *export_moment(struct ladder *ladder, struct why *why)
{
	struct standings standings;
	json_t *root = json_object(), *sets = json_array(), *results, *settings;
	char path[LADDER_PATH_MAX];
	bool ok;

	ladder_file(ladder, "ladder.json", path);
	settings = json_load_file(path, 0, NULL);
	json_object_set_new(root, "ladder", settings ? settings : json_null());
	json_object_set_new(root, "sets", sets);
	if (!standings_load(&standings, ladder, why)) {
		json_decref(root);
		return NULL;
	}
	json_object_set_new(root, "standings", standings_json(&standings));
	json_object_set_new(root, "matrix", standings_matrix_json(&standings));
	standings_release(&standings);
	results = export_results(ladder);
	ok = results && add_history(ladder, root) &&
	     add_sets(ladder, SET_COMPLETE, sets) &&
	     add_sets(ladder, SET_PLANNED, sets) && add_sets(ladder, SET_DROPPED, sets);
	json_object_set_new(root, "results", results ? results : json_null());
	if (ok)
		return root;
	why_set(why, "%s", store_why(ladder->store));
	json_decref(root);
	return NULL;
}

json_t *export_ladder(struct ladder *ladder, struct why *why)
{
	json_t *whole;

	if (!store_snapshot(ladder->store)) {
		why_set(why, "%s", store_why(ladder->store));
		return NULL;
	}
	whole = export_moment(ladder, why);
	store_snapshot_end(ladder->store);
	return whole;
}
