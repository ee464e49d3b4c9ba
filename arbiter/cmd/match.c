/* `pigpen match`: plays matches between bots and prints the results. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/match.h"
#include "arbiter/human/human.h"
#include "arbiter/cmd/match_args.h"
#include "arbiter/base/files.h"
#include "protocol/memory.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sodium.h>

#define MATCHES_LIMIT 10000000
#define JOBS_LIMIT    10000

enum {
	KEY_SEED = 256,
	KEY_FRESH,
	KEY_TRACE,
	KEY_NAMES,
	KEY_NO_REPLAY,
	KEY_PONDER,
	KEY_COMPRESS
};

static const struct argp_option argp_options[] = {
	{"seed", KEY_SEED, "TEXT", 0, "determines the deals; random if not given", 0},
	{"matches", 'n', "N", 0, "how many matches (1)", 0},
	{"jobs", 'j', "K", 0, "how many of them at once (1)", 0},
	{"fresh", KEY_FRESH, 0, 0, "new bot processes for each match", 0},
	{"ponder", KEY_PONDER, "on|off", 0,
		"whether bots may think while it is not their turn (on)", 0},
	{"names", KEY_NAMES, 0, 0, "tell the bots who they play against", 0},
	{"out", 'O', "DIR", 0, "where replays and bots' output go (replays)", 0},
	{"no-replay", KEY_NO_REPLAY, 0, 0, "write no files", 0},
	{"compress", KEY_COMPRESS, 0, 0, "compress finished replays", 0},
	{"json", KEY_JSON, 0, 0, "print the results as JSON", 0},
	{"quiet", 'q', 0, 0, "no progress", 0},
	{"trace-wire", KEY_TRACE, "FILE", 0, "write every frame as a line of JSON", 0},
	{0},
};

static const char *const on_off_names[] = {"on", "off", NULL};

/* The state of one run. */
struct match_command {
	struct match_options options; /* first, for the parser of `pigpen host` */
	struct match_args args;
	const char *words[GAME_SEATS_MAX + 2]; /* GAME BOT… */
	int word_count;
	int status; /* not 0: a user error was reported */
	struct loop *loop;
	struct entrant *entrant[GAME_SEATS_MAX];
	uint8_t series[CHANCE_SEED_SIZE];
	struct match_rows rows;
	struct progress progress;
	char logs[512]; /* folder of the bots' output */
	int next, done;
	bool human;
	bool broken; /* a bot fails to start: play no more matches */
};

static void parse_word(struct match_command *command, char *word)
{
	if (command->word_count < GAME_SEATS_MAX + 1)
		command->words[command->word_count++] = word;
	else
		command->status = user_error("more bots than any game has seats");
}

static void parse_flag(struct match_options *options, int key)
{
	options->fresh |= key == KEY_FRESH;
	options->names |= key == KEY_NAMES;
	options->json |= key == KEY_JSON;
	options->quiet |= key == 'q';
	options->compress |= key == KEY_COMPRESS;
	options->keep_replays &= key != KEY_NO_REPLAY;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct match_command *command = state->input;
	struct match_options *options = &command->options;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &command->args.game;
		for (int i = 1; i <= 3; i++)
			state->child_inputs[i] = &command->args;
		break;
	case KEY_SEED:
		snprintf(options->seed_text, sizeof(options->seed_text), "%s", text);
		break;
	case KEY_PONDER:
		options->ponder_off =
			match_args_word("ponder", text, on_off_names, &command->status);
		break;
	case 'n':
		options->matches = match_args_number(
			"matches", text, 1, MATCHES_LIMIT, &command->status);
		break;
	case 'j':
		options->jobs =
			match_args_number("jobs", text, 1, JOBS_LIMIT, &command->status);
		break;
	case 'O':
		options->out = text;
		break;
	case KEY_TRACE:
		options->trace_path = text;
		break;
	case ARGP_KEY_ARG:
		parse_word(command, text);
		break;
	default:
		if (key < ' ' || key > KEY_JSON)
			return ARGP_ERR_UNKNOWN;
		parse_flag(options, key);
	}
	return 0;
}

static int check_seats(const struct game *game, int seats)
{
	if (seats >= game->seats_min && seats <= game->seats_max)
		return 0;
	if (game->seats_min == game->seats_max)
		return user_error("%s is played by %d bots, not by %d; name a bot for "
				  "each seat (the same bot may be named more than once)",
			game->title, game->seats_min, seats);
	return user_error("%s is played by %d to %d bots, not by %d; name a bot for each "
			  "seat (the same bot may be named more than once)",
		game->title, game->seats_min, game->seats_max, seats);
}

static bool load_bot(struct match_command *command, struct bot_spec *bot,
	const char *word, struct why *why)
{
	if (host_is_remote(word))
		return host_spec(&command->options, bot, word, why);
	if (!human_is_meant(word))
		return bot_spec_load(bot, word, why);
	if (command->human)
		return why_set(why, "only one person can play at this terminal");
	command->human = true;
	return human_spec(bot, word, why);
}

/* A person needs time, makes mistakes and needs the whole screen. */
static void settle_pace(struct match_command *command)
{
	struct match_options *options = &command->options;

	if (command->human) {
		options->quiet = true;
		if (!command->args.clock_given)
			options->rules.clock = (struct clock_rules){
				.move_ns_max = HUMAN_MOVE_MIN * 60 * NS_PER_S};
	}
	if (options->rules.retries < 0)
		options->rules.retries = command->human ? HUMAN_RETRIES : 0;
}

static int load_bots(struct match_command *command)
{
	struct match_options *options = &command->options;
	struct why why;

	for (int i = 0; i < options->rules.seats; i++) {
		struct bot_spec *bot = &options->bot[i];

		if (!load_bot(command, bot, command->words[i + 1], &why))
			return user_error("%s", why.text);
		bot_spec_warn(bot);
		if (!bot_spec_plays(bot, options->rules.game->id))
			return user_error("%s does not play %s; its bot.json lists the "
					  "games it plays under \"games\"",
				bot->name, options->rules.game->id);
		for (int other = 0; other < i; other++)
			if (bot->remote &&
				!strcmp(command->words[other + 1], command->words[i + 1]))
				return user_error(
					"%s is a remote bot and can hold only one seat",
					command->words[i + 1]);
	}
	return 0;
}

static void settle_seed(struct match_command *command)
{
	struct match_options *options = &command->options;
	uint8_t fresh[8];

	if (!options->seed_text[0]) {
		chance_fresh(fresh, sizeof(fresh));
		sodium_bin2hex(options->seed_text, sizeof(options->seed_text), fresh,
			sizeof(fresh));
	}
	chance_seed_from_text(options->seed_text, command->series);
}

static int settle_options(struct match_command *command)
{
	struct match_args *args = &command->args;
	int status;

	if (command->word_count < 1)
		return user_error("name a game and its bots: pigpen match dirty_pig "
				  "random random; `pigpen games` lists the games");
	args->game.id = command->words[0];
	status = match_args_settle(args);
	if (status)
		return status;
	args->rules.seats = command->word_count - 1;
	command->options.rules = args->rules;
	status = check_seats(args->rules.game, args->rules.seats);
	if (!status)
		status = load_bots(command);
	settle_pace(command);
	settle_seed(command);
	return status;
}

static void add_match(struct match_command *command, int number)
{
	const struct match_options *options = &command->options;
	uint8_t seed[CHANCE_SEED_SIZE];
	struct loop_match request;
	char path[480];

	chance_seed_for_match(command->series, (uint64_t)number, seed);
	loop_match_init(&request, &options->rules, command->entrant, seed, NULL);
	request.config.setup.names_shown = options->names;
	request.config.ponder_off = options->ponder_off;
	request.config.followed = command->human;
	request.replay_compress = options->compress;
	request.user = &command->rows.row[number];
	if (options->keep_replays) {
		snprintf(path, sizeof(path), "%s/%s-%06d-%lld.replay", options->out,
			options->rules.game->id, number,
			(long long)request.config.setup.match_id);
		request.replay_path = path;
	}
	loop_add_match(command->loop, &request);
}

static enum loop_next on_next(void *context, struct loop *loop)
{
	struct match_command *command = context;

	(void)loop;
	for (int seat = 0; seat < command->options.rules.seats; seat++)
		command->broken |= loop_entrant_failures(command->entrant[seat]) > 0;
	if (command->broken || command->next == command->options.matches)
		return NEXT_NONE;
	add_match(command, command->next++);
	return NEXT_ADDED;
}

static void keep_seat(struct match_row *row, const struct loop_report *report, int seat)
{
	const struct match_seat *s = &report->match->seat[seat];

	row->decisions[seat] = s->decisions;
	row->dropped[seat] = match_dropped(report->match, seat);
	row->think_ns[seat] = s->think_ns;
	row->think_ns_max[seat] = s->think_ns_max;
	if (!report->fault[seat])
		return;
	row->fault[seat] = xmalloc(sizeof(struct fault));
	*row->fault[seat] = *report->fault[seat];
}

static void on_done(void *context, const struct loop_report *report)
{
	struct match_command *command = context;
	struct match_row *row = report->user;
	int number = (int)(row - command->rows.row);

	row->played = true;
	row->is_void = report->match->is_void;
	row->match_id = report->match->config.setup.match_id;
	row->result = report->match->result;
	if (row->is_void)
		row->why_void = xstrdup(report->match->void_reason);
	if (report->replay_path)
		row->replay_path = xstrdup(report->replay_path);
	for (int seat = 0; seat < command->options.rules.seats; seat++) {
		keep_seat(row, report, seat);
		if (!row->fault[seat])
			continue;
		progress_clear(&command->progress);
		match_print_fault(&command->options, number, seat, row);
	}
	command->done++;
}

static void on_tick(void *context, struct loop *loop)
{
	struct match_command *command = context;
	char extra[64];

	snprintf(extra, sizeof(extra), "%d under way", loop_numbers(loop).running);
	progress_update(&command->progress, (uint64_t)command->done, extra);
}

static int make_output_folders(struct match_command *command)
{
	const struct match_options *options = &command->options;

	snprintf(command->logs, sizeof(command->logs), "%s/logs", options->out);
	if (!options->keep_replays)
		return 0;
	if (!make_folder(options->out, 0777) || !make_folder(command->logs, 0777) ||
		!sync_folder_of(options->out))
		return user_error("--out %s: %s; name a folder that "
				  "can be written, or use --no-replay",
			options->out, strerror(errno));
	return 0;
}

static int open_loop(struct match_command *command, FILE *trace)
{
	const struct match_options *options = &command->options;
	struct why why;
	int status = make_output_folders(command);

	if (status)
		return status;
	status = sandbox_choose(options->rules.sandbox, &options->rules.limits,
		&command->options.sandbox);
	if (status)
		return status;
	if (options->rules.clock.kind == CLOCK_KIND_CPU)
		sandbox_warn_of_hidden_time();
	command->loop = loop_new(
		&(struct loop_options){
			.trace = trace,
			.log_folder = options->keep_replays ? command->logs : NULL,
			.jobs_max = options->jobs,
			.fresh = options->fresh,
			.one_match_per_process =
				options->ponder_off ||
				options->rules.clock.kind == CLOCK_KIND_CPU,
			.ponder_off = options->ponder_off,
			.stop_on_signals = true,
			.sandbox = options->sandbox,
			.remote = options->listener.zap
					  ? &command->options.listener.remote
					  : NULL,
		},
		&why);
	if (!command->loop)
		return user_error("%s", why.text);
	for (int i = 0; i < options->rules.seats; i++)
		command->entrant[i] =
			loop_entrant(command->loop, &options->bot[i], options->jobs);
	if (options->listener.zap)
		listener_print_address(&options->listener, stderr);
	return 0;
}

static void on_online(void *context, const struct entrant *entrant, bool online)
{
	struct match_command *command = context;

	for (int i = 0; i < command->options.rules.seats; i++)
		if (command->entrant[i] == entrant) {
			progress_clear(&command->progress);
			fprintf(stderr, "%s is %s\n", command->options.bot[i].name,
				online ? "online" : "gone");
		}
}

static void play(struct match_command *command)
{
	const struct loop_client client = {.next = on_next,
		.done = on_done,
		.tick = on_tick,
		.online = on_online,
		.context = command};
	mono_ns start = time_now(&time_system);

	progress_init(&command->progress, "matches", (uint64_t)command->options.matches,
		command->options.quiet);
	command->rows.finished = loop_run(command->loop, &client) && !command->broken;
	progress_clear(&command->progress);
	command->rows.seconds = (double)(time_now(&time_system) - start) / 1e9;
	command->rows.decisions = loop_numbers(command->loop).decisions;
	if (command->options.listener.zap) {
		struct zap_counts counts = zap_counts(command->options.listener.zap);

		listener_print_counts(
			&counts, loop_numbers(command->loop).strangers, stderr);
	}
	loop_free(&command->loop);
}

static int verdict(const struct match_command *command)
{
	for (int i = 0; i < command->options.matches; i++)
		if (!command->rows.row[i].played || command->rows.row[i].is_void)
			return EXIT_FAILED;
	return EXIT_OK;
}

static int run(struct match_command *command)
{
	const struct match_options *options = &command->options;
	FILE *trace = NULL;
	int status;

	if (options->trace_path && !(trace = fopen(options->trace_path, "we")))
		return user_error(
			"--trace-wire %s: %s", options->trace_path, strerror(errno));
	command->rows.row = xcalloc((size_t)options->matches, sizeof(*command->rows.row));
	status = open_loop(command, trace);
	if (!status) {
		play(command);
		(options->json ? match_print_json : match_print_table)(
			options, &command->rows);
		status = verdict(command);
	}
	if (trace)
		fclose(trace);
	for (int i = 0; i < options->matches; i++)
		match_row_release(&command->rows.row[i], options->rules.seats);
	free(command->rows.row);
	return status;
}

static const struct argp_child children[] = {{&game_args_option_argp, 0, NULL, 0},
	{&match_args_clock_argp, 0, NULL, 0}, {&match_args_faults_argp, 0, NULL, 0},
	{&match_args_sandbox_argp, 0, NULL, 0}, {0}};

const struct argp match_argp = {argp_options, parse, "GAME BOT…",
	"Plays matches between bots, one for each seat.\v"
	"A BOT is a folder with a bot.json, an executable, or the name of a sample "
	"bot, or `human`: you, at this terminal. A replay of each match is written "
	"to the folder of --out (see `pigpen replay --help`), what the bots print "
	"to stderr to logs/ in it. The exit status is 0 if every match was played, "
	"also if a bot was at fault, 1 if not, 2 for a user error.\n\nExamples:\n"
	"  pigpen match dirty_pig mybot greedy\n"
	"  pigpen match dirty_pig mybot greedy --matches 100 --jobs 8 --no-replay\n"
	"  pigpen match pig_pile mybot random random greedy --option rounds=1\n"
	"  pigpen match dirty_pig human greedy --clock move=10min",
	children, NULL, NULL};

int match_command(int argc, char **argv, const struct argp *argp, bool host)
{
	struct match_command *command = xcalloc(1, sizeof(*command));
	int status;

	command->options = (struct match_options){
		.matches = 1,
		.jobs = 1,
		.out = "replays",
		.keep_replays = true,
	};
	match_args_init(&command->args);
	command->args.rules.retries = -1;
	argp_parse(argp, argc, argv, 0, NULL, command);
	command->options.rules = command->args.rules;
	status = command->status ? command->status : command->args.status;
	if (!status && host)
		status = host_open(&command->options);
	if (!status)
		status = settle_options(command);
	if (!status)
		status = run(command);
	for (int i = 0; i < GAME_SEATS_MAX; i++)
		bot_spec_release(&command->options.bot[i]);
	listener_release(&command->options.listener);
	free(command);
	return status;
}

int cmd_match(int argc, char **argv)
{
	return match_command(argc, argv, &match_argp, false);
}
