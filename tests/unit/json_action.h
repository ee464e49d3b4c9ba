/* JSON text as a msgpack object, for actions as a bot would send them. */
#ifndef TESTS_UNIT_JSON_ACTION_H
#define TESTS_UNIT_JSON_ACTION_H

#include <msgpack.h>
#include <stdbool.h>

/* The object lives in the zone. False if the text is not JSON. */
bool json_to_object(const char *text, msgpack_zone *zone, msgpack_object *object);

#endif
