/* Builds the answers to HTTP requests. */
#include "arbiter/web/server/http_answer.h"
#include "arbiter/base/json_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void http_answer_bytes(
	struct http_answer *answer, const char *type, const char *bytes, size_t size)
{
	*answer = (struct http_answer){
		.status = 200, .type = type, .file = -1, .bytes = bytes, .size = size};
}

void http_answer_text(
	struct http_answer *answer, int status, const char *type, char *text)
{
	*answer = (struct http_answer){.status = status,
		.type = type,
		.file = -1,
		.bytes = text,
		.owned = text,
		.size = strlen(text)};
}

void http_answer_json(struct http_answer *answer, int status, json_t *json)
{
	char *text;

	if (!json) {
		json = json_pack("{s:s}", "error", "this cannot be expressed");
		status = 500;
	}
	text = json_to_text(json, JSON_COMPACT | JSON_REAL_PRECISION(7));
	json_decref(json);
	http_answer_text(answer, status, "application/json", text);
}

void http_answer_error(struct http_answer *answer, int status, const char *sentence)
{
	http_answer_json(answer, status,
		json_pack("{s:o}", "error", json_of_bytes(sentence, strlen(sentence))));
}

void http_answer_missing(struct http_answer *answer)
{
	http_answer_error(answer, 404, "there is nothing at this address");
}

void http_answer_file(struct http_answer *answer, const char *type, int file)
{
	struct stat about;

	if (file < 0 || fstat(file, &about) || !S_ISREG(about.st_mode)) {
		if (file >= 0)
			close(file);
		http_answer_missing(answer);
		return;
	}
	*answer = (struct http_answer){.status = 200,
		.type = type,
		.file = file,
		.size = (uint64_t)about.st_size,
		.lasting = true};
}

void http_answer_release(struct http_answer *answer)
{
	free(answer->owned);
	if (answer->file >= 0)
		close(answer->file);
	*answer = (struct http_answer){.file = -1};
}
