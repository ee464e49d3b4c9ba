/* The steps that are ordinary matches, against the sample bot `random`. */
#include "arbiter/base/files.h"
#include "arbiter/base/temporary.h"
#include "arbiter/check/check.h"
#include "arbiter/loop/loop.h"
#include "arbiter/replay/playback.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT_ONCE_MAX 4
#define IN_A_ROW    3
#define AGAIN_MAX   8 /* void matches waiting to be played again */
#define PATH_SIZE   (TEMPORARY_PATH_SIZE + 64)
#define FIRST_ID    (INT64_C(1) << 52)

/* Options that keep a match short; everything else is the default. */
static const struct {
	const char *game, *option, *value;
} short_options[] = {
	{"pig_pile", "rounds", "1"},
	{"pig_it_hog_it", "games", "1"},
	{"pig_it_hog_it", "max_rounds", "6"},
	{"tennessee_pig", "max_hands", "4"},
};

struct check_plan {
	const struct bot_spec *bot;
	struct bot_spec random;
	const struct check_options *options;
	struct check_report *report;
	struct loop *loop;
	struct entrant *entrant[GAME_SEATS_MAX];
	char folder[TEMPORARY_PATH_SIZE];
	/* The matches of the current step. */
	const struct game *game;
	int seats, matches, added, finished;
	int again[AGAIN_MAX], again_count; /* numbers of void ones */
	const char *series;                /* names the step's files */
	bool failed;
};

static void set_short(const struct game *game, int16_t *option)
{
	game_defaults(game, option);
	for (size_t i = 0; i < sizeof(short_options) / sizeof(short_options[0]); i++) {
		int at = game_option_find(game, short_options[i].option);

		if (!strcmp(short_options[i].game, game->id) && at >= 0)
			game_option_parse(
				&game->options[at], short_options[i].value, &option[at]);
	}
}

static void replay_path(const struct check_plan *plan, int match, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "%s/%s-%s-%d-%d.replay", plan->folder, plan->series,
		plan->game->id, plan->seats, match);
}

static void add_match(struct check_plan *plan, int number)
{
	char path[PATH_SIZE], name[64];
	struct match_rules rules = {
		.game = plan->game, .seats = plan->seats, .clock = plan->options->clock};
	uint8_t seed[CHANCE_SEED_SIZE];
	struct loop_match request;

	set_short(plan->game, rules.option);
	snprintf(name, sizeof(name), "check %d", number);
	chance_seed_from_text(name, seed);
	replay_path(plan, number, path);
	unlink(path);
	loop_match_init(&request, &rules, plan->entrant, seed, path);
	/* A match that is played again is the same to the last byte. */
	request.config.setup.match_id = FIRST_ID + number;
	memset(request.config.nonce, 0, sizeof(request.config.nonce));
	loop_add_match(plan->loop, &request);
}

static enum loop_next next_match(void *context, struct loop *loop)
{
	struct check_plan *plan = context;

	(void)loop;
	if (plan->finished == plan->matches || plan->failed)
		return NEXT_NONE;
	if (plan->again_count)
		add_match(plan, plan->again[--plan->again_count]);
	else if (plan->added < plan->matches)
		add_match(plan, plan->added++);
	else
		return NEXT_LATER;
	return NEXT_ADDED;
}

/* A bot was late because the host was starved, which is no fault of the bot. The loop
 * excuses that a few times only. */
static bool is_excused(const struct loop_report *report)
{
	for (int seat = 0; seat < report->match->config.setup.seats; seat++)
		if (report->fault[seat] && report->fault[seat]->class == FAULT_ARBITER)
			return true;
	return false;
}

static void note_fault(struct check_step *step, const struct fault *fault)
{
	step->verdict = CHECK_FAIL;
	why_set(&step->why, "%s: %s", fault_names[fault->class], fault->why);
	snprintf(step->output, sizeof(step->output), "%s", fault->stderr_tail);
	step->bytes_size = fault->bytes_size < sizeof(step->bytes) ? fault->bytes_size
								   : sizeof(step->bytes);
	memcpy(step->bytes, fault->bytes, step->bytes_size);
}

static void match_done(void *context, const struct loop_report *report)
{
	struct check_plan *plan = context;
	struct check_step *step = &plan->report->list[plan->report->count - 1];

	if (is_excused(report) && plan->again_count < AGAIN_MAX) {
		plan->again[plan->again_count++] =
			(int)(report->match->config.setup.match_id - FIRST_ID);
		return;
	}
	plan->finished++;
	if (step->verdict == CHECK_FAIL)
		return;
	if (report->fault[0]) {
		note_fault(step, report->fault[0]);
		plan->failed = true;
	} else if (report->match->is_void) {
		step->verdict = CHECK_FAIL;
		why_set(&step->why, "the match was void: %s", report->match->void_reason);
		plan->failed = true;
	}
}

/* Plays the step's matches in one process of the bot; false: the step has failed. */
static bool play(struct check_plan *plan, const struct game *game, int seats, int matches,
	int at_once, const char *series)
{
	struct check_step *step = &plan->report->list[plan->report->count - 1];
	struct loop_options options = {
		.jobs_max = at_once, .sandbox = plan->options->sandbox};
	struct loop_client client = {
		.next = next_match, .done = match_done, .context = plan};
	struct why why;

	plan->game = game;
	plan->seats = seats;
	plan->matches = matches;
	plan->added = plan->finished = plan->again_count = 0;
	plan->series = series;
	plan->failed = false;
	plan->loop = loop_new(&options, &why);
	if (!plan->loop) {
		step->verdict = CHECK_FAIL;
		return why_set(&step->why, "%s", why.text);
	}
	plan->entrant[0] = loop_entrant(plan->loop, plan->bot, 1);
	for (int s = 1; s < seats; s++)
		plan->entrant[s] = loop_entrant(plan->loop, &plan->random, 1);
	loop_run(plan->loop, &client);
	loop_free(&plan->loop);
	return step->verdict == CHECK_PASS;
}

static void check_game(struct check_plan *plan, const struct game *game)
{
	int middle = (game->seats_min + game->seats_max) / 2;

	for (int seats = game->seats_min; seats <= game->seats_max; seats++) {
		if (!plan->options->every_seat_count && seats != game->seats_min &&
			seats != middle && seats != game->seats_max)
			continue;
		check_begin(plan->report, "%s, %d seats", game->title, seats);
		play(plan, game, seats, 1, 1, "whole");
		check_end(plan->report, plan->options);
	}
}

static void check_series(struct check_plan *plan)
{
	const struct game *game = plan->options->game[0];
	int at_once = plan->bot->matches < AT_ONCE_MAX ? plan->bot->matches : AT_ONCE_MAX;
	struct check_step *step;

	check_begin(plan->report, "%d matches in a row", IN_A_ROW);
	play(plan, game, game->seats_min, IN_A_ROW, 1, "row");
	check_end(plan->report, plan->options);
	step = check_begin(plan->report, "several matches at once");
	if (at_once > 1) {
		play(plan, game, game->seats_min, 2 * at_once, at_once, "once");
	} else {
		step->verdict = CHECK_SKIP;
		why_set(&step->why, "its bot.json declares \"matches\": 1");
	}
	check_end(plan->report, plan->options);
}

/* Hash of all moves of seat 0, 0 if the file cannot be read. */
static uint64_t hash_moves(const char *path)
{
	enum playback_status status;
	struct why why;
	struct playback *p = playback_open(path, NULL, &status, &why);
	struct playback_step step;
	uint64_t hash = 14695981039346656037u;

	if (!p)
		return 0;
	while (playback_next(p, &step) == PLAYBACK_STEP) {
		const uint8_t *at = (const uint8_t *)&step.move.action;

		if (step.type != REPLAY_ACTION || step.move.seat != 0)
			continue;
		for (size_t i = 0; i < sizeof(step.move.action); i++)
			hash = (hash ^ at[i]) * 1099511628211u;
	}
	playback_free(&p);
	return hash;
}

static void check_deterministic(struct check_plan *plan)
{
	const struct game *game = plan->options->game[0];
	struct check_step *step = check_begin(plan->report, "deterministic given rng");
	char first[PATH_SIZE], again[PATH_SIZE];

	if (!plan->bot->deterministic) {
		step->verdict = CHECK_SKIP;
		why_set(&step->why,
			"its bot.json does not declare \"deterministic\": true");
	} else if (play(plan, game, game->seats_min, 1, 1, "first")) {
		replay_path(plan, 0, first);
		if (play(plan, game, game->seats_min, 1, 1, "again")) {
			replay_path(plan, 0, again);
			if (hash_moves(first) != hash_moves(again)) {
				step->verdict = CHECK_FAIL;
				why_set(&step->why, "the same match with the same rng "
						    "was played differently; draw "
						    "every random number from `rng`");
			}
		}
	}
	check_end(plan->report, plan->options);
}

/* Finds the opponent and a folder for the replays. */
static bool prepare(struct check_plan *plan, struct why *why)
{
	if (!temporary_folder(plan->folder, 0700, why))
		return false;
	if (bot_spec_load(&plan->random, "c/random", why))
		return true;
	rmdir(plan->folder);
	return why_before(why, "the opponent `random` cannot be started: ");
}

void check_matches(const struct bot_spec *bot, const struct check_options *options,
	struct check_report *report)
{
	struct check_plan plan = {.bot = bot, .options = options, .report = report};
	struct why why;

	if (!prepare(&plan, &why)) {
		struct check_step *step = check_begin(report, "matches");

		step->verdict = CHECK_SKIP;
		step->why = why;
		check_end(report, options);
		return;
	}
	for (int i = 0; i < options->game_count; i++)
		check_game(&plan, options->game[i]);
	check_series(&plan);
	check_deterministic(&plan);
	remove_tree(plan.folder);
	bot_spec_release(&plan.random);
}
