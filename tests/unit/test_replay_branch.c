/*
 * `replay branch` without processes: its arithmetic against numbers worked out by hand,
 * and scripts that lead to the recorded position whatever the bots answer.
 */
#include "tests/unit/each_game.h"
#include "tests/unit/replay_maker.h"
#include "arbiter/tools/branch.h"

#include <math.h>
#include <string.h>

static bool near(double a, double b)
{
	return fabs(a - b) < 0.0005;
}

Test(replay_branch, a_mean_has_an_error_if_there_is_more_than_one_value)
{
	const double four[] = {1, 2, 3, 4};
	struct branch_mean mean = branch_mean_of(four, 4);

	/* The variance is 5/3, the standard error its root over 2. */
	cr_assert(near(mean.mean, 2.5));
	cr_assert(near(mean.error, 1.96 * sqrt(5.0 / 3) / 2));
	mean = branch_mean_of(four, 1);
	cr_assert(near(mean.mean, 1));
	cr_assert(isnan(mean.error));
}

Test(replay_branch, a_win_is_shared_by_the_sides_that_are_first)
{
	struct game_result alone = {.rank = {2, 1, 2}, .team = {-1, -1, -1}};
	struct game_result tied = {.rank = {1, 3, 1}, .team = {-1, -1, -1}};
	struct game_result partners = {.rank = {1, 3, 1, 3}, .team = {0, 1, 0, 1}};
	struct game_result both = {.rank = {1, 1, 1, 1}, .team = {0, 1, 0, 1}};

	cr_assert(near(branch_win(&alone, 3, 1), 1));
	cr_assert(near(branch_win(&alone, 3, 0), 0));
	cr_assert(near(branch_win(&tied, 3, 2), 0.5));
	cr_assert(near(branch_win(&partners, 4, 2), 1));
	cr_assert(near(branch_win(&partners, 4, 3), 0));
	cr_assert(near(branch_win(&both, 4, 3), 0.5));
}

Test(replay_branch, the_interval_of_a_share_stays_between_0_and_1)
{
	double low, high;

	/* Wilson for 5 of 10: 0.2366 to 0.7634; for 0 of 10: up to 0.2775. */
	branch_interval(0.5, 10, &low, &high);
	cr_assert(near(low, 0.2366));
	cr_assert(near(high, 0.7634));
	branch_interval(0, 10, &low, &high);
	cr_assert(near(low, 0));
	cr_assert(near(high, 0.2775));
	branch_interval(1, 10, &low, &high);
	cr_assert(near(low, 1 - 0.2775));
	cr_assert(near(high, 1));
}

static void no_send(void *context, int seat, struct blob message)
{
	(void)context, (void)seat, (void)message;
}

static void no_seat(void *context, int seat)
{
	(void)context, (void)seat;
}

static void no_fault(void *context, int seat, const struct fault *fault)
{
	(void)context, (void)fault;
	cr_assert_fail("seat %d is at fault", seat);
}

static void no_end(void *context)
{
	(void)context;
}

static const struct match_effects silent = {.send = no_send,
	.ask = no_seat,
	.answered = no_seat,
	.faulted = no_fault,
	.finished = no_end};

/* Answers for the first seat that is waited for, always with the first legal action. */
static void answer_one(struct match *match, mono_ns *now)
{
	int seat = __builtin_ctz(match->waiting);

	*now += NS_PER_MS;
	if (match->phase == PHASE_READY)
		match_ready(match, seat, *now);
	else
		match_answer(match, seat,
			&(struct match_answer){
				.turn = match->seat[seat].turn, .received = *now});
}

/* Plays the script; the state just before the decision at the point must be as it was. */
static void follow_script(const struct branch_point *point)
{
	const struct match_script script = {point->script, (uint32_t)point->decision - 1};
	struct match_config config = {.setup = point->info.setup, .script = &script};
	struct compose_scratch *scratch = compose_scratch_new();
	struct match *match = calloc(1, sizeof(*match));
	mono_ns now = NS_PER_S;

	config.ready_ns_max = NS_PER_S;
	memcpy(config.seed, point->seed, sizeof(config.seed));
	memcpy(config.nonce, point->nonce, sizeof(config.nonce));
	match_init(match, &config, &silent, scratch, NULL);
	match_start(match, now);
	while (match->actions < script.count && !match_over(match))
		answer_one(match, &now);
	cr_assert_eq(match->actions, script.count);
	cr_assert_arr_eq(
		match->composer.state, point->state, point->info.setup.game->state_size);
	match_release(match);
	free(match);
	compose_scratch_free(&scratch);
}

/* A penalty that was applied in the true world is one in every sampled world. */
static void punish_in_samples(const char *path, int decision)
{
	struct branch_point *point = calloc(1, sizeof(*point));
	_Alignas(16) uint8_t view[GAME_STATE_MAX], state[GAME_STATE_MAX];
	uint8_t seed[CHANCE_SEED_SIZE] = {1};
	struct chance_stream stream;
	const struct match_scripted *scripted;
	const struct game *game;
	struct why why;

	cr_assert_eq(branch_point_load(point, path, decision, &why), PLAYBACK_DONE, "%s",
		why.text);
	game = point->info.setup.game;
	scripted = &point->script[decision - 1];
	chance_stream_init(&stream, seed, "samples");
	game_observe(game, point->state, point->seat, view);
	for (int i = 0; i < 20; i++) {
		game->sample(
			view, &(struct game_random){chance_stream_next, &stream}, state);
		cr_assert(game->offence(state, point->seat, &scripted->action, NULL));
	}
	branch_point_release(point);
	free(point);
}

/* The last decision that somebody could choose. */
static bool last_choice(
	const char *path, struct branch_point *point, int *offences, int *fallbacks)
{
	struct why why;
	struct playback_step step;
	enum playback_status status;
	struct playback *p = playback_open(path, NULL, &status, &why);
	int last = 0, punished = 0;

	cr_assert(p, "%s", why.text);
	while (playback_next(p, &step) == PLAYBACK_STEP) {
		if (step.type != REPLAY_ACTION)
			continue;
		*offences += step.move.by == BY_PENALTY;
		*fallbacks += step.move.by == BY_FALLBACK;
		if (step.move.by == BY_PENALTY)
			punished = step.decision;
		if (step.move.by != BY_FORCED)
			last = step.decision;
	}
	playback_free(&p);
	if (punished)
		punish_in_samples(path, punished);
	if (!last)
		return false;
	status = branch_point_load(point, path, last, &why);
	cr_assert_eq(status, PLAYBACK_DONE, "%s", why.text);
	return true;
}

static void try_plan(const struct replay_plan *plan, int *offences, int *fallbacks)
{
	struct branch_point *point = calloc(1, sizeof(*point));
	struct replay_made made;
	char path[256];

	snprintf(path, sizeof(path), "%s", replay_file("branch.replay"));
	replay_make(plan, &made);
	replay_write(path, made.bytes, made.size);
	if (last_choice(path, point, offences, fallbacks)) {
		follow_script(point);
		branch_point_release(point);
	}
	replay_made_release(&made);
	free(point);
}

/* Over matches with refusals, offences, fallbacks and lost connections. A fault may end
 * a match at once, so each variant is also played without one. */
static void scripts_lead_to_the_recorded_position(const struct game *game)
{
	int offences = 0, fallbacks = 0;

	for (const struct variant *v = variants; v->game; v++) {
		struct replay_plan plan = replay_plan_rich(game, v, 3);

		if (strcmp(v->game, game->id))
			continue;
		try_plan(&plan, &offences, &fallbacks);
		plan.fault_at = 0;
		plan.offence_percent = 30;
		try_plan(&plan, &offences, &fallbacks);
	}
	cr_expect(!game->offence || offences, "no offence was tried");
	cr_expect(game->teams || fallbacks, "no fallback was tried");
}

EACH_GAME(branch_script, scripts_lead_to_the_recorded_position)
