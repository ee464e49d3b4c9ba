/* history.json: ratings before each epoch. */
#include "arbiter/ladder/store/store_pages.h"
#include "arbiter/web/site/documents.h"

#define EPOCHS_MAX 240

struct history {
	json_t *entrants; /* the document's list */
	int64_t entrant;  /* whose points are being added */
	json_t *points;
};

static void add_point(void *context, const struct store_point *point)
{
	struct history *history = context;

	if (!history->points || point->entrant != history->entrant) {
		history->entrant = point->entrant;
		history->points = json_array();
		json_array_append_new(history->entrants,
			json_pack("{s:I,s:o}", "entrant", (json_int_t)point->entrant,
				"points", history->points));
	}
	json_array_append_new(history->points,
		json_pack("[I,I,o,o,o,I]", (json_int_t)point->epoch,
			(json_int_t)point->planned_unix_s, document_real(point->elo),
			document_real(point->low), document_real(point->high),
			(json_int_t)point->sets));
}

enum document_status make_history(const struct document_request *request, json_t **json)
{
	struct history history = {.entrants = json_array()};

	if (!store_each_point(
		    request->ladder->ladder.store, EPOCHS_MAX, add_point, &history)) {
		json_decref(history.entrants);
		return document_unreadable(request->ladder);
	}
	*json = json_pack("{s:o}", "entrants", history.entrants);
	return DOCUMENT_MADE;
}
