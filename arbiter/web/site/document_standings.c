/* Standings and matrix of a ladder. */
#include "arbiter/base/json_text.h"
#include "arbiter/ladder/rating/standings.h"
#include "arbiter/ladder/store/store_pages.h"
#include "arbiter/web/site/documents.h"
#include "protocol/memory.h"

#include <stdio.h>
#include <stdlib.h>

#define REAL_FORMAT (JSON_COMPACT | JSON_REAL_PRECISION(7))

static void drop(struct site_standings *standings)
{
	free(standings->table);
	free(standings->matrix);
	*standings = (struct site_standings){0};
}

void standings_documents_release(struct site_ladder *ladder)
{
	if (ladder->maker_exists)
		pthread_join(ladder->maker, NULL);
	drop(&ladder->standings);
}

/* Takes the reference. */
static char *take_text(json_t *json)
{
	char *text = json_to_text(json, REAL_FORMAT);

	json_decref(json);
	return text;
}

/* False: the reason was printed on stderr. */
static bool make(struct ladder *ladder, struct site_standings *made)
{
	mono_ns start = time_now(&time_system);
	struct standings standings;
	struct why why;

	if (!standings_load(&standings, ladder, &why)) {
		fprintf(stderr, "pigpen: %s: %s\n", ladder->path, why.text);
		return false;
	}
	made->table = take_text(standings_json(&standings));
	made->matrix = take_text(standings_matrix_json(&standings));
	standings_release(&standings);
	made->made = time_now(&time_system);
	made->cost = made->made - start;
	return true;
}

static void replace(struct site_ladder *ladder, const struct site_standings *made)
{
	drop(&ladder->standings);
	ladder->standings = *made;
}

/* Opens the ladder a second time, as the other one is used by whoever holds the mutex. */
static void *make_aside(void *context)
{
	struct site_ladder *ladder = context;
	struct site_standings made = {0};
	struct ladder own;
	struct why why;
	bool ok = false;

	pthread_mutex_lock(&ladder->mutex);
	made.version = store_data_version(ladder->ladder.store);
	pthread_mutex_unlock(&ladder->mutex);
	if (ladder_open(&own, ladder->ladder.path, LADDER_READ, &why)) {
		ok = make(&own, &made);
		ladder_close(&own);
	}
	pthread_mutex_lock(&ladder->mutex);
	if (ok)
		replace(ladder, &made);
	ladder->making = false;
	pthread_mutex_unlock(&ladder->mutex);
	return NULL;
}

static void begin_making(struct site_ladder *ladder)
{
	if (ladder->making)
		return;
	if (ladder->maker_exists)
		pthread_join(ladder->maker, NULL);
	ladder->making = true;
	ladder->maker_exists = !pthread_create(&ladder->maker, NULL, make_aside, ladder);
	if (!ladder->maker_exists)
		ladder->making = false;
}

/* The standings as they are now or were a moment ago; the mutex is held. */
static const struct site_standings *current(struct site_ladder *ladder)
{
	const struct site_standings *old = &ladder->standings;
	struct site_standings made = {
		.version = store_data_version(ladder->ladder.store)};

	if (!old->table) {
		if (make(&ladder->ladder, &made))
			replace(ladder, &made);
	} else if (!cache_is_fresh(made.version, old->version, old->made, old->cost)) {
		begin_making(ladder);
	}
	return &ladder->standings;
}

static void answer_text(struct http_answer *answer, const char *text)
{
	if (text)
		http_answer_text(answer, 200, "application/json", xstrdup(text));
	else
		answer_unreadable(answer);
}

void answer_standings(const struct document_request *request, struct http_answer *answer)
{
	pthread_mutex_lock(&request->ladder->mutex);
	answer_text(answer, current(request->ladder)->table);
	pthread_mutex_unlock(&request->ladder->mutex);
}

void answer_matrix(const struct document_request *request, struct http_answer *answer)
{
	pthread_mutex_lock(&request->ladder->mutex);
	answer_text(answer, current(request->ladder)->matrix);
	pthread_mutex_unlock(&request->ladder->mutex);
}
