/* What a viewer is sent, as bytes to compare. */
#include "tests/unit/wire.h"
#include "tests/unit/playout.h"

#include <string.h>

void wire_init(struct wire *wire)
{
	msgpack_sbuffer_init(&wire->buffer);
	msgpack_packer_init(&wire->packer, &wire->buffer, msgpack_sbuffer_write);
}

void wire_clear(struct wire *wire)
{
	msgpack_sbuffer_clear(&wire->buffer);
}

void wire_release(struct wire *wire)
{
	msgpack_sbuffer_destroy(&wire->buffer);
}

bool wire_equal(const struct wire *a, const struct wire *b)
{
	return a->buffer.size == b->buffer.size &&
	       (!a->buffer.size ||
		       !memcmp(a->buffer.data, b->buffer.data, a->buffer.size));
}

void wire_view(struct wire *wire, const struct game *game, const void *state, int viewer)
{
	struct table view;

	game_observe(game, state, viewer, view.bytes);
	game_write_view(game, view.bytes, &wire->packer);
}

const char *wire_read_view(const struct wire *wire, const struct game *game, void *view)
{
	msgpack_zone zone;
	msgpack_object object;
	const char *wrong = "not msgpack";

	msgpack_zone_init(&zone, 8192);
	if (msgpack_unpack(wire->buffer.data, wire->buffer.size, NULL, &zone, &object) ==
		MSGPACK_UNPACK_SUCCESS)
		wrong = game_read_view(game, &object, view);
	msgpack_zone_destroy(&zone);
	return wrong;
}
