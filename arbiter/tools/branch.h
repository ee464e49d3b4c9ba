/*
 * What a decision of a recorded match was worth: play goes on from it with live bots, for
 * the recorded choice and for others, and the outcomes are compared.
 *
 * In the true world (`worlds` 0) the bots are sent what was sent in the recorded match up
 * to the decision, and then play on; later deals are the recorded ones. In sampled worlds
 * the hidden cards are redrawn from what the seat knew, every bot begins with `resume`,
 * and later orders come from new seeds. World k and its seeds are the same for every
 * choice, so that choices are compared world by world.
 *
 *     branch_point_load(&point, path, 57, &why);
 *     branch_init(&branch, &point, &options);
 *     branch_play(&branch, &why);
 *     branch_print_text(&branch, stdout);
 *     branch_release(&branch);
 *     branch_point_release(&point);
 */
#ifndef ARBITER_TOOLS_BRANCH_H
#define ARBITER_TOOLS_BRANCH_H

#include "arbiter/bots/bot_spec.h"
#include "arbiter/match/match.h"
#include "arbiter/replay/playback.h"
#include "protocol/why.h"

#include <stdio.h>

/* The decision and all that led to it. */
struct branch_point {
	struct replay_info info;
	int decision;  /* its number, from 1 */
	int decisions; /* of the whole match */
	int seat;      /* whose it was */
	enum replay_by by;
	struct match_scripted *script; /* up to the decision, which is the last */
	uint32_t recorded;             /* entries of the script */
	struct match_position position;
	_Alignas(16) uint8_t state[GAME_STATE_MAX]; /* in which it was taken */
	bool sealed;                                /* the nonce and seed are known */
	uint8_t nonce[CHANCE_NONCE_SIZE], seed[CHANCE_SEED_SIZE];
	bool has_result;
	struct game_result result; /* as recorded; reason is NULL */
};

/* PLAYBACK_DONE or PLAYBACK_CUT: the point was found, unless the game is NULL, which
 * means that the file ends within its header. Otherwise `why` says what is wrong;
 * PLAYBACK_STEP: there is no such decision, or it had only one legal action. */
enum playback_status branch_point_load(
	struct branch_point *point, const char *path, int decision, struct why *why);
void branch_point_release(struct branch_point *point);

enum branch_kind {
	BRANCH_RECORDED, /* what was done in the recorded match */
	BRANCH_OWN,      /* what the bot itself decides */
	BRANCH_LEGAL     /* another legal action */
};
extern const char *const branch_kind_names[]; /* "recorded", "own", "legal" */

/* What came of a choice in one world. */
struct branch_outcome {
	bool played;
	bool faulted; /* a bot faulted */
	struct game_result result;
	bool opened; /* BRANCH_OWN: `opening` is what the bot decided */
	struct action opening;
};

struct branch_choice {
	enum branch_kind kind;
	struct action action;            /* unless BRANCH_OWN */
	struct match_scripted *decision; /* the true world's script for this choice */
	struct match_script script;
	struct branch_outcome *outcome; /* one for each world */
};

struct branch_options {
	const struct bot_spec *bot, *others;
	const struct sandbox_limits *sandbox; /* what sandbox_choose() chose */
	int worlds;                           /* sampled ones; 0: the true world */
	bool each_choice; /* every legal action; false: only the bot's own choice */
	const char *seed; /* names the sampled worlds */
	int jobs;         /* matches at once, in sampled worlds */
	const char *replay_path; /* of the bot's own choice in the true world, or NULL */
};

struct branch {
	const struct branch_point *point;
	struct branch_options options;
	int worlds; /* at least 1 */
	struct branch_choice *choice;
	int count;
	int faults;            /* matches in which a bot faulted */
	char first_fault[700]; /* the first of them */
	bool finished;         /* all matches were played */
};

/* Point and options must outlive it. */
void branch_init(struct branch *branch, const struct branch_point *point,
	const struct branch_options *options);
void branch_release(struct branch *branch);
/* Plays all matches; false: `why` says why it could not start. */
bool branch_play(struct branch *branch, struct why *why);

void branch_print_text(const struct branch *branch, FILE *out);
void branch_print_json(const struct branch *branch, FILE *out);

/* A mean and 1.96 times its standard error, which is NAN for a single value. */
struct branch_mean {
	double mean, error;
};
struct branch_mean branch_mean_of(const double *value, int n);
/* The seat's share of a win: 1 divided by the number of sides on the first rank. */
double branch_win(const struct game_result *result, int seats, int seat);
/* Wilson's 95 % interval for a share of n. */
void branch_interval(double share, int n, double *low, double *high);

#endif
