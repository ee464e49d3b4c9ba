/*
 * Untrusted text as JSON strings, and JSON values as text.
 */
#ifndef ARBITER_BASE_JSON_TEXT_H
#define ARBITER_BASE_JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* A JSON string of any bytes; those that are not UTF-8 become U+FFFD. */
json_t *json_of_bytes(const char *bytes, size_t size);
/* The same for a text that ends with NUL; JSON null if it is empty. */
json_t *json_of_text(const char *text);

/* The value as text, which the caller frees; `flags` are jansson's. */
char *json_to_text(const json_t *json, size_t flags);

#endif
