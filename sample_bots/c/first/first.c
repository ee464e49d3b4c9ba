/* Always takes the first legal action: the smallest whole bot. */
#include "protocol/bot.h"

static void act(struct bot_match *match, const struct message_act *question,
	struct bot_answer *answer)
{
	(void)match, (void)question;
	answer->choice = 0;
}

int main(void)
{
	return bot_run(&(struct bot){
		.name = "first", .version = "1", .matches = 1024, .act = act});
}
