/*
 * Actions as bots spell them, in a position of some game: what is read is written in one
 * form that reads as the same action; `check` allows it exactly if it is in the list of
 * legal actions; whatever is applied, as a move or as an offence, leaves a sound table.
 */
#include "protocol/limits.h"
#include "protocol/scan.h"
#include "tests/fuzz/position.h"

static bool unpack(struct blob blob, msgpack_zone *zone, msgpack_object *object)
{
	struct scan scan = scan_on(blob);

	/* As the codec does, before anything is allocated. */
	return scan_skip(&scan, NESTING_MAX, NULL) == ERR_OK && scan.at == scan.end &&
	       blob_unpack(blob, zone, object);
}

static void round_trip(const struct position *p, const struct action *action)
{
	uint8_t bytes[1024];
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));
	msgpack_packer packer = buffer_packer(&buffer);
	msgpack_zone zone;
	msgpack_object object;
	struct action again;

	msgpack_zone_init(&zone, 1024);
	game_write_action(p->game, action, &packer);
	assert(!buffer.overflow);
	assert(unpack(blob_since(&buffer, 0), &zone, &object));
	assert(game_read_action(p->game, p->seats, &object, &again, NULL));
	assert(action_equal(action, &again));
	msgpack_zone_destroy(&zone);
}

static bool is_legal(const struct position *p, int seat, const struct action *action)
{
	struct action legal[GAME_LEGAL_MAX];
	int n = p->game->legal(p->state, seat, legal);

	for (int i = 0; i < n; i++)
		if (action_equal(&legal[i], action))
			return true;
	return false;
}

static void perform(const struct position *p, int seat, const struct action *action)
{
	static struct events events;
	struct position next = *p;
	struct refusal why = {0};
	bool allowed = p->game->check(p->state, seat, action, &why);
	bool pending = game_seat_in(game_head(p->state)->pending, seat);

	assert(allowed == is_legal(p, seat, action));
	assert(allowed || (why.clause && why.why));
	events.count = 0;
	if (allowed)
		p->game->apply(next.state, seat, action, &events);
	else if (pending && p->game->offence &&
		 game_head(p->state)->option[OPTION_FAULTS] &&
		 !p->game->offence(next.state, seat, action, &events))
		assert(!memcmp(next.state, p->state, p->game->state_size));
	assert(!p->game->invariants(next.state));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	struct position position;
	struct refusal why = {0};
	struct action action;
	msgpack_zone zone;
	msgpack_object object;

	position_take(&position, &input);
	msgpack_zone_init(&zone, 1024);
	if (unpack((struct blob){input.at, (uint32_t)input.left}, &zone, &object)) {
		if (game_read_action(
			    position.game, position.seats, &object, &action, &why)) {
			round_trip(&position, &action);
			for (int seat = 0; seat < position.seats; seat++)
				perform(&position, seat, &action);
		} else {
			assert(why.clause && why.why);
		}
	}
	msgpack_zone_destroy(&zone);
	return 0;
}
