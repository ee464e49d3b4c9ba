/*
 * Reading the fields of a message strictly. Only the first error is reported; after it
 * everything reads as zero, so that a reader checks `ok` once.
 */
#ifndef ARBITER_LADDER_WORKERS_MESSAGE_FIELDS_H
#define ARBITER_LADDER_WORKERS_MESSAGE_FIELDS_H

#include "protocol/why.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct message_fields {
	const json_t *object;
	const char *message; /* its name, for the reason */
	struct why *why;
	bool ok;
};

/* "play: \"seed\" must be …"; what is missing is wrong, too. */
void field_refuse(struct message_fields *fields, const char *name, const char *wanted);
/* Refuses every field whose name is not in the list, which ends with NULL. */
void fields_only(struct message_fields *fields, const char *const *names);
/* Is the field there, and not null? */
bool field_given(const struct message_fields *fields, const char *name);

int64_t field_integer(
	struct message_fields *fields, const char *name, int64_t min, int64_t max);
double field_number(struct message_fields *fields, const char *name);
bool field_boolean(struct message_fields *fields, const char *name);
/* A string that must fit. */
void field_text(struct message_fields *fields, const char *name, char *text, size_t size);
/* A string for people, cut if it is too long; null is "". */
void field_prose(
	struct message_fields *fields, const char *name, char *text, size_t size);
/* The bytes of a string of hex digits, exactly `size` of them. */
void field_hex(
	struct message_fields *fields, const char *name, uint8_t *bytes, size_t size);
/* A list of between 1 and `max` entries; returns its size. */
int field_list(
	struct message_fields *fields, const char *name, int max, const json_t **list);

#endif
