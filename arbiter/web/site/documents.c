/* The table of all documents of the site, with their paths. */
#include "arbiter/web/site/documents.h"
#include "arbiter/base/json_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* If several forms match a path, the first one is used. */
const struct document documents[] = {
	{"/", .answer = answer_index},
	{"/*.html", .answer = answer_page, .list = list_pages},
	{"/pages/*", .answer = answer_page_file, .list = list_page_files},
	{"/viewer/viewer.css", .answer = answer_viewer_style, .list = list_once},
	{"/viewer/all.js", .answer = answer_viewer_script, .list = list_once},

	{"/api/ladders.json", .answer = answer_ladders, .list = list_once},
	{"/api/@/standings.json", .answer = answer_standings, .list = list_once},
	{"/api/@/matrix.json", .answer = answer_matrix, .list = list_once},
	{"/api/@/history.json", .make = make_history, .list = list_once, .cached = true},
	{"/api/@/bots/#.json", .make = make_bot, .list = list_entrants, .cached = true,
		.audience = FOR_OWNER},

	{"/api/@/lists/all/#.json", .make = make_match_list, .list = list_match_lists,
		.cached = true},
	{"/api/@/lists/all-faulted/#.json", .make = make_match_list,
		.list = list_match_lists, .cached = true, .faulted = true},
	{"/api/@/lists/bot-#/#.json", .make = make_bot_match_list,
		.list = list_bot_match_lists, .cached = true},
	{"/api/@/lists/bot-#-faulted/#.json", .make = make_bot_match_list,
		.list = list_bot_match_lists, .cached = true, .faulted = true},

	{"/api/@/matches/#-#.json", .make = make_match, .list = list_matches,
		.audience = FOR_OWNER},
	{"/api/@/matches/#-#/viewer.json", .answer = answer_match_viewer,
		.list = list_matches},
	{"/api/@/matches/#-#/replay", .answer = answer_match_replay, .list = list_matches,
		.audience = FOR_OWNER},

	{"/api/@/live.json", .make = make_live, .offer = OFFER_LIVE},
	{"/api/@/live/#-#", .stream = open_live_stream, .offer = OFFER_LIVE},
	{"/api/@/submissions/*.json", .answer = answer_submission, .offer = OFFER_UPLOAD},
	{0},
};

json_t *document_text(const char *text)
{
	return text ? json_of_bytes(text, strlen(text)) : json_null();
}

json_t *document_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

enum document_status document_unreadable(struct site_ladder *ladder)
{
	fprintf(stderr, "pigpen: %s\n", store_why(ladder->ladder.store));
	return DOCUMENT_UNREADABLE;
}

void answer_unreadable(struct http_answer *answer)
{
	http_answer_error(answer, 503, "the ladder cannot be read just now");
}
