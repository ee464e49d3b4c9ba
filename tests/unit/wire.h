/* What a viewer is sent, as bytes, for comparing. */
#ifndef TESTS_UNIT_WIRE_H
#define TESTS_UNIT_WIRE_H

#include "games/game.h"

/* msgpack values one after another. Initialise with wire_init, free with wire_release. */
struct wire {
	msgpack_sbuffer buffer;
	msgpack_packer packer;
};

void wire_init(struct wire *wire);
void wire_clear(struct wire *wire);
void wire_release(struct wire *wire);
bool wire_equal(const struct wire *a, const struct wire *b);

/* The view of the viewer: observed and written. */
void wire_view(struct wire *wire, const struct game *game, const void *state, int viewer);
/* Reads the first value back as a view. NULL or what is wrong. */
const char *wire_read_view(const struct wire *wire, const struct game *game, void *view);

#endif
