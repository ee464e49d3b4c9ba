/* `pigpen replay rerun FILE --seat N --bot B`: asks a bot again what a seat was asked. */
#include "arbiter/cmd/match_args.h"
#include "arbiter/cmd/replay.h"
#include "arbiter/tools/rerun.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { KEY_SEAT = 256, KEY_BOT, KEY_UNTIL, KEY_WAIT };

struct rerun_command {
	const char *file, *bot;
	int seat;  /* -1: not given */
	int until; /* 0: to the end */
	bool wait, json;
	int status;
	struct match_args args; /* only the sandbox and its limits are used */
};

static const struct argp_option argp_options[] = {
	{"seat", KEY_SEAT, "N", 0,
		"whose messages to send; not needed for an export of one seat", 0},
	{"bot", KEY_BOT, "B", 0,
		"whom to ask: a folder with a bot.json, an executable, or a sample bot's name",
		0},
	{"until", KEY_UNTIL, "D", 0,
		"stop before the seat's first decision from D on (`replay "
		"show` numbers them; in an export of one seat D is the turn)",
		0},
	{"wait", KEY_WAIT, 0, 0,
		"stop there, print the bot's pid for a debugger, and go on at Enter or SIGUSR1",
		0},
	{"json", KEY_JSON, 0, 0, "print the findings as JSON", 0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct rerun_command *command = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &command->args;
		return 0;
	case KEY_SEAT:
		if (!replay_number("seat", text, 0, GAME_SEATS_MAX - 1, &command->seat))
			command->status = EXIT_USER;
		return 0;
	case KEY_UNTIL:
		if (!replay_number("until", text, 1, INT_MAX, &command->until))
			command->status = EXIT_USER;
		return 0;
	case KEY_BOT:
		command->bot = text;
		return 0;
	case KEY_WAIT:
		command->wait = true;
		return 0;
	case KEY_JSON:
		command->json = true;
		return 0;
	}
	return replay_parse_file(key, text, state, &command->file);
}

static const struct argp_child children[] = {{&match_args_sandbox_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {argp_options, parse, "FILE --bot B",
	"Sends a bot exactly the messages that a seat of a recorded match was sent, and "
	"lists where it decides differently."
	"\vFILE is a replay, or what `replay export --seat` made of one. After an answer "
	"that differs the recorded messages go on. The recorded clock numbers are sent, "
	"no time is enforced. At --wait the bot is not asked anything until Enter is "
	"pressed or this process gets SIGUSR1 or SIGCONT; without a terminal a signal is "
	"the only way. The exit status is 0 if all answers were the same, 1 if not or if "
	"the bot did not get to the end, 2 for a user error.\n\n"
	"Examples:\n"
	"  pigpen replay rerun FILE --seat 2 --bot mybot2\n"
	"  pigpen replay rerun FILE --seat 2 --bot mybot --until 57 --wait",
	children, NULL, NULL};

/* Returns at a line on standard input or at one of the signals, which are blocked. */
static void wait_for_go(const sigset_t *set)
{
	struct pollfd fds[2] = {{.fd = signalfd(-1, set, SFD_CLOEXEC), .events = POLLIN},
		{.fd = STDIN_FILENO, .events = POLLIN}};
	struct signalfd_siginfo info;
	char c = 0;

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents) {
			(void)!read(fds[0].fd, &info, sizeof(info));
			break;
		}
		/* At the end of the input only a signal can wake us. */
		if (fds[1].revents && read(STDIN_FILENO, &c, 1) <= 0)
			fds[1].fd = -1;
		if (c == '\n')
			break;
	}
	close(fds[0].fd);
}

static bool on_pause(void *context, const struct rerun *rerun,
	const struct rerun_question *next, pid_t pid)
{
	const struct rerun_command *command = context;
	FILE *out = command->json ? stderr : stdout;
	sigset_t set, before;

	(void)rerun;
	if (!command->wait)
		return false;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCONT);
	sigprocmask(SIG_BLOCK, &set, &before);
	if (next->decision)
		fprintf(out, "before decision %d (turn %u)", next->decision,
			next->asked->turn);
	else
		fprintf(out, "before turn %u", next->asked->turn);
	fprintf(out, ": the bot's pid is %d; press Enter or `kill -USR1 %d` to go on\n",
		(int)pid, (int)getpid());
	fflush(out);
	wait_for_go(&set);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return true;
}

static int seats_of(const struct rerun_command *command, int *seats)
{
	enum playback_status status;
	struct why why;
	struct playback *p = playback_open(command->file, NULL, &status, &why);

	if (!p)
		return replay_exit(command->file, status, why.text);
	*seats = playback_info(p)->setup.seats;
	playback_free(&p);
	return EXIT_OK;
}

/* EXIT_FAILED: the log holds only what could be read. */
static int load_replay(const struct rerun_command *command, struct seat_log *log)
{
	enum playback_status status;
	struct why why;
	int seats = 0, exit_status = seats_of(command, &seats);

	if (exit_status != EXIT_OK)
		return exit_status;
	if (command->seat < 0 || command->seat >= seats)
		return user_error("--seat: name one of the seats 0 to %d of %s",
			seats - 1, command->file);
	status = seat_log_from_replay(log, command->file, command->seat, &why);
	return replay_exit(command->file, status, why.text);
}

static int load(const struct rerun_command *command, struct seat_log *log)
{
	struct why why;

	if (!seat_log_is_json(command->file))
		return load_replay(command, log);
	if (!seat_log_from_json(log, command->file, &why))
		return user_error("%s", why.text);
	if (command->seat < 0 || command->seat == log->seat)
		return EXIT_OK;
	return user_error("--seat: %s is of seat %d, not of seat %d", command->file,
		log->seat, command->seat);
}

/* The index of the question before which to stop; false after a user error. */
static bool find_stop(
	const struct rerun_command *command, const struct rerun *rerun, size_t *stop)
{
	int last = 0;

	*stop = SIZE_MAX;
	for (size_t i = 0; command->until && i < rerun->count; i++) {
		const struct rerun_question *question = &rerun->question[i];
		bool numbered = seat_log_is_json(command->file) == false;
		int number = numbered ? question->decision : (int)question->asked->turn;

		if (number >= command->until) {
			*stop = i;
			return true;
		}
		last = number > last ? number : last;
	}
	if (!command->until)
		return true;
	user_error("--until %d: the seat's last decision is %d", command->until, last);
	return false;
}

static int play(struct rerun_command *command, const struct bot_spec *bot,
	const struct seat_log *log)
{
	struct rerun_options options = {
		.bot = bot, .pause = on_pause, .context = command};
	const struct match_rules *rules = &command->args.rules;
	struct rerun rerun;
	struct why why;
	int status = EXIT_USER;

	if (sandbox_choose(rules->sandbox, &rules->limits, &options.sandbox))
		return EXIT_USER;
	if (!rerun_init(&rerun, log, &why))
		return user_error("%s: %s", command->file, why.text);
	if (find_stop(command, &rerun, &options.stop_before)) {
		rerun_play(&rerun, &options);
		(command->json ? rerun_print_json : rerun_print_text)(&rerun, stdout);
		status = rerun.finished && !rerun_first_difference(&rerun) ? EXIT_OK
									   : EXIT_FAILED;
	}
	rerun_release(&rerun);
	return status;
}

static int load_bot(const struct rerun_command *command, struct bot_spec *bot,
	const struct seat_log *log)
{
	struct why why;

	if (!bot_spec_load(bot, command->bot, &why))
		return user_error("%s", why.text);
	if (bot_spec_plays(bot, log->game->id))
		return EXIT_OK;
	return user_error("%s does not play %s; its bot.json lists "
			  "the games it plays under \"games\"",
		bot->name, log->game->id);
}

int cmd_replay_rerun(int argc, char **argv)
{
	struct rerun_command command = {.seat = -1};
	struct seat_log log = {0};
	struct bot_spec bot = {0};
	int loaded, status;

	match_args_init(&command.args);
	if (argp_parse(&argp, argc, argv, 0, NULL, &command) || command.status ||
		command.args.status)
		return EXIT_USER;
	if (!command.bot)
		return user_error(
			"name the bot to ask with --bot, for example --bot greedy");
	if (command.wait && !command.until)
		return user_error("--wait needs --until D, which says where to wait");
	loaded = load(&command, &log);
	status = loaded;
	if (loaded != EXIT_USER && log.game)
		status = load_bot(&command, &bot, &log);
	if (status == EXIT_OK)
		status = play(&command, &bot, &log);
	bot_spec_release(&bot);
	seat_log_release(&log);
	return status > loaded ? status : loaded;
}
