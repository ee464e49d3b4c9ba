/* What the parts of `pigpen match` share: the options, and the outcome of each match. */
#ifndef ARBITER_CMD_MATCH_H
#define ARBITER_CMD_MATCH_H

#include "arbiter/loop/listener.h"
#include "arbiter/loop/loop.h"
#include "arbiter/base/progress.h"
#include "protocol/why.h"

struct match_options {
	struct match_rules rules;
	struct bot_spec bot[GAME_SEATS_MAX];
	char seed_text[80];
	int matches, jobs;
	bool fresh, names, json, quiet, compress, keep_replays;
	bool ponder_off;
	const struct sandbox_limits *sandbox; /* NULL: bots are not sandboxed */
	const char *out;                      /* folder of the replays */
	const char *trace_path;               /* NULL: no trace */
	/* `pigpen host` only. */
	const char *listen, *key_path, *allow_path;
	struct listener listener;
};

struct match_row {
	bool played, is_void;
	int64_t match_id;
	char *why_void, *replay_path;
	struct game_result result;
	uint32_t decisions[GAME_SEATS_MAX], dropped[GAME_SEATS_MAX];
	int64_t think_ns[GAME_SEATS_MAX], think_ns_max[GAME_SEATS_MAX];
	struct fault *fault[GAME_SEATS_MAX];
};

struct match_rows {
	struct match_row *row; /* `matches` of them, by number */
	double seconds;
	uint64_t decisions;
	bool finished; /* all were played */
};

/* Runs `pigpen match`, or `pigpen host` with its additional options. */
extern const struct argp match_argp;
int match_command(int argc, char **argv, const struct argp *argp, bool host);

/* host.c: starts listening; 0 or EXIT_USER. */
int host_open(struct match_options *options);
/* Is the argument of the form remote:NAME? And the bot that it names. False: `why` says
 * what was wrong. */
bool host_is_remote(const char *word);
bool host_spec(const struct match_options *options, struct bot_spec *spec,
	const char *word, struct why *why);

void match_row_release(struct match_row *row, int seats);

/* The result table, or the JSON of --json, on stdout. */
void match_print_table(
	const struct match_options *options, const struct match_rows *rows);
void match_print_json(const struct match_options *options, const struct match_rows *rows);
/* What went wrong with a bot, and what to do about it, on stderr. */
void match_print_fault(const struct match_options *options, int number, int seat,
	const struct match_row *row);

#endif
