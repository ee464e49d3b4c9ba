/* msgpack values as JSON, and back. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "protocol/json.h"
#include "protocol/scan.h"
#include "protocol/memory.h"

#define JSON_NESTING_MAX 32

__attribute__((format(printf, 2, 3))) static void explain(
	struct why *why, const char *format, ...)
{
	va_list list;

	if (!why)
		return;
	va_start(list, format);
	vsnprintf(why->text, sizeof(why->text), format, list);
	va_end(list);
}

static json_t *bytes_to_json(struct text bytes)
{
	static const char digits[] = "0123456789abcdef";
	char *hex = xmalloc(2 * (size_t)bytes.size + 1);
	json_t *json = NULL;

	for (uint32_t i = 0; i < bytes.size; i++) {
		hex[2 * i] = digits[(uint8_t)bytes.bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes.bytes[i] & 15];
	}
	json = json_object();
	json_object_set_new(json, "bin", json_stringn(hex, 2 * (size_t)bytes.size));
	free(hex);
	return json;
}

static json_t *value_to_json(struct scan *scan, struct why *why);

static json_t *array_to_json(struct scan *scan, uint32_t count, struct why *why)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < count; i++) {
		json_t *element = value_to_json(scan, why);

		if (!element) {
			json_decref(array);
			return NULL;
		}
		json_array_append_new(array, element);
	}
	return array;
}

/* The one shape that stands for bytes in JSON. */
static bool is_bytes(const json_t *json)
{
	return json_object_size(json) == 1 &&
	       json_is_string(json_object_get(json, "bin"));
}

static bool add_pair(struct scan *scan, json_t *map, struct why *why)
{
	struct scan_value key;
	json_t *value;

	scan_next(scan, &key);
	if (key.type != SCAN_STR || memchr(key.text.bytes, 0, key.text.size)) {
		explain(why, "a key is no str that JSON can hold");
		return false;
	}
	if (json_object_getn(map, key.text.bytes, key.text.size)) {
		explain(why, "the key \"%.*s\" stands twice", (int)key.text.size,
			key.text.bytes);
		return false;
	}
	value = value_to_json(scan, why);
	return value &&
	       json_object_setn_new(map, key.text.bytes, key.text.size, value) == 0;
}

static json_t *map_to_json(struct scan *scan, uint32_t count, struct why *why)
{
	json_t *map = json_object();

	for (uint32_t i = 0; i < count; i++)
		if (!add_pair(scan, map, why)) {
			json_decref(map);
			return NULL;
		}
	if (is_bytes(map)) {
		explain(why, "a map {\"bin\": str} would be read back as bytes");
		json_decref(map);
		return NULL;
	}
	return map;
}

/* The bytes have been checked: nothing is missing, no key needs a look ahead. */
static json_t *value_to_json(struct scan *scan, struct why *why)
{
	struct scan_value value;

	scan_next(scan, &value);
	switch (value.type) {
	case SCAN_NIL:
		return json_null();
	case SCAN_BOOL:
		return json_boolean(value.integer);
	case SCAN_INTEGER:
		if (!value.big)
			return json_integer(value.integer);
		explain(why, "an integer above 2^63-1");
		return NULL;
	case SCAN_FLOAT:
		if (isfinite(value.real))
			return json_real(value.real);
		explain(why, "a float that is not finite");
		return NULL;
	case SCAN_STR:
		return json_stringn(value.text.bytes, value.text.size);
	case SCAN_BIN:
		return bytes_to_json(value.text);
	case SCAN_ARRAY:
		return array_to_json(scan, value.count, why);
	case SCAN_MAP:
		return map_to_json(scan, value.count, why);
	}
	return NULL;
}

json_t *json_from_blob(struct blob blob, struct why *why)
{
	struct scan scan = scan_on(blob), check = scan;
	enum err err = scan_skip(&check, JSON_NESTING_MAX, NULL);

	if (!err && check.at != check.end)
		err = ERR_TRAILING;
	if (err) {
		explain(why, "%s", err_text(err));
		return NULL;
	}
	return value_to_json(&scan, why);
}

char *json_line(struct blob blob, struct why *why)
{
	json_t *json = json_from_blob(blob, why);
	char *line = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

	json_decref(json);
	return line;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum err bytes_to_msgpack(
	const json_t *json, msgpack_packer *packer, struct why *why)
{
	const json_t *string = json_object_get(json, "bin");
	const char *hex = json_string_value(string);
	size_t size = json_string_length(string);

	if (size % 2 != 0 || strspn(hex, "0123456789abcdef") != size) {
		explain(why, "\"bin\" needs lower-case hex digits in pairs");
		return ERR_JSON;
	}
	msgpack_pack_bin(packer, size / 2);
	for (size_t i = 0; i < size; i += 2) {
		char byte = (char)(digit(hex[i]) << 4 | digit(hex[i + 1]));

		msgpack_pack_bin_body(packer, &byte, 1);
	}
	return ERR_OK;
}

static enum err map_to_msgpack(json_t *json, msgpack_packer *packer, struct why *why)
{
	const char *key;
	json_t *value;

	if (is_bytes(json))
		return bytes_to_msgpack(json, packer, why);
	msgpack_pack_map(packer, json_object_size(json));
	json_object_foreach(json, key, value)
	{
		enum err err;

		msgpack_pack_str_with_body(packer, key, strlen(key));
		err = json_to_msgpack(value, packer, why);
		if (err)
			return err;
	}
	return ERR_OK;
}

static enum err array_to_msgpack(
	const json_t *json, msgpack_packer *packer, struct why *why)
{
	enum err err = ERR_OK;

	msgpack_pack_array(packer, json_array_size(json));
	for (size_t i = 0; i < json_array_size(json) && !err; i++)
		err = json_to_msgpack(json_array_get(json, i), packer, why);
	return err;
}

enum err json_to_msgpack(const json_t *json, msgpack_packer *packer, struct why *why)
{
	switch (json_typeof(json)) {
	case JSON_NULL:
		msgpack_pack_nil(packer);
		break;
	case JSON_TRUE:
		msgpack_pack_true(packer);
		break;
	case JSON_FALSE:
		msgpack_pack_false(packer);
		break;
	case JSON_INTEGER:
		msgpack_pack_int64(packer, json_integer_value(json));
		break;
	case JSON_REAL:
		msgpack_pack_double(packer, json_real_value(json));
		break;
	case JSON_STRING:
		msgpack_pack_str_with_body(
			packer, json_string_value(json), json_string_length(json));
		break;
	case JSON_ARRAY:
		return array_to_msgpack(json, packer, why);
	case JSON_OBJECT:
		return map_to_msgpack((json_t *)json, packer, why);
	}
	return ERR_OK;
}

enum err json_parse_line(
	const char *line, size_t size, struct buffer *buffer, struct why *why)
{
	size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL;
	size_t start = buffer->size;
	msgpack_packer packer = buffer_packer(buffer);
	json_error_t error;
	json_t *json = json_loadb(line, size, flags, &error);
	enum err err;

	if (!json) {
		explain(why, "not JSON: %s (column %d)", error.text, error.column);
		return ERR_JSON;
	}
	err = json_to_msgpack(json, &packer, why);
	json_decref(json);
	if (!err && buffer->overflow) {
		explain(why, "too long: more than %zu bytes of msgpack",
			buffer->capacity);
		err = ERR_FULL;
	}
	if (err)
		buffer->size = start;
	return err;
}
