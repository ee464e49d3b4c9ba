/* Playing a recorded match on from one of its decisions. */
#include "arbiter/tools/branch.h"
#include "arbiter/loop/loop.h"
#include "arbiter/base/words.h"
#include "protocol/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const branch_kind_names[] = {"recorded", "own", "legal"};

/* The script for the true world: the recorded decisions, then the choice instead of the
 * recorded one. */
static void write_script(struct branch_choice *choice, const struct branch_point *point)
{
	uint32_t last = (uint32_t)point->decision - 1;

	choice->decision = xcalloc((size_t)point->decision, sizeof(*choice->decision));
	memcpy(choice->decision, point->script,
		(size_t)point->decision * sizeof(*choice->decision));
	choice->script.decision = choice->decision;
	choice->script.count = choice->kind == BRANCH_OWN ? last : last + 1;
	if (choice->kind == BRANCH_LEGAL) {
		choice->decision[last].action = choice->action;
		choice->decision[last].offence = NULL;
	}
}

static void add_choice(
	struct branch *branch, enum branch_kind kind, const struct action *action)
{
	struct branch_choice *choice = &branch->choice[branch->count++];

	*choice = (struct branch_choice){.kind = kind, .action = *action};
	choice->outcome = xcalloc((size_t)branch->worlds, sizeof(*choice->outcome));
	write_script(choice, branch->point);
}

void branch_init(struct branch *branch, const struct branch_point *point,
	const struct branch_options *options)
{
	const struct action *recorded = &point->script[point->decision - 1].action;
	struct action legal[GAME_LEGAL_MAX];
	int n = point->info.setup.game->legal(point->state, point->seat, legal);

	*branch = (struct branch){.point = point, .options = *options};
	branch->worlds = options->worlds ? options->worlds : 1;
	branch->choice = xcalloc((size_t)n + 2, sizeof(*branch->choice));
	add_choice(branch, BRANCH_RECORDED, recorded);
	if (!options->each_choice)
		add_choice(branch, BRANCH_OWN, recorded);
	for (int i = 0; options->each_choice && i < n; i++)
		if (!action_equal(&legal[i], recorded))
			add_choice(branch, BRANCH_LEGAL, &legal[i]);
}

void branch_release(struct branch *branch)
{
	for (int i = 0; i < branch->count; i++) {
		free(branch->choice[i].decision);
		free(branch->choice[i].outcome);
	}
	free(branch->choice);
	branch->choice = NULL;
	branch->count = 0;
}

/* One match: a choice in a world. */
struct trial {
	struct branch_choice *choice;
	struct branch_outcome *outcome;
	struct match_position position;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
};

struct trials {
	struct branch *branch;
	struct loop *loop;
	struct entrant *entrant[GAME_SEATS_MAX];
	uint8_t series[CHANCE_SEED_SIZE];
	int next; /* next trial: world by world, in each all choices */
	bool broken;
};

/* The rules that the recorded match was played by. */
static struct match_rules rules_of(const struct replay_info *info)
{
	int policy = word_index(policy_names, info->policy);
	struct match_rules rules = {
		.game = info->setup.game,
		.seats = info->setup.seats,
		.clock = info->setup.clock,
		.policy = policy == POLICY_FORFEIT ? POLICY_FORFEIT : POLICY_SUBSTITUTE,
		.retries = (int)info->retries,
	};

	memcpy(rules.option, info->setup.option, sizeof(rules.option));
	return rules;
}

static void init_match(const struct trials *trials, struct loop_match *request)
{
	const struct branch_point *point = trials->branch->point;
	const struct replay_info *info = &point->info;
	struct match_rules rules = rules_of(info);

	loop_match_init(request, &rules, trials->entrant, point->seed, NULL);
	request->config.setup.match_id = info->setup.match_id;
	request->config.setup.names_shown = info->setup.names_shown;
	request->config.ready_ns_max = info->ready_us * NS_PER_US;
	request->config.start_unix_s = info->start_unix_s;
}

static void enter_true_world(const struct trials *trials, const struct trial *trial,
	struct match_config *config)
{
	const struct branch_point *point = trials->branch->point;

	memcpy(config->nonce, point->nonce, sizeof(config->nonce));
	config->script = &trial->choice->script;
}

/* Draws the hidden cards from the seat's view and applies the choice. */
static void draw_world(
	const struct trials *trials, struct trial *trial, const uint8_t *seed)
{
	const struct branch_point *point = trials->branch->point;
	const struct game *game = point->info.setup.game;
	const struct match_scripted *decision =
		&trial->choice->decision[point->decision - 1];
	_Alignas(16) uint8_t view[GAME_STATE_MAX];
	struct chance_stream stream;
	bool penal = true;

	chance_stream_init(&stream, seed, "branch");
	game_observe(game, point->state, point->seat, view);
	game->sample(
		view, &(struct game_random){chance_stream_next, &stream}, trial->state);
	if (trial->choice->kind == BRANCH_OWN)
		return;
	if (decision->offence)
		penal = game->offence(
			trial->state, point->seat, &trial->choice->action, NULL);
	else
		game->apply(trial->state, point->seat, &trial->choice->action, NULL);
	assert(penal);
	(void)penal;
}

static void enter_sampled_world(const struct trials *trials, struct trial *trial,
	int world, struct match_config *config)
{
	chance_seed_for_match(trials->series, (uint64_t)world, config->seed);
	draw_world(trials, trial, config->seed);
	trial->position = trials->branch->point->position;
	trial->position.state = trial->state;
	config->position = &trial->position;
	/* Unique ids, because a bot may be in many of these matches at once. */
	config->setup.match_id = (INT64_C(1) << 52) + trials->next;
}

static enum loop_next next_trial(void *context, struct loop *loop)
{
	struct trials *trials = context;
	struct branch *branch = trials->branch;
	int world = trials->next / branch->count;
	struct loop_match request;
	struct trial *trial;

	if (world == branch->worlds || trials->broken)
		return NEXT_NONE;
	trial = xcalloc(1, sizeof(*trial));
	trial->choice = &branch->choice[trials->next % branch->count];
	trial->outcome = &trial->choice->outcome[world];
	init_match(trials, &request);
	if (branch->options.worlds)
		enter_sampled_world(trials, trial, world, &request.config);
	else
		enter_true_world(trials, trial, &request.config);
	if (trial->choice->kind == BRANCH_OWN)
		request.replay_path = branch->options.replay_path;
	request.user = trial;
	trials->next++;
	loop_add_match(loop, &request);
	return NEXT_ADDED;
}

static void note_fault(struct trials *trials, const struct loop_report *report, int seat)
{
	const struct fault *fault = report->fault[seat];
	struct branch *branch = trials->branch;

	trials->broken |= fault->class == FAULT_STARTUP;
	if (branch->first_fault[0])
		return;
	snprintf(branch->first_fault, sizeof(branch->first_fault), "seat %d: %s: %s%s%s",
		seat, fault_names[fault->class], fault->why,
		*fault->stderr_tail ? "; last line of its output: " : "",
		fault->stderr_tail);
}

static void trial_done(void *context, const struct loop_report *report)
{
	struct trials *trials = context;
	struct branch *branch = trials->branch;
	struct trial *trial = report->user;
	struct branch_outcome *outcome = trial->outcome;
	const struct match_seat *seat = &report->match->seat[branch->point->seat];

	outcome->played = !report->match->is_void;
	outcome->result = report->match->result;
	outcome->opened = seat->opened;
	outcome->opening = seat->opening;
	for (int i = 0; i < branch->point->info.setup.seats; i++)
		if (report->fault[i]) {
			note_fault(trials, report, i);
			outcome->faulted = true;
		}
	branch->faults += outcome->faulted;
	if (report->match->is_void && !branch->first_fault[0])
		snprintf(branch->first_fault, sizeof(branch->first_fault), "void: %s",
			report->match->void_reason);
	free(trial);
}

bool branch_play(struct branch *branch, struct why *why)
{
	const struct branch_options *options = &branch->options;
	struct trials trials = {.branch = branch};
	struct loop_client client = {
		.next = next_trial, .done = trial_done, .context = &trials};
	/* In the true world every match has the same id and the same cards, so each needs
	 * its own process. */
	struct loop_options loop_options = {
		.jobs_max = options->worlds ? options->jobs : 1,
		.fresh = !options->worlds,
		.one_match_per_process =
			branch->point->info.setup.clock.kind == CLOCK_KIND_CPU,
		.stop_on_signals = true,
		.sandbox = options->sandbox,
	};

	chance_seed_from_text(options->seed, trials.series);
	trials.loop = loop_new(&loop_options, why);
	if (!trials.loop)
		return false;
	for (int i = 0; i < branch->point->info.setup.seats; i++)
		trials.entrant[i] = loop_entrant(trials.loop,
			i == branch->point->seat ? options->bot : options->others,
			loop_options.jobs_max);
	branch->finished = loop_run(trials.loop, &client) && !trials.broken;
	loop_free(&trials.loop);
	return true;
}
