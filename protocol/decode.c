/* From bytes to messages, strictly by the tables of schema.c. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "protocol/codec.h"
#include "protocol/scan.h"
#include "protocol/schema.h"

/* A map whose keys have been found and whose values have been passed over. */
struct pairs {
	int count;
	struct text key[MESSAGE_KEYS_MAX];
	struct blob value[MESSAGE_KEYS_MAX];
	struct scan_value head[MESSAGE_KEYS_MAX];
};

/* Where we are, for the limits and for the message in `why`. */
struct place {
	const struct decoder *decoder;
	struct why *why;
	const char *message; /* its word */
	const char *part;    /* key of the record inside, or NULL */
};

__attribute__((format(printf, 4, 5))) static enum err fail(const struct place *place,
	enum err code, const char *key, const char *format, ...)
{
	char *text;
	size_t size;
	int used = 0;
	va_list list;

	if (!place->why)
		return code;
	text = place->why->text;
	size = sizeof(place->why->text);
	if (place->message)
		used = snprintf(text, size, "%s%s%s%s%s: ", place->message,
			place->part ? "." : "", place->part ? place->part : "",
			key ? "." : "", key ? key : "");
	va_start(list, format);
	vsnprintf(text + used, size - (size_t)used, format, list);
	va_end(list);
	return code;
}

static enum err collect(const struct place *place, struct scan *scan, uint32_t count,
	int64_t nesting, struct pairs *pairs)
{
	if (count > MESSAGE_KEYS_MAX)
		return fail(place, ERR_KEY, NULL,
			"%" PRIu32 " keys, at most %d are allowed", count,
			MESSAGE_KEYS_MAX);
	pairs->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct scan_value key;
		const uint8_t *start;
		enum err err = scan_skip(scan, nesting, &key);

		if (err)
			return fail(place, err, NULL, "%s (in key %" PRIu32 ")",
				err_text(err), i + 1);
		if (key.type != SCAN_STR)
			return fail(place, ERR_KEY, NULL,
				"key %" PRIu32 " is %s, expected a str", i + 1,
				scan_type_text(key.type));
		for (uint32_t j = 0; j < i; j++)
			if (pairs->key[j].size == key.text.size &&
				memcmp(pairs->key[j].bytes, key.text.bytes,
					key.text.size) == 0)
				return fail(place, ERR_DUPLICATE_KEY, NULL,
					"the key \"%.*s\" stands twice",
					key.text.size < 32 ? (int)key.text.size : 32,
					key.text.bytes);
		start = scan->at;
		err = scan_skip(scan, nesting, &pairs->head[i]);
		if (err)
			return fail(place, err, NULL, "%s (in the value of \"%.*s\")",
				err_text(err),
				key.text.size < 32 ? (int)key.text.size : 32,
				key.text.bytes);
		pairs->key[i] = key.text;
		pairs->value[i] = (struct blob){start, (uint32_t)(scan->at - start)};
		pairs->count++;
	}
	return ERR_OK;
}

static int find(const struct pairs *pairs, const char *key)
{
	size_t size = strlen(key);

	for (int i = 0; i < pairs->count; i++)
		if (pairs->key[i].size == size &&
			memcmp(pairs->key[i].bytes, key, size) == 0)
			return i;
	return -1;
}

static enum err wrong_type(const struct place *place, const struct field *field,
	const struct scan_value *head, const char *expected)
{
	return fail(place, ERR_TYPE, field->key, "is %s, expected %s",
		scan_type_text(head->type), expected);
}

static enum err read_integer(const struct place *place, const struct field *field,
	const struct scan_value *head, int64_t *out)
{
	if (head->type != SCAN_INTEGER)
		return wrong_type(place, field, head, "an integer");
	if (head->integer < field->min || head->integer > field->max)
		return fail(place, ERR_RANGE, field->key,
			"is %" PRId64 ", expected %" PRId64 " to %" PRId64, head->integer,
			field->min, field->max);
	*out = head->integer;
	return ERR_OK;
}

static enum err read_text(const struct place *place, const struct field *field,
	const struct scan_value *head, enum scan_type type, struct text *out)
{
	if (head->type != type)
		return wrong_type(place, field, head, scan_type_text(type));
	if (head->text.size > field->max && type == SCAN_STR)
		return fail(place, ERR_OVERSIZE, field->key,
			"has %" PRIu32 " bytes, at most %" PRId64 " are allowed",
			head->text.size, field->max);
	if (head->text.size < field->min || head->text.size > field->max)
		return fail(place, ERR_RANGE, field->key,
			"has %" PRIu32 " bytes, expected %" PRId64 " to %" PRId64,
			head->text.size, field->min, field->max);
	*out = head->text;
	return ERR_OK;
}

static enum err read_word(const struct place *place, const struct field *field,
	const struct scan_value *head, int64_t *out)
{
	if (head->type != SCAN_STR)
		return wrong_type(place, field, head, "a str");
	for (int i = 0; field->words[i]; i++)
		if (text_is(head->text, field->words[i])) {
			*out = i;
			return ERR_OK;
		}
	return fail(place, ERR_RANGE, field->key, "is an unknown word");
}

/* An array of at most SEATS_MAX integers or texts. */
static enum err read_list(const struct place *place, const struct field *field,
	struct blob value, struct integers *integers, struct texts *texts)
{
	struct scan scan = scan_on(value);
	struct scan_value head;
	enum err err = scan_next(&scan, &head);

	if (err || head.type != SCAN_ARRAY)
		return wrong_type(place, field, &head, "an array");
	if (head.count < 1 || head.count > SEATS_MAX)
		return fail(place, ERR_RANGE, field->key,
			"has %" PRIu32 " elements, expected 1 to %d", head.count,
			SEATS_MAX);
	for (uint32_t i = 0, count = head.count; i < count && !err; i++) {
		scan_next(&scan, &head);
		err = integers ? read_integer(place, field, &head, &integers->at[i])
			       : read_text(place, field, &head, SCAN_STR, &texts->at[i]);
	}
	*(integers ? &integers->count : &texts->count) = blob_count(value);
	return err;
}

static enum err read_blob(const struct place *place, const struct field *field,
	const struct scan_value *head, struct blob value, struct blob *out)
{
	unsigned first = field->types & -field->types, other = field->types - first;

	if (!(head->type & field->types))
		return fail(place, ERR_TYPE, field->key, "is %s, expected %s%s%s",
			scan_type_text(head->type), scan_type_text(first),
			other ? " or " : "", other ? scan_type_text(other) : "");
	if (field->kind == SCHEMA_NOTE && head->text.size > place->decoder->note_bytes)
		return fail(place, ERR_OVERSIZE, field->key,
			"has %" PRIu32 " bytes, at most %" PRId64 " are allowed",
			head->text.size, place->decoder->note_bytes);
	*out = value;
	return ERR_OK;
}

static enum err read_record(const struct place *place, const struct record *record,
	const struct pairs *pairs, void *base);

static enum err read_part(const struct place *place, const struct field *field,
	const struct scan_value *head, struct blob value, void *at)
{
	struct place inside = *place;
	struct scan scan = scan_on(value);
	struct scan_value map;
	struct pairs pairs;
	enum err err;

	if (head->type != SCAN_MAP)
		return wrong_type(place, field, head, "a map");
	inside.part = field->key;
	scan_next(&scan, &map);
	err = collect(&inside, &scan, map.count, place->decoder->nesting, &pairs);
	return err ? err : read_record(&inside, field->record, &pairs, at);
}

static enum err read_field(const struct place *place, const struct field *field,
	const struct scan_value *head, struct blob value, void *at)
{
	switch (field->kind) {
	case SCHEMA_INTEGER:
		return read_integer(place, field, head, at);
	case SCHEMA_BOOLEAN:
		if (head->type != SCAN_BOOL)
			return wrong_type(place, field, head, "a bool");
		*(bool *)at = head->integer;
		return ERR_OK;
	case SCHEMA_TEXT:
		return read_text(place, field, head, SCAN_STR, at);
	case SCHEMA_BYTES:
		return read_text(place, field, head, SCAN_BIN, at);
	case SCHEMA_WORD:
		return read_word(place, field, head, at);
	case SCHEMA_INTEGERS:
		return read_list(place, field, value, at, NULL);
	case SCHEMA_TEXTS:
		return read_list(place, field, value, NULL, at);
	case SCHEMA_BLOB:
	case SCHEMA_NOTE:
		return read_blob(place, field, head, value, at);
	case SCHEMA_RECORD:
		return read_part(place, field, head, value, at);
	}
	return ERR_UNKNOWN;
}

/* `base` is zeroed before: what is missing is 0, empty, or the table's default. */
static enum err read_record(const struct place *place, const struct record *record,
	const struct pairs *pairs, void *base)
{
	for (int i = 0; i < record->count; i++) {
		const struct field *field = &record->fields[i];
		void *at = (char *)base + field->offset;
		int found = find(pairs, field->key);
		enum err err;

		if (found < 0 && !field->optional)
			return fail(place, ERR_MISSING_KEY, field->key, "is missing");
		if (found < 0) {
			if (field->kind == SCHEMA_INTEGER)
				*(int64_t *)at = field->default_value;
			continue;
		}
		err = read_field(
			place, field, &pairs->head[found], pairs->value[found], at);
		if (err)
			return err;
	}
	return ERR_OK;
}

static enum err check_match(const struct place *place, const struct message_match *match)
{
	if (match->seat >= match->seats)
		return fail(place, ERR_RANGE, "seat", "is not below seats");
	if (match->teams.count != match->seats)
		return fail(place, ERR_RANGE, "teams", "needs one element for each seat");
	if (match->names.count != 0 && match->names.count != match->seats)
		return fail(place, ERR_RANGE, "names", "needs one element for each seat");
	return ERR_OK;
}

static enum err check_action(
	const struct place *place, const struct message_action *action)
{
	if (action->choice >= 0 && action->action.size > 0)
		return fail(place, ERR_CONFLICT, "choice",
			"stands beside action, expected one of the two");
	if (action->choice < 0 && action->action.size == 0)
		return fail(place, ERR_MISSING_KEY, "choice",
			"is missing, and action too: expected one of the two");
	return ERR_OK;
}

/* Checks what the range of a single field cannot express. */
static enum err check_whole(const struct place *place, const struct message *message)
{
	switch (message->type) {
	case MESSAGE_MATCH:
		return check_match(place, &message->match);
	case MESSAGE_RESUME:
		return check_match(place, &message->resume.match);
	case MESSAGE_ACTION:
		return check_action(place, &message->action);
	default:
		return ERR_OK;
	}
}

static enum err read_type(
	struct place *place, const struct pairs *pairs, enum message_type *type)
{
	int found = find(pairs, "t"), i = 0;
	struct text word;

	if (found < 0)
		return fail(place, ERR_MISSING_KEY, NULL,
			"the key \"t\", the type of the message, is missing");
	if (pairs->head[found].type != SCAN_STR)
		return fail(place, ERR_TYPE, NULL, "the key \"t\" is %s, expected a str",
			scan_type_text(pairs->head[found].type));
	word = pairs->head[found].text;
	while (i < MESSAGE_TYPES && !text_is(word, message_records[i].word))
		i++;
	if (i == MESSAGE_TYPES)
		return fail(place, ERR_UNKNOWN, NULL, "unknown type of message \"%.*s\"",
			word.size < 32 ? (int)word.size : 32, word.bytes);
	place->message = message_records[i].word;
	if (!(message_records[i].from & place->decoder->from))
		return fail(place, ERR_DIRECTION, NULL, "only the other side sends this");
	*type = i;
	return ERR_OK;
}

static enum err check_sizes(
	const struct place *place, const struct decoder *decoder, size_t message_size)
{
	if (decoder->size > (size_t)decoder->frame_bytes)
		return fail(place, ERR_OVERSIZE, NULL,
			"a frame of %zu bytes, at most %" PRId64 " are allowed",
			decoder->size, decoder->frame_bytes);
	if (message_size > (size_t)decoder->message_bytes)
		return fail(place, ERR_OVERSIZE, NULL,
			"a message of %zu bytes, at most %" PRId64 " are allowed",
			message_size, decoder->message_bytes);
	return ERR_OK;
}

/* The next map of the frame, whole and within its limits. */
static enum err read_pairs(
	const struct place *place, struct decoder *decoder, struct pairs *pairs)
{
	struct scan scan = {
		decoder->bytes + decoder->offset, decoder->bytes + decoder->size};
	struct scan_value head;
	enum err err = check_sizes(place, decoder, decoder->batch ? 0 : decoder->size);

	if (err)
		return err;
	if (scan.at == scan.end)
		return fail(place, ERR_EMPTY, NULL, "%s", err_text(ERR_EMPTY));
	err = scan_next(&scan, &head);
	if (err)
		return fail(place, err, NULL, "%s", err_text(err));
	if (head.type != SCAN_MAP)
		return fail(place, ERR_NOT_MAP, NULL, "a message is a map, this is %s",
			scan_type_text(head.type));
	err = collect(place, &scan, head.count, decoder->nesting - 1, pairs);
	if (err)
		return err;
	decoder->last = decoder->offset;
	decoder->offset = (size_t)(scan.at - decoder->bytes);
	if (!decoder->batch && scan.at != scan.end)
		return fail(place, ERR_TRAILING, NULL,
			"%td bytes after the message, and hello did not say batch",
			scan.end - scan.at);
	return check_sizes(place, decoder, decoder->offset - decoder->last);
}

void decoder_init(struct decoder *decoder, enum message_from from, bool batch,
	const struct limits *limits, const void *bytes, size_t size)
{
	bool bot = from == FROM_BOT;

	*decoder = (struct decoder){
		.bytes = bytes,
		.size = size,
		.from = from,
		.batch = batch,
		.frame_bytes = limits ? limits->frame_bytes
			       : bot  ? FRAME_BYTES_MAX
				      : ARBITER_FRAME_BYTES_MAX,
		.message_bytes = limits ? limits->message_bytes
				 : bot  ? MESSAGE_BYTES_MAX
					: ARBITER_MESSAGE_BYTES_MAX,
		.nesting = limits ? limits->nesting : NESTING_MAX,
		.note_bytes = limits ? limits->note_bytes : NOTE_BYTES_MAX,
	};
}

bool decoder_done(const struct decoder *decoder)
{
	return decoder->offset == decoder->size && decoder->size > 0;
}

enum err decoder_next(struct decoder *decoder, struct message *message, struct why *why)
{
	struct place place = {.decoder = decoder, .why = why};
	struct pairs pairs;
	enum err err = read_pairs(&place, decoder, &pairs);
	const struct record *record;

	if (!err)
		err = read_type(&place, &pairs, &message->type);
	if (err)
		return err;
	record = &message_records[message->type];
	memset(&message->hello, 0, record->size);
	err = read_record(&place, record, &pairs, &message->hello);
	return err ? err : check_whole(&place, message);
}

struct blob decoder_last(const struct decoder *decoder)
{
	return (struct blob){decoder->bytes + decoder->last,
		(uint32_t)(decoder->offset - decoder->last)};
}

enum err codec_decode(enum message_from from, const void *bytes, size_t size,
	struct message *message, struct why *why)
{
	struct decoder decoder;

	decoder_init(&decoder, from, false, NULL, bytes, size);
	return decoder_next(&decoder, message, why);
}
