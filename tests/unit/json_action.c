#include "tests/unit/json_action.h"

#include <jansson.h>
#include <string.h>

static void pack(const json_t *json, msgpack_packer *pk)
{
	const char *key;
	json_t *value;
	size_t i;

	switch (json_typeof(json)) {
	case JSON_OBJECT:
		msgpack_pack_map(pk, json_object_size(json));
		json_object_foreach((json_t *)(uintptr_t)json, key, value)
		{
			msgpack_pack_str_with_body(pk, key, strlen(key));
			pack(value, pk);
		}
		break;
	case JSON_ARRAY:
		msgpack_pack_array(pk, json_array_size(json));
		json_array_foreach(json, i, value) pack(value, pk);
		break;
	case JSON_STRING:
		msgpack_pack_str_with_body(
			pk, json_string_value(json), json_string_length(json));
		break;
	case JSON_INTEGER:
		msgpack_pack_int64(pk, json_integer_value(json));
		break;
	case JSON_REAL:
		msgpack_pack_double(pk, json_real_value(json));
		break;
	case JSON_TRUE:
		msgpack_pack_true(pk);
		break;
	case JSON_FALSE:
		msgpack_pack_false(pk);
		break;
	case JSON_NULL:
		msgpack_pack_nil(pk);
		break;
	}
}

bool json_to_object(const char *text, msgpack_zone *zone, msgpack_object *object)
{
	json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
	msgpack_sbuffer buffer;
	msgpack_packer pk;
	char *bytes;
	bool ok;

	if (!json)
		return false;
	msgpack_sbuffer_init(&buffer);
	msgpack_packer_init(&pk, &buffer, msgpack_sbuffer_write);
	pack(json, &pk);
	json_decref(json);
	/* Strings of the object point into the bytes, so these go into the zone too. */
	bytes = msgpack_zone_malloc(zone, buffer.size);
	memcpy(bytes, buffer.data, buffer.size);
	ok = msgpack_unpack(bytes, buffer.size, NULL, zone, object) ==
	     MSGPACK_UNPACK_SUCCESS;
	msgpack_sbuffer_destroy(&buffer);
	return ok;
}
