/*
 * States and views as bytes: what is read is written in one form that reads as the same
 * table. A state whose invariants hold can be looked at by everybody and played on, and
 * then they hold again.
 *
 * The input is a value of its own for one of the games, or a true position with some of
 * its bytes changed.
 */
#include "protocol/limits.h"
#include "protocol/scan.h"
#include "tests/fuzz/position.h"

#define STATE_BYTES_MAX (1 << 16)

static uint8_t first_bytes[STATE_BYTES_MAX], second_bytes[STATE_BYTES_MAX];

static bool read_state(const struct game *game, struct blob blob, void *state)
{
	struct scan scan = scan_on(blob);
	msgpack_zone zone;
	msgpack_object object;
	const char *wrong = "these bytes are not one value";

	msgpack_zone_init(&zone, 8192);
	if (scan_skip(&scan, NESTING_MAX, NULL) == ERR_OK && scan.at == scan.end &&
		blob_unpack(blob, &zone, &object))
		wrong = game_read_view(game, &object, state);
	assert(!wrong || *wrong);
	msgpack_zone_destroy(&zone);
	return !wrong;
}

static struct blob write_state(const struct game *game, const void *state, uint8_t *bytes)
{
	struct buffer buffer = buffer_on(bytes, STATE_BYTES_MAX);
	msgpack_packer packer = buffer_packer(&buffer);

	game_write_view(game, state, &packer);
	assert(!buffer.overflow);
	return blob_since(&buffer, 0);
}

static void round_trip(const struct game *game, const void *state)
{
	_Alignas(16) uint8_t again[GAME_STATE_MAX];
	struct blob first = write_state(game, state, first_bytes), second;

	assert(read_state(game, first, again));
	assert(!memcmp(state, again, game->state_size));
	second = write_state(game, again, second_bytes);
	assert(first.size == second.size &&
		!memcmp(first.bytes, second.bytes, first.size));
}

static void play_on(const struct game *game, const void *state)
{
	static struct events events;
	struct action legal[GAME_LEGAL_MAX], fallback;
	_Alignas(16) uint8_t next[GAME_STATE_MAX], view[GAME_STATE_MAX];

	for (int seat = 0; seat < game_head(state)->seats; seat++) {
		int n = game->legal(state, seat, legal);

		game_observe(game, state, seat, view);
		round_trip(game, view);
		if (n > 0)
			game->fallback(view, &fallback);
		for (int i = 0; i < n; i++) {
			assert(game->check(state, seat, &legal[i], NULL));
			memcpy(next, state, game->state_size);
			events.count = 0;
			game->apply(next, seat, &legal[i], &events);
			assert(!game->invariants(next));
		}
	}
}

/* Changes of one byte each: where, and what. */
static struct blob changed_position(
	struct fuzz_input *input, const struct game **game, uint8_t *bytes)
{
	struct position position;
	_Alignas(16) uint8_t view[GAME_STATE_MAX];
	struct blob blob;

	position_take(&position, input);
	*game = position.game;
	game_observe(position.game, position.state, fuzz_below(input, 4) - 2, view);
	blob = write_state(position.game, view, bytes);
	while (input->left) {
		uint32_t at = fuzz_byte(input);

		at = (at << 8 | fuzz_byte(input)) % blob.size;
		bytes[at] = fuzz_byte(input);
	}
	return blob;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t bytes[STATE_BYTES_MAX];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct fuzz_input input = {data, size};
	const struct game *game;
	struct blob blob;
	int kind = fuzz_byte(&input) % 6;

	if (kind < 5) {
		game = game_list[kind];
		blob = (struct blob){input.at, (uint32_t)input.left};
	} else {
		blob = changed_position(&input, &game, bytes);
	}
	if (!read_state(game, blob, state))
		return 0;
	round_trip(game, state);
	if (game_head(state)->viewer == OMNISCIENT && !game->invariants(state))
		play_on(game, state);
	return 0;
}
