/* From messages to bytes, by the tables of schema.c. */
#include <assert.h>
#include "protocol/codec.h"
#include "protocol/schema.h"

static const void *member(const void *base, const struct field *field)
{
	return (const char *)base + field->offset;
}

static bool is_there(const struct field *field, const void *base)
{
	const void *at = member(base, field);

	if (!field->optional)
		return true;
	switch (field->kind) {
	case SCHEMA_INTEGER:
	case SCHEMA_WORD:
		return *(const int64_t *)at != field->default_value;
	case SCHEMA_BOOLEAN:
		return *(const bool *)at;
	case SCHEMA_TEXT:
	case SCHEMA_BYTES:
		return ((const struct text *)at)->size > 0;
	case SCHEMA_INTEGERS:
	case SCHEMA_TEXTS:
	case SCHEMA_RECORD:
		return *(const int64_t *)at != 0;
	case SCHEMA_BLOB:
	case SCHEMA_NOTE:
		return ((const struct blob *)at)->size > 0;
	}
	return true;
}

static void pack_text(msgpack_packer *packer, struct text text)
{
	msgpack_pack_str(packer, text.size);
	msgpack_pack_str_body(packer, text.bytes, text.size);
}

static void pack_bytes(msgpack_packer *packer, struct text text)
{
	msgpack_pack_bin(packer, text.size);
	msgpack_pack_bin_body(packer, text.bytes, text.size);
}

static void pack_integers(msgpack_packer *packer, const struct integers *list)
{
	msgpack_pack_array(packer, (size_t)list->count);
	for (int i = 0; i < list->count; i++)
		msgpack_pack_int64(packer, list->at[i]);
}

static void pack_texts(msgpack_packer *packer, const struct texts *list)
{
	msgpack_pack_array(packer, (size_t)list->count);
	for (int i = 0; i < list->count; i++)
		pack_text(packer, list->at[i]);
}

/* The bytes go in as they are: the blob is an encoded value already. */
static void pack_blob(msgpack_packer *packer, const struct blob *blob)
{
	assert(blob->size > 0);
	packer->callback(packer->data, (const char *)blob->bytes, blob->size);
}

static void pack_record(
	msgpack_packer *packer, const struct record *record, const void *base);

static void pack_field(msgpack_packer *packer, const struct field *field, const void *at)
{
	switch (field->kind) {
	case SCHEMA_INTEGER:
		msgpack_pack_int64(packer, *(const int64_t *)at);
		break;
	case SCHEMA_BOOLEAN:
		if (*(const bool *)at)
			msgpack_pack_true(packer);
		else
			msgpack_pack_false(packer);
		break;
	case SCHEMA_TEXT:
		pack_text(packer, *(const struct text *)at);
		break;
	case SCHEMA_BYTES:
		pack_bytes(packer, *(const struct text *)at);
		break;
	case SCHEMA_WORD:
		pack_text(packer, text_of(field->words[*(const int64_t *)at]));
		break;
	case SCHEMA_INTEGERS:
		pack_integers(packer, at);
		break;
	case SCHEMA_TEXTS:
		pack_texts(packer, at);
		break;
	case SCHEMA_BLOB:
	case SCHEMA_NOTE:
		pack_blob(packer, at);
		break;
	case SCHEMA_RECORD:
		pack_record(packer, field->record, at);
		break;
	}
}

static void pack_record(
	msgpack_packer *packer, const struct record *record, const void *base)
{
	size_t pairs = record->word ? 1 : 0;

	for (int i = 0; i < record->count; i++)
		pairs += is_there(&record->fields[i], base);
	msgpack_pack_map(packer, pairs);
	if (record->word) {
		pack_text(packer, text_of("t"));
		pack_text(packer, text_of(record->word));
	}
	for (int i = 0; i < record->count; i++) {
		const struct field *field = &record->fields[i];

		if (!is_there(field, base))
			continue;
		pack_text(packer, text_of(field->key));
		pack_field(packer, field, member(base, field));
	}
}

enum err codec_encode(const struct message *message, struct buffer *buffer)
{
	msgpack_packer packer = buffer_packer(buffer);
	size_t start = buffer->size;

	pack_record(&packer, &message_records[message->type], &message->hello);
	if (!buffer->overflow)
		return ERR_OK;
	buffer->size = start;
	return ERR_FULL;
}
