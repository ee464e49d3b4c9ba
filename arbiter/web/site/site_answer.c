/* Answering requests by the table of documents. */
#include "arbiter/ladder/directory/owner.h"
#include "arbiter/ladder/store/store_pages.h"
#include "arbiter/web/site/documents.h"
#include "protocol/memory.h"

#include <stdlib.h>
#include <string.h>

#define API "/api/"

static bool is_offered(const struct site *site, const struct document *document)
{
	return document->offer == OFFER_ALWAYS ||
	       (document->offer == OFFER_LIVE && site->live) ||
	       (document->offer == OFFER_UPLOAD && site->upload);
}

/* Fills document, ladder and parts; false: there is nothing at this path. */
static bool find_document(
	struct site *site, const char *path, struct document_request *request)
{
	request->site = site;
	for (const struct document *d = documents; d->form; d++) {
		if (!is_offered(site, d) || !path_match(d->form, path, &request->parts))
			continue;
		request->document = d;
		request->ladder = strchr(d->form, '@')
					  ? site_find_ladder(site, request->parts.ladder)
					  : NULL;
		return request->ladder || !strchr(d->form, '@');
	}
	return false;
}

/* The JSON of a document that `make` makes, out of the cache if it is there. The mutex is
 * held. */
static void answer_made(const struct document_request *request, const char *name,
	struct http_answer *answer)
{
	struct site_ladder *ladder = request->ladder;
	bool cached = request->document->cached &&
		      (request->document->audience == FOR_EVERYBODY || !*request->owner);
	int64_t version = cached ? store_data_version(ladder->ladder.store) : 0;
	const char *text = cached ? cache_find(&ladder->cache, name, version) : NULL;
	mono_ns start = time_now(&time_system);
	enum document_status status;
	json_t *json = NULL;

	if (text) {
		http_answer_text(answer, 200, "application/json", xstrdup(text));
		return;
	}
	status = request->document->make(request, &json);
	if (status == DOCUMENT_MADE) {
		http_answer_json(answer, 200, json);
		if (cached)
			cache_put(&ladder->cache, name, answer->bytes, version, start);
	} else if (status == DOCUMENT_MISSING) {
		http_answer_missing(answer);
	} else {
		answer_unreadable(answer);
	}
}

/* The ladder that a path is about; NULL: it is about none. */
static struct site_ladder *ladder_of(struct site *site, const char *path)
{
	if (strncmp(path, API, strlen(API)))
		return NULL;
	path += strlen(API);
	return strchr(path, '/') ? site_find_ladder(site, path) : NULL;
}

/* Finds the owner who asks; false: it is answered already. A token that the ladder does
 * not know is refused on every path. */
static bool find_owner(struct site *site, const char *path, const char *token,
	char owner[OWNER_NAME_SIZE], struct http_answer *answer)
{
	struct site_ladder *ladder = token ? ladder_of(site, path) : NULL;

	*owner = 0;
	if (!ladder || token_owner(&ladder->ladder, token, owner))
		return true;
	http_answer_error(
		answer, 401, "this ladder does not know the token, or it was revoked");
	return false;
}

/* True: a stream was opened. `stream` is NULL if the caller cannot take streams. */
static bool answer_request(struct site *site, const char *path, const char *token,
	struct server_stream *stream, struct http_answer *answer)
{
	struct document_request request = {0};
	char owner[OWNER_NAME_SIZE];

	if (!find_owner(site, path, token, owner, answer))
		return false;
	request.owner = owner;
	if (strlen(path) >= PATH_SIZE || !find_document(site, path, &request)) {
		http_answer_missing(answer);
	} else if (request.document->stream) {
		if (stream)
			return request.document->stream(&request, stream, answer);
		http_answer_missing(answer);
	} else if (request.document->answer) {
		request.document->answer(&request, answer);
	} else {
		pthread_mutex_lock(&request.ladder->mutex);
		answer_made(&request, strchr(path + strlen(API), '/') + 1, answer);
		pthread_mutex_unlock(&request.ladder->mutex);
	}
	return false;
}

void site_answer(struct site *site, const char *path, const char *token,
	struct http_answer *answer)
{
	answer_request(site, path, token, NULL, answer);
}

static bool serve_request(void *context, const struct server_request *request,
	struct server_stream *stream, struct http_answer *answer)
{
	return answer_request(context, request->path, request->token, stream, answer);
}

struct server_route site_route(struct site *site)
{
	return (struct server_route){
		.method = "GET", .path = "/", .context = site, .stream = serve_request};
}
