/*
 * A bot is sent what a seat of a recorded match was sent, byte for byte, and its answers
 * are compared with the recorded ones.
 *
 * The bot's answers do not change the course of the match: after a different answer the
 * next recorded message is sent all the same. The messages hold the recorded clock
 * numbers, but no time limit is enforced. Only `welcome` and `bye` are new.
 *
 *     if (rerun_init(&rerun, &log, &why))
 *             rerun_play(&rerun, &options);
 *     rerun_print_text(&rerun, stdout);
 *     rerun_release(&rerun);
 */
#ifndef ARBITER_TOOLS_RERUN_H
#define ARBITER_TOOLS_RERUN_H

#include "arbiter/bots/bot_spec.h"
#include "arbiter/process/launch.h"
#include "arbiter/tools/seat_log.h"
#include "protocol/why.h"

enum rerun_verdict {
	RERUN_UNASKED,   /* the bot was not asked this question */
	RERUN_SILENT,    /* no answer came: the conversation ended here */
	RERUN_SAME,      /* the same action */
	RERUN_DIFFERENT, /* another legal action */
	RERUN_ILLEGAL,   /* not one of the legal actions */
	RERUN_NEW        /* legal, where no answer was accepted in the recorded match */
};
extern const char *const rerun_verdict_names[]; /* "unasked" … "new" */

/* One `act` of the log. */
struct rerun_question {
	const struct seat_entry *asked;
	const struct seat_entry *then; /* the decision; NULL: no answer was accepted */
	int decision;                  /* as in `replay show`; 0: not known */
	enum rerun_verdict verdict;
	struct action now; /* unless `problem` */
	char problem[160]; /* RERUN_ILLEGAL: what is wrong with the answer */
	int64_t think_us;
};

struct rerun {
	const struct seat_log *log;
	const struct bot_spec *bot;
	struct rerun_question *question;
	size_t count;
	int64_t match;
	/* After rerun_play(): */
	bool finished;   /* everything was sent and answered */
	bool unheard;    /* the bot asks for `event` messages, the recorded one did not */
	char ended[640]; /* why it did not finish */
	char output[OUTPUT_TAIL_SIZE + 1]; /* the end of what the bot wrote */
};

struct rerun_options {
	const struct bot_spec *bot;
	const struct sandbox_limits *sandbox; /* what sandbox_choose() chose */
	/* The index of a question; SIZE_MAX: do not stop. */
	size_t stop_before;
	/* Called there with the bot's process; false or NULL ends the rerun. */
	bool (*pause)(void *context, const struct rerun *rerun,
		const struct rerun_question *next, pid_t pid);
	void *context;
};

/* False: `why` says why the log cannot be sent again. The log must outlive it. */
bool rerun_init(struct rerun *rerun, const struct seat_log *log, struct why *why);
void rerun_release(struct rerun *rerun);
/* Starts the bot, has the conversation and ends the bot. */
void rerun_play(struct rerun *rerun, const struct rerun_options *options);

/* How many questions got this verdict. */
int rerun_count(const struct rerun *rerun, enum rerun_verdict verdict);
/* The first question that was answered differently, or NULL. */
const struct rerun_question *rerun_first_difference(const struct rerun *rerun);

void rerun_print_text(const struct rerun *rerun, FILE *out);
void rerun_print_json(const struct rerun *rerun, FILE *out);

#endif
