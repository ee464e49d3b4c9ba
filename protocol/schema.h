/*
 * The messages as tables, for decoder and encoder alike. The order of a table is the
 * key order of encoded maps.
 */
#ifndef PROTOCOL_SCHEMA_H
#define PROTOCOL_SCHEMA_H

#include "protocol/message.h"

enum field_kind {
	SCHEMA_INTEGER,  /* int64_t, min..max */
	SCHEMA_BOOLEAN,  /* bool */
	SCHEMA_TEXT,     /* struct text, min..max bytes */
	SCHEMA_BYTES,    /* struct text, a bin of min..max bytes */
	SCHEMA_WORD,     /* int64_t, index into words */
	SCHEMA_INTEGERS, /* struct integers, each min..max, at least one */
	SCHEMA_TEXTS,    /* struct texts, each of min..max bytes */
	SCHEMA_BLOB,     /* struct blob of one of the `types` */
	SCHEMA_NOTE,     /* the same, its payload bounded by the limits */
	SCHEMA_RECORD    /* a struct with a table of its own */
};

struct field {
	const char *key;
	enum field_kind kind;
	uint16_t offset;
	/* May be missing, and is then not encoded either: the value is `default_value`,
	 * or an empty text, list or blob; a record is missing if its first field is 0. */
	bool optional;
	int64_t min, max, default_value;
	unsigned types;           /* SCHEMA_BLOB: bits of enum scan_type */
	const char *const *words; /* SCHEMA_WORD; ends with NULL */
	const struct record *record;
};

struct record {
	const char *word; /* under "t"; NULL for a part of a message */
	unsigned from;    /* bits of enum message_from */
	size_t size;      /* of the struct */
	int count;
	const struct field *fields;
};

extern const struct record message_records[MESSAGE_TYPES];

#endif
