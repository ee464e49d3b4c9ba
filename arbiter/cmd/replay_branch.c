/* `pigpen replay branch FILE --at D --bot B`: plays on from a recorded decision. */
#include "arbiter/cmd/match_args.h"
#include "arbiter/cmd/replay.h"
#include "arbiter/tools/branch.h"
#include "protocol/memory.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLES_LIMIT 100000
#define JOBS_LIMIT    1000

enum { KEY_AT = 256, KEY_SEAT, KEY_BOT, KEY_OTHERS, KEY_SAMPLES, KEY_EACH, KEY_SEED };

struct branch_command {
	struct branch_options options;
	const char *file, *bot, *others;
	int at;
	int seat; /* -1: not given */
	bool json;
	char seed[17];
	int status;
	struct bot_spec bot_spec, others_spec;
	struct branch_point point;
	struct match_args args; /* only the sandbox and its limits are used */
};

static const struct argp_option argp_options[] = {
	{"at", KEY_AT, "D", 0, "the decision (`replay show` numbers them)", 0},
	{"seat", KEY_SEAT, "N", 0, "checks that the decision was this seat's", 0},
	{"bot", KEY_BOT, "B", 0, "who plays on for that seat", 0},
	{"others", KEY_OTHERS, "B2", 0, "who plays on for the others (greedy)", 0},
	{"samples", KEY_SAMPLES, "K", 0,
		"play in K worlds drawn from what the seat knew instead of the true one",
		0},
	{"each-choice", KEY_EACH, 0, 0, "try every legal move of the decision", 0},
	{"seed", KEY_SEED, "TEXT", 0, "determines the worlds; random if not given", 0},
	{"jobs", 'j', "N", 0, "sampled worlds at once (4)", 0},
	{"out", 'O', "FILE", 0,
		"write the match with the bot's own choice in the true world as a replay",
		0},
	{"json", KEY_JSON, 0, 0, "print the outcomes as JSON", 0},
	{0},
};

static void parse_number(struct branch_command *command, const char *option,
	const char *text, int min, int max, int *number)
{
	if (!replay_number(option, text, min, max, number))
		command->status = EXIT_USER;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct branch_command *command = state->input;
	struct branch_options *options = &command->options;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &command->args;
		break;
	case KEY_AT:
		parse_number(command, "at", text, 1, INT_MAX / 2, &command->at);
		break;
	case KEY_SEAT:
		parse_number(
			command, "seat", text, 0, GAME_SEATS_MAX - 1, &command->seat);
		break;
	case KEY_BOT:
		command->bot = text;
		break;
	case KEY_OTHERS:
		command->others = text;
		break;
	case KEY_SAMPLES:
		parse_number(
			command, "samples", text, 1, SAMPLES_LIMIT, &options->worlds);
		break;
	case KEY_EACH:
		options->each_choice = true;
		break;
	case KEY_SEED:
		options->seed = text;
		break;
	case 'j':
		parse_number(command, "jobs", text, 1, JOBS_LIMIT, &options->jobs);
		break;
	case 'O':
		options->replay_path = text;
		break;
	case KEY_JSON:
		command->json = true;
		break;
	default:
		return replay_parse_file(key, text, state, &command->file);
	}
	return 0;
}

static const struct argp_child children[] = {{&match_args_sandbox_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {argp_options, parse, "FILE --at D --bot B",
	"Plays on from a decision of a recorded match with live bots, and compares "
	"what comes of the recorded choice with what comes of others: what did it "
	"cost?\vIn the true world the bots are sent the recorded match up to the "
	"decision, their answers replaced by the recorded ones, and then play by "
	"themselves. With --samples the hidden cards are drawn anew from what the "
	"seat knew, the bots begin with `resume`, and later deals are new; each "
	"world is the same for all choices. Without --each-choice the bot's own "
	"choice is tried beside the recorded one. Errors are 1.96 standard errors; "
	"differences are taken world by world. The exit status is 1 if a bot was "
	"at fault or not all was played, 2 for a user error.\n\n"
	"Examples:\n"
	"  pigpen replay branch FILE --at 57 --bot mybot\n"
	"  pigpen replay branch FILE --at 57 --bot mybot --each-choice --samples 200",
	children, NULL, NULL};

static int check_words(struct branch_command *command)
{
	struct branch_options *options = &command->options;

	if (!command->at)
		return user_error(
			"name a decision with --at D; `pigpen replay show %s` lists them",
			command->file);
	if (!command->bot)
		return user_error(
			"name the bot that plays on with --bot, for example --bot greedy");
	if (options->replay_path && (options->worlds || options->each_choice))
		return user_error("--out is for the bot's own choice in the true world; "
				  "leave out --samples and --each-choice");
	if (options->replay_path && access(options->replay_path, F_OK) == 0)
		return user_error("--out %s: the file exists; name a new one",
			options->replay_path);
	return EXIT_OK;
}

static int load_bot(const char *what, struct bot_spec *bot, const struct game *game)
{
	struct why why;

	if (!bot_spec_load(bot, what, &why))
		return user_error("%s", why.text);
	if (bot_spec_plays(bot, game->id))
		return EXIT_OK;
	return user_error("%s does not play %s; its bot.json lists "
			  "the games it plays under \"games\"",
		bot->name, game->id);
}

/* EXIT_OK also for a file that is cut off after the decision. */
static int load_point(struct branch_command *command)
{
	struct branch_point *point = &command->point;
	struct why why;
	enum playback_status status =
		branch_point_load(point, command->file, command->at, &why);

	if (status == PLAYBACK_STEP)
		return user_error("%s", why.text);
	if ((status != PLAYBACK_DONE && status != PLAYBACK_CUT) ||
		!point->info.setup.game)
		return replay_exit(command->file, status, why.text);
	if (command->seat >= 0 && command->seat != point->seat)
		return user_error("--seat %d: decision %d was taken by seat %d",
			command->seat, point->decision, point->seat);
	if (!point->sealed && !command->options.worlds)
		return user_error("%s is not complete and does not hold "
				  "its later deals; use --samples K",
			command->file);
	return EXIT_OK;
}

static void settle_seed(struct branch_command *command)
{
	uint8_t fresh[8];

	if (command->options.seed)
		return;
	chance_fresh(fresh, sizeof(fresh));
	sodium_bin2hex(command->seed, sizeof(command->seed), fresh, sizeof(fresh));
	command->options.seed = command->seed;
}

static int play(struct branch_command *command)
{
	const struct match_rules *rules = &command->args.rules;
	struct branch branch;
	struct why why;
	int status =
		sandbox_choose(rules->sandbox, &rules->limits, &command->options.sandbox);

	if (status)
		return status;
	command->options.bot = &command->bot_spec;
	command->options.others = &command->others_spec;
	settle_seed(command);
	branch_init(&branch, &command->point, &command->options);
	if (!branch_play(&branch, &why)) {
		status = user_error("%s", why.text);
	} else {
		(command->json ? branch_print_json : branch_print_text)(&branch, stdout);
		if (!branch.finished || branch.first_fault[0])
			status = EXIT_FAILED;
	}
	branch_release(&branch);
	return status;
}

static int run(struct branch_command *command)
{
	int status = check_words(command);
	const struct game *game;

	if (!status)
		status = load_point(command);
	if (status)
		return status;
	game = command->point.info.setup.game;
	status = load_bot(command->bot, &command->bot_spec, game);
	if (!status)
		status = load_bot(command->others ? command->others : "greedy",
			&command->others_spec, game);
	return status ? status : play(command);
}

int cmd_replay_branch(int argc, char **argv)
{
	struct branch_command *command = xcalloc(1, sizeof(*command));
	int status;

	command->seat = -1;
	command->options.jobs = 4;
	match_args_init(&command->args);
	argp_parse(&argp, argc, argv, 0, NULL, command);
	if (!command->status)
		command->status = command->args.status;
	status = command->status ? command->status : run(command);
	bot_spec_release(&command->bot_spec);
	bot_spec_release(&command->others_spec);
	branch_point_release(&command->point);
	free(command);
	return status;
}
