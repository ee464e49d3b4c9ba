/*
 * Plays every game by the simple rules of sample_bots/c/common/player_*.c, one file for
 * each game, and says why in its notes.
 */
#include "protocol/bot.h"
#include "sample_bots/c/common/player.h"
#include "sample_bots/c/common/question.h"

static void act(struct bot_match *match, const struct message_act *act_message,
	struct bot_answer *answer)
{
	struct question question;
	const char *why = question_read(&question, &match->info, act_message);

	if (!why)
		answer->choice = player_choose(player_of(question.game), &question.view,
			question.seat, question.legal, question.legal_count, &why);
	bot_note(answer, "%s", why);
}

int main(void)
{
	return bot_run(&(struct bot){
		.name = "greedy", .version = "1", .matches = 256, .act = act});
}
