/* JSON text as a msgpack object. */
#include "tests/unit/json_action.h"
#include "protocol/json.h"

#include <string.h>

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
	ok = json_to_msgpack(json, &pk, NULL) == ERR_OK;
	json_decref(json);
	/* Strings of the object point into the bytes, so these go into the zone too. */
	bytes = msgpack_zone_malloc(zone, buffer.size);
	memcpy(bytes, buffer.data, buffer.size);
	ok = ok && msgpack_unpack(bytes, buffer.size, NULL, zone, object) ==
			   MSGPACK_UNPACK_SUCCESS;
	msgpack_sbuffer_destroy(&buffer);
	return ok;
}
