/* Matches: lists of them, and one by itself. */
#include "arbiter/ladder/store/store_pages.h"
#include "arbiter/web/site/documents.h"

/* The document that is being made, and the request for it. */
struct matches {
	struct store *store;
	const char *owner;
	json_t *json; /* the list, or the match; NULL: there is none yet */
	bool ok;
};

static json_t *match_json(const struct store_match *match)
{
	return json_pack("{s:I,s:i,s:I,s:o,s:o,s:i}", "set", (json_int_t)match->set,
		"rotation", match->rotation, "start", (json_int_t)match->start_unix_s,
		"seconds", document_real(match->seconds), "reason",
		document_text(match->reason), "replay", (int)match->has_replay);
}

static void add_listed_seat(void *seats, const struct store_match_seat *seat)
{
	json_array_append_new(seats,
		json_pack("{s:I,s:i,s:i,s:i,s:o}", "entrant", (json_int_t)seat->entrant,
			"score", seat->score, "rank", seat->rank, "team", seat->team,
			"fault", document_text(seat->fault)));
}

static void add_listed_match(void *context, const struct store_match *match)
{
	struct matches *matches = context;
	json_t *json = match_json(match), *seats = json_array();

	matches->ok &= store_each_match_seat(
		matches->store, match->set, match->rotation, "", add_listed_seat, seats);
	json_object_set_new(json, "seats", seats);
	json_array_append_new(matches->json, json);
}

static enum document_status make_list(const struct document_request *request,
	struct store_match_list list, int64_t page, json_t **json)
{
	struct store *store = request->ladder->ladder.store;
	struct matches matches = {.store = store, .ok = true};
	int64_t total;

	if (!store_count_matches(store, list, &total))
		return document_unreadable(request->ladder);
	if (page && page * SITE_LIST_SIZE >= total)
		return DOCUMENT_MISSING;
	matches.json = json_array();
	if (!store_each_listed_match(store, list, page * SITE_LIST_SIZE, SITE_LIST_SIZE,
		    add_listed_match, &matches) ||
		!matches.ok) {
		json_decref(matches.json);
		return document_unreadable(request->ladder);
	}
	*json = json_pack("{s:I,s:I,s:i,s:o}", "total", (json_int_t)total, "page",
		(json_int_t)page, "size", SITE_LIST_SIZE, "matches", matches.json);
	return DOCUMENT_MADE;
}

enum document_status make_match_list(
	const struct document_request *request, json_t **json)
{
	return make_list(request,
		(struct store_match_list){.faulted = request->document->faulted},
		request->parts.number[0], json);
}

enum document_status make_bot_match_list(
	const struct document_request *request, json_t **json)
{
	int64_t entrant = request->parts.number[0];

	if (!entrant)
		return DOCUMENT_MISSING;
	return make_list(request,
		(struct store_match_list){entrant, request->document->faulted},
		request->parts.number[1], json);
}

static void add_seat(void *seats, const struct store_match_seat *seat)
{
	json_array_append_new(seats,
		json_pack("{s:I,s:o,s:o,s:i,s:i,s:i,s:I,s:I,s:I,s:I,s:o,s:o,s:o,s:o}",
			"entrant", (json_int_t)seat->entrant, "name",
			document_text(seat->name), "version",
			document_text(seat->version), "score", seat->score, "rank",
			seat->rank, "team", seat->team, "decisions",
			(json_int_t)seat->decisions, "dropped", (json_int_t)seat->dropped,
			"think_us", (json_int_t)seat->think_us, "think_us_max",
			(json_int_t)seat->think_us_max, "fault",
			document_text(seat->fault), "fault_phase",
			document_text(seat->fault_phase), "fault_why",
			document_text(seat->fault_why), "fault_stderr",
			document_text(seat->fault_stderr)));
}

static void take_match(void *context, const struct store_match *match)
{
	struct matches *matches = context;
	json_t *seats = json_array();

	matches->json = match_json(match);
	json_object_update_new(matches->json,
		json_pack("{s:I,s:i,s:o,s:I,s:i,s:I,s:o}", "match",
			(json_int_t)match->number, "file", (int)match->file, "chain",
			document_text(match->chain), "epoch", (json_int_t)match->epoch,
			"rotations", match->rotations, "completed",
			(json_int_t)match->completed_unix_s, "seats", seats));
	matches->ok &= store_each_match_seat(matches->store, match->set, match->rotation,
		matches->owner, add_seat, seats);
}

enum document_status make_match(const struct document_request *request, json_t **json)
{
	const int64_t *number = request->parts.number;
	struct matches matches = {.store = request->ladder->ladder.store,
		.owner = request->owner,
		.ok = true};

	if (number[1] >= GAME_SEATS_MAX)
		return DOCUMENT_MISSING;
	if (!store_find_match(matches.store, number[0], (int)number[1], request->owner,
		    take_match, &matches) ||
		!matches.ok) {
		json_decref(matches.json);
		return document_unreadable(request->ladder);
	}
	*json = matches.json;
	return *json ? DOCUMENT_MADE : DOCUMENT_MISSING;
}
