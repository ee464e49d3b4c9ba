/* Reading the decision at which play branches off from a replay. */
#include "arbiter/tools/branch.h"
#include "protocol/memory.h"

#include <stdlib.h>
#include <string.h>

/* The numbers of each seat's last question, collected during the playback. */
struct questions {
	struct compose_question last[GAME_SEATS_MAX];
};

static void take_message(
	void *context, const struct replay_message *message, struct blob bytes)
{
	struct questions *questions = context;

	(void)bytes;
	if (message->has_question)
		questions->last[message->seat] = message->question;
}

/* The next entry of the script, which grows as the file is read: the number of the
 * decision comes from the user and may be far beyond the end. */
static struct match_scripted *next_scripted(struct branch_point *point)
{
	if ((point->recorded & (point->recorded - 1)) == 0) {
		size_t room = point->recorded ? 2 * (size_t)point->recorded : 1;

		point->script =
			xreallocarray(point->script, room, sizeof(*point->script));
	}
	return &point->script[point->recorded++];
}

static void take_scripted(struct branch_point *point, const struct replay_move *move,
	const struct questions *questions)
{
	struct match_scripted *scripted = next_scripted(point);
	const struct compose_question *question = &questions->last[move->seat];

	*scripted = (struct match_scripted){.seat = move->seat, .action = move->action};
	if (move->offence.size) {
		scripted->offence = xstrndup(move->offence.bytes, move->offence.size);
	}
	if (!move->turn)
		return;
	scripted->bank_ns = question->bank_us * NS_PER_US;
	scripted->budget_ns = question->budget_us * NS_PER_US;
	scripted->bank_after_ns = move->bank_us * NS_PER_US;
	point->position.bank_ns[move->seat] = point->recorded < (uint32_t)point->decision
						      ? scripted->bank_after_ns
						      : scripted->bank_ns;
}

static void take_step(struct branch_point *point, struct playback *p,
	const struct playback_step *step, const struct questions *questions)
{
	switch (step->type) {
	case REPLAY_ACTION:
		point->decisions = step->decision;
		if (step->decision > point->decision)
			break;
		take_scripted(point, &step->move, questions);
		if (step->decision < point->decision)
			break;
		point->seat = step->move.seat;
		point->by = step->move.by;
		memcpy(point->state, playback_state(p),
			point->info.setup.game->state_size);
		break;
	case REPLAY_RESULT:
		point->has_result = !step->ended.is_void;
		point->result = step->ended.result;
		point->result.reason = NULL;
		break;
	case REPLAY_SEAL:
		point->sealed = true;
		memcpy(point->nonce, step->sealed.nonce, sizeof(point->nonce));
		memcpy(point->seed, step->sealed.seed, sizeof(point->seed));
		break;
	default:
		break;
	}
}

static bool is_choice(const struct branch_point *point, struct why *why)
{
	if (point->recorded < (uint32_t)point->decision)
		why_set(why, "--at %d: the match has the decisions 1 to %d",
			point->decision, point->decisions);
	else if (point->by == BY_FORCED)
		why_set(why,
			"--at %d: seat %d had only one legal move "
			"there; `pigpen replay show` lists the decisions",
			point->decision, point->seat);
	else
		return true;
	return false;
}

enum playback_status branch_point_load(
	struct branch_point *point, const char *path, int decision, struct why *why)
{
	struct questions questions = {0};
	struct playback_options options = {
		.prove = true, .message = take_message, .context = &questions};
	enum playback_status status;
	struct playback *p = playback_open(path, &options, &status, why);
	struct playback_step step;

	memset(point, 0, sizeof(*point));
	if (!p)
		return status;
	point->info = *playback_info(p);
	point->decision = decision;
	for (int seat = 0; seat < point->info.setup.seats; seat++)
		point->position.bank_ns[seat] = point->info.setup.clock.bank_ns;
	point->position.state = point->state;
	while ((status = playback_next(p, &step)) == PLAYBACK_STEP)
		take_step(point, p, &step, &questions);
	if (status != PLAYBACK_DONE)
		why_set(why, "%s", playback_why(p));
	playback_free(&p);
	if (status != PLAYBACK_DONE && status != PLAYBACK_CUT)
		return status;
	return is_choice(point, why) ? status : PLAYBACK_STEP;
}

void branch_point_release(struct branch_point *point)
{
	for (uint32_t i = 0; i < point->recorded; i++)
		free((char *)point->script[i].offence);
	free(point->script);
	memset(point, 0, sizeof(*point));
}
