/* bots/ID.json: one entrant. */
#include "arbiter/ladder/store/store_pages.h"
#include "arbiter/web/site/documents.h"

#include <stdlib.h>
#include <string.h>

#define FAULTS_MAX 50
#define BANDS      40

static json_t *entrant_json(const struct store_entrant *entrant, const char *owner)
{
	return json_pack("{s:I,s:o,s:o,s:o,s:o,s:o,s:I,s:s,s:o,s:i}", "id",
		(json_int_t)entrant->id, "name", document_text(entrant->name), "hash",
		document_text(entrant->hash), "version", document_text(entrant->version),
		"author", document_text(entrant->author), "language",
		document_text(entrant->language), "added",
		(json_int_t)entrant->added_unix_s, "state",
		entrant_state_names[entrant->state], "reason",
		document_text(entrant->reason), "mine",
		*entrant->owner && !strcmp(entrant->owner, owner));
}

static json_t *version_json(const struct store_entrant *entrant, int64_t sets)
{
	return json_pack("{s:I,s:o,s:o,s:I,s:s,s:o,s:I}", "id", (json_int_t)entrant->id,
		"hash", document_text(entrant->hash), "version",
		document_text(entrant->version), "added",
		(json_int_t)entrant->added_unix_s, "state",
		entrant_state_names[entrant->state], "reason",
		document_text(entrant->reason), "sets", (json_int_t)sets);
}

/* All entrants of that name, the newest first. */
static bool add_versions(struct store *store, const struct store_entrant *list, int count,
	const char *name, json_t *versions)
{
	for (int i = count - 1; i >= 0; i--) {
		int64_t sets;

		if (strcmp(list[i].name, name))
			continue;
		if (!store_count_entrant_sets(store, list[i].id, &sets))
			return false;
		json_array_append_new(versions, version_json(&list[i], sets));
	}
	return true;
}

static void add_opponent(void *opponents, const struct store_opponent *opponent)
{
	json_array_append_new(opponents,
		json_pack("{s:I,s:I,s:I,s:I,s:I}", "entrant",
			(json_int_t)opponent->entrant, "met", (json_int_t)opponent->met,
			"won", (json_int_t)opponent->won, "tied",
			(json_int_t)opponent->tied, "lost", (json_int_t)opponent->lost));
}

static void add_seat(void *seats, const struct store_seat_results *results)
{
	json_array_append_new(seats,
		json_pack("{s:i,s:I,s:I,s:o,s:o,s:I}", "seat", results->seat, "matches",
			(json_int_t)results->matches, "first", (json_int_t)results->first,
			"rank", document_real(results->rank), "score",
			document_real(results->score), "faults",
			(json_int_t)results->faults));
}

static void add_fault(void *faults, const struct store_fault *fault)
{
	json_array_append_new(faults,
		json_pack("{s:I,s:i,s:i,s:I,s:o,s:o,s:o,s:o}", "set",
			(json_int_t)fault->set, "rotation", fault->rotation, "seat",
			fault->seat, "start", (json_int_t)fault->start_unix_s, "class",
			document_text(fault->class), "phase", document_text(fault->phase),
			"why", document_text(fault->why), "stderr",
			document_text(fault->standard_error)));
}

/* Band b counts the matches whose mean time for a decision was 2^b to 2^(b+1) µs. */
struct thinking {
	int64_t band[BANDS];
	int64_t decisions, total_us, longest_us;
};

static void add_thinking(void *context, const struct store_thinking *match)
{
	struct thinking *thinking = context;
	int64_t mean_us = match->total_us / match->decisions;
	int band = 0;

	for (; mean_us > 1 && band < BANDS - 1; mean_us /= 2)
		band++;
	thinking->band[band]++;
	thinking->decisions += match->decisions;
	thinking->total_us += match->total_us;
	if (match->longest_us > thinking->longest_us)
		thinking->longest_us = match->longest_us;
}

static json_t *thinking_json(const struct thinking *thinking)
{
	json_t *bands = json_array();

	for (int b = 0; b < BANDS; b++)
		if (thinking->band[b])
			json_array_append_new(bands,
				json_pack("{s:I,s:I}", "from_us", (json_int_t)1 << b,
					"matches", (json_int_t)thinking->band[b]));
	return json_pack("{s:I,s:I,s:I,s:o}", "decisions",
		(json_int_t)thinking->decisions, "total_us",
		(json_int_t)thinking->total_us, "longest_us",
		(json_int_t)thinking->longest_us, "bands", bands);
}

/* A new list under this key. */
static json_t *add_list(json_t *json, const char *key)
{
	json_t *list = json_array();

	json_object_set_new(json, key, list);
	return list;
}

static bool add_results(
	struct store *store, int64_t entrant, const char *owner, json_t *json)
{
	struct thinking thinking = {0};
	bool ok = store_each_opponent(
			  store, entrant, add_opponent, add_list(json, "opponents")) &&
		  store_each_seat_results(
			  store, entrant, add_seat, add_list(json, "seats")) &&
		  store_each_thinking(store, entrant, add_thinking, &thinking) &&
		  store_each_fault(store, entrant, owner, FAULTS_MAX, add_fault,
			  add_list(json, "faults"));

	json_object_set_new(json, "thinking", thinking_json(&thinking));
	return ok;
}

static const struct store_entrant *find_entrant(
	const struct store_entrant *list, int count, int64_t id)
{
	for (int i = 0; i < count; i++)
		if (list[i].id == id)
			return &list[i];
	return NULL;
}

enum document_status make_bot(const struct document_request *request, json_t **json)
{
	struct store *store = request->ladder->ladder.store;
	struct store_entrant *list = NULL;
	const struct store_entrant *entrant;
	enum document_status status = DOCUMENT_MISSING;
	int count;

	if (!store_entrants(store, &list, &count))
		return document_unreadable(request->ladder);
	entrant = find_entrant(list, count, request->parts.number[0]);
	if (entrant) {
		status = DOCUMENT_MADE;
		*json = entrant_json(entrant, request->owner);
		if (!add_versions(store, list, count, entrant->name,
			    add_list(*json, "versions")) ||
			!add_results(store, entrant->id, request->owner, *json)) {
			json_decref(*json);
			status = document_unreadable(request->ladder);
		}
	}
	free(list);
	return status;
}
