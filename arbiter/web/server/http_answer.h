/*
 * What a request is answered with: bytes, or a file open for reading. Whoever makes one
 * fills all of it; whoever gets one releases it.
 */
#ifndef ARBITER_WEB_SERVER_HTTP_ANSWER_H
#define ARBITER_WEB_SERVER_HTTP_ANSWER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_answer {
	int status; /* of HTTP: 200, 404, 503 … */
	const char *type;
	const char *bytes; /* NULL: it is a file */
	char *owned;       /* to be freed; NULL if the bytes are part of the program */
	int file;          /* descriptor, -1: none */
	uint64_t size;
	bool lasting; /* the document at this path never changes */
};

/* Bytes that are part of the program. */
void http_answer_bytes(
	struct http_answer *answer, const char *type, const char *bytes, size_t size);
/* A text, which is taken. */
void http_answer_text(
	struct http_answer *answer, int status, const char *type, char *text);
/* A JSON document; takes the reference. NULL, of a document that could not be made, is
 * answered with 500. */
void http_answer_json(struct http_answer *answer, int status, json_t *json);
/* {error: message} */
void http_answer_error(struct http_answer *answer, int status, const char *sentence);
/* 404 with a message that fits every path. */
void http_answer_missing(struct http_answer *answer);
/* A file that will never change; takes the descriptor. 404 if it is not a regular
 * file. */
void http_answer_file(struct http_answer *answer, const char *type, int file);

/* Frees the bytes and closes the file. */
void http_answer_release(struct http_answer *answer);

#endif
