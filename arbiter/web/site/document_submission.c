/* submissions/ID.json: what became of a bot that was sent. */
#include "arbiter/ladder/submit/submission_queue.h"
#include "arbiter/web/site/documents.h"

void answer_submission(const struct document_request *request, struct http_answer *answer)
{
	json_t *json = submission_read(&request->ladder->ladder, request->parts.word);

	if (json)
		http_answer_json(answer, 200, json);
	else
		http_answer_missing(answer);
}
