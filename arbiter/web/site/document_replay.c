/* The replay of a match, for the viewer and as it is stored. */
#include "arbiter/ladder/store/store_pages.h"
#include "arbiter/web/site/documents.h"
#include "arbiter/web/site/replay_answer.h"

/* `owner`: as of store_find_replay(). */
static bool find_replay(const struct document_request *request, const char *owner,
	char path[LADDER_PATH_MAX])
{
	struct site_ladder *ladder = request->ladder;
	const int64_t *number = request->parts.number;
	char name[512];
	bool found;

	pthread_mutex_lock(&ladder->mutex);
	found = number[1] < GAME_SEATS_MAX &&
		store_find_replay(ladder->ladder.store, number[0], (int)number[1], owner,
			name, sizeof(name));
	pthread_mutex_unlock(&ladder->mutex);
	if (found)
		ladder_file(&ladder->ladder, name, path);
	return found;
}

void answer_match_viewer(
	const struct document_request *request, struct http_answer *answer)
{
	char path[LADDER_PATH_MAX];

	if (find_replay(request, NULL, path))
		replay_answer_viewer(answer, path);
	else
		http_answer_missing(answer);
}

void answer_match_replay(
	const struct document_request *request, struct http_answer *answer)
{
	char path[LADDER_PATH_MAX];

	if (find_replay(request, request->owner, path))
		replay_answer_file(answer, path);
	else
		http_answer_missing(answer);
}
