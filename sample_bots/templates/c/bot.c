/* A Pigpen bot. protocol/bot.h describes everything it can use. */
#include "protocol/bot.h"

#include <stdlib.h>

/* What is remembered in one match. */
struct memory {
	uint64_t random;
};

/* A match begins: match->info has game, options, seat and seats. info.rng is a seed for
 * this match: a bot that uses no other randomness plays the same match again. */
static void match_begins(struct bot_match *match)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		abort();
	memcpy(&memory->random, match->info.rng.bytes, sizeof(memory->random));
	memory->random |= 1;
	match->data = memory;
}

/* A number below n (xorshift). */
static uint64_t below(struct memory *memory, uint64_t n)
{
	memory->random ^= memory->random << 13;
	memory->random ^= memory->random >> 7;
	memory->random ^= memory->random << 17;
	return memory->random % n;
}

/* Does this legal action say {"a": verb}? */
static bool has_verb(const msgpack_object *action, const char *verb)
{
	for (uint32_t i = 0; i < action->via.map.size; i++) {
		const msgpack_object *key = &action->via.map.ptr[i].key;
		const msgpack_object *value = &action->via.map.ptr[i].val;

		if (key->via.str.size == 1 && key->via.str.ptr[0] == 'a')
			return value->via.str.size == strlen(verb) &&
			       memcmp(value->via.str.ptr, verb, strlen(verb)) == 0;
	}
	return false;
}

/* Decide: act->view is all that you may know, act->legal all that you may do; both are
 * msgpack, unpacked with blob_unpack(). */
static void decide(
	struct bot_match *match, const struct message_act *act, struct bot_answer *answer)
{
	int64_t choices[CHOICES_MAX], count = 0;
	msgpack_zone zone;
	msgpack_object legal;

	msgpack_zone_init(&zone, 4096);
	if (!blob_unpack(act->legal, &zone, &legal))
		abort();
	/* One idea for a start: a card that is played is better than one thrown away. */
	if (text_is(match->info.game, "dirty_pig"))
		for (uint32_t i = 0; i < legal.via.array.size; i++)
			if (has_verb(&legal.via.array.ptr[i], "play"))
				choices[count++] = i;
	if (count == 0)
		for (uint32_t i = 0; i < legal.via.array.size; i++)
			choices[count++] = i;
	answer->choice = choices[below(match->data, (uint64_t)count)];
	bot_note(answer, "one of %d", (int)count); /* shown in the replay */
	msgpack_zone_destroy(&zone);
}

/* The match is over. Print whatever you like, but to stderr. */
static void match_ends(struct bot_match *match, const struct message_end *end)
{
	(void)end;
	free(match->data);
}

int main(void)
{
	return bot_run(&(struct bot){
		.name = "@NAME@",
		.version = "1",
		.matches = 16,
		.match = match_begins,
		.act = decide,
		.end = match_ends,
	});
}
