/*
 * Takes each legal action with the same chance. Its choices follow from the seed that
 * the arbiter gives to the seat and from the turn, so a match can be played again.
 */
#include "protocol/bot.h"

/* SplitMix64's finalizer: every bit of the result depends on every bit of x. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static void act(struct bot_match *match, const struct message_act *question,
	struct bot_answer *answer)
{
	uint64_t seed;

	memcpy(&seed, match->info.rng.bytes, sizeof(seed));
	answer->choice = (int64_t)(mix(seed + mix((uint64_t)question->turn)) %
				   (uint64_t)blob_count(question->legal));
}

int main(void)
{
	return bot_run(&(struct bot){
		.name = "random", .version = "1", .matches = 1024, .act = act});
}
