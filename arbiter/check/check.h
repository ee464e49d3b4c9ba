/*
 * Does a bot keep to the protocol? A list of steps, each passed, failed or skipped, in
 * the order in which an author would fix them.
 *
 *     starts, hello, welcome, answers,
 *     unknown keys, resume, bye                 a scripted conversation
 *     GAME, N seats                             a whole match against `random`, each
 *     in a row, at once                         several matches in one process
 *     deterministic                             the same match twice
 *
 * Steps that depend on a failed one are skipped, with the reason.
 */
#ifndef ARBITER_CHECK_CHECK_H
#define ARBITER_CHECK_CHECK_H

#include "arbiter/bots/bot_spec.h"
#include "arbiter/table/clock.h"
#include "protocol/why.h"

#define CHECK_STEPS_MAX 160

enum check_verdict { CHECK_PASS, CHECK_FAIL, CHECK_SKIP };

struct check_step {
	char name[64];
	enum check_verdict verdict;
	struct why why;     /* of a failure or a skip; a remark of a pass, may be "" */
	char output[1100];  /* the end of what the bot wrote; failures only */
	uint8_t bytes[256]; /* what it sent; failures only */
	size_t bytes_size;
};

struct check_options {
	const struct game *game[BOT_GAMES_MAX]; /* to be played */
	int game_count;
	bool every_seat_count; /* not only smallest, middle and largest */
	struct clock_rules clock;
	const struct sandbox_limits *sandbox; /* NULL: no sandbox */
	/* Called after each step; may be NULL. */
	void (*step)(void *context, int number, const struct check_step *step);
	void *context;
};

struct check_report {
	struct check_step list[CHECK_STEPS_MAX];
	int count, failed;
};

void check_run(const struct bot_spec *bot, const struct check_options *options,
	struct check_report *report);

/* For the parts of the check: begin the next step as passed, and end it. */
struct check_step *check_begin(struct check_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void check_end(struct check_report *report, const struct check_options *options);

/* The parts. Each returns false if the next ones make no sense. */
bool check_conversation(const struct bot_spec *bot, const struct check_options *options,
	struct check_report *report);
void check_matches(const struct bot_spec *bot, const struct check_options *options,
	struct check_report *report);

#endif
