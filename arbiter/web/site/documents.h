/*
 * All documents of the site with their paths, as one table, which answering, listing and
 * caching use. Shared by the files of the site; nobody else includes this.
 */
#ifndef ARBITER_WEB_SITE_DOCUMENTS_H
#define ARBITER_WEB_SITE_DOCUMENTS_H

#include "arbiter/web/site/path_form.h"
#include "arbiter/web/site/site_internal.h"

#include <jansson.h>

struct document_request {
	struct site *site;
	const struct document *document;
	struct site_ladder *ladder; /* NULL: the form has no @ */
	struct path_parts parts;
	const char *owner; /* who asks; "" if nobody known does */
};

enum document_status {
	DOCUMENT_MADE,
	DOCUMENT_MISSING,   /* there is nothing of these numbers */
	DOCUMENT_UNREADABLE /* the database cannot be read just now */
};

enum document_audience {
	FOR_EVERYBODY, /* the same whoever asks */
	FOR_OWNER      /* there is more in it for a bot's owner */
};

enum document_offer {
	OFFER_ALWAYS,
	OFFER_LIVE,  /* if the site shows matches under way */
	OFFER_UPLOAD /* if bots can be submitted */
};

/* A request for all paths of the site. */
struct path_listing {
	struct site *site;
	int64_t matches; /* of each ladder; only the newest */
	void (*each)(void *context, const char *path);
	void *context;
};

struct document {
	const char *form; /* arbiter/web/site/path_form.h */

	/* How it is made, by one of these. The first is called with the ladder's mutex
	 * held and gives JSON; the others take it if they need it. A stream that is not
	 * opened is answered, as by `answer`. */
	enum document_status (*make)(
		const struct document_request *request, json_t **json);
	void (*answer)(
		const struct document_request *request, struct http_answer *answer);
	bool (*stream)(const struct document_request *request,
		struct server_stream *stream, struct http_answer *answer);

	/* Lists all paths of this form, of one ladder if the form has an @. False: the
	 * ladder cannot be read. NULL: it is not a part of a written site. */
	bool (*list)(const struct path_listing *listing, const struct document *document,
		struct site_ladder *ladder);

	bool cached; /* what `make` gave; of a document FOR_OWNER only the public one */
	enum document_audience audience;
	enum document_offer offer;
	bool faulted; /* of lists of matches: only those with a fault */
};

extern const struct document documents[]; /* ends with a NULL form */

/* Ways to list paths, in listing.c. */
bool list_once(const struct path_listing *listing, const struct document *document,
	struct site_ladder *ladder);
bool list_pages(const struct path_listing *listing, const struct document *document,
	struct site_ladder *ladder);
bool list_page_files(const struct path_listing *listing, const struct document *document,
	struct site_ladder *ladder);
bool list_entrants(const struct path_listing *listing, const struct document *document,
	struct site_ladder *ladder);
bool list_matches(const struct path_listing *listing, const struct document *document,
	struct site_ladder *ladder);
bool list_match_lists(const struct path_listing *listing, const struct document *document,
	struct site_ladder *ladder);
bool list_bot_match_lists(const struct path_listing *listing,
	const struct document *document, struct site_ladder *ladder);

/* Ways to make documents, in the files named after what they make. */
void answer_index(const struct document_request *request, struct http_answer *answer);
void answer_page(const struct document_request *request, struct http_answer *answer);
void answer_page_file(const struct document_request *request, struct http_answer *answer);
void answer_viewer_style(
	const struct document_request *request, struct http_answer *answer);
void answer_viewer_script(
	const struct document_request *request, struct http_answer *answer);
void answer_ladders(const struct document_request *request, struct http_answer *answer);
void answer_standings(const struct document_request *request, struct http_answer *answer);
void answer_matrix(const struct document_request *request, struct http_answer *answer);
void answer_match_viewer(
	const struct document_request *request, struct http_answer *answer);
void answer_match_replay(
	const struct document_request *request, struct http_answer *answer);
void answer_submission(
	const struct document_request *request, struct http_answer *answer);
enum document_status make_history(const struct document_request *request, json_t **json);
enum document_status make_bot(const struct document_request *request, json_t **json);
enum document_status make_match(const struct document_request *request, json_t **json);
enum document_status make_match_list(
	const struct document_request *request, json_t **json);
enum document_status make_bot_match_list(
	const struct document_request *request, json_t **json);
enum document_status make_live(const struct document_request *request, json_t **json);
bool open_live_stream(const struct document_request *request,
	struct server_stream *stream, struct http_answer *answer);

/* Frees the standings; nobody uses the ladder any more. */
void standings_documents_release(struct site_ladder *ladder);

/* Values of the database: a text of any bytes or NULL, any number; JSON has none that
 * is not finite. */
json_t *document_text(const char *text);
json_t *document_real(double value);
/* Prints store_why() on stderr and returns DOCUMENT_UNREADABLE. */
enum document_status document_unreadable(struct site_ladder *ladder);
/* 503 */
void answer_unreadable(struct http_answer *answer);

#endif
