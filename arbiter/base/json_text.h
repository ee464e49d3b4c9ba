/*
 * JSON of texts that somebody else wrote, and JSON as text.
 */
#ifndef ARBITER_BASE_JSON_TEXT_H
#define ARBITER_BASE_JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* A string of any bytes; what is not UTF-8 becomes U+FFFD. */
json_t *json_of_bytes(const char *bytes, size_t size);
/* The same of a text that ends with a NUL; null if it is empty. */
json_t *json_of_text(const char *text);

/* The value as text, which the caller frees; `flags` are jansson's. */
char *json_to_text(const json_t *json, size_t flags);

#endif
