/* Shared by worker.c (messages and matches) and worker_bots.c (bots and their processes);
 * nobody else includes this. */
#ifndef ARBITER_LADDER_WORKERS_WORKER_INTERNAL_H
#define ARBITER_LADDER_WORKERS_WORKER_INTERNAL_H

#include "arbiter/base/lines.h"
#include "arbiter/ladder/workers/messages.h"
#include "arbiter/loop/listener.h"
#include "arbiter/loop/loop.h"

struct worker_bot {
	struct worker_bot *next;
	int64_t id;
	struct bot_spec spec;
	struct fault *unfit;    /* it could not be loaded: this is its fault; else NULL */
	struct entrant *remote; /* one that comes by itself has one for all rotations */
};

/*
 * The processes of one bot for one rotation. `copy` tells apart the seats of a bot that
 * sits at a table more than once.
 */
struct worker_slot {
	struct worker_slot *next;
	struct worker_bot *bot; /* NULL: abandoned */
	int rotation, copy;
	struct entrant *entrant;
	int matches;       /* under way */
	bool used;         /* there may be a process */
	uint64_t last_use; /* number of the match */
};

struct worker_job {
	struct worker_job *next;
	struct play_message play;
	struct worker_bot *bot[GAME_SEATS_MAX];
	struct worker_slot *slot[GAME_SEATS_MAX];
	const struct fault *out[GAME_SEATS_MAX]; /* of seats that may not play, or NULL */
	int64_t start_unix_s;
	mono_ns start;
};

struct worker {
	struct lines input;
	bool from_file; /* all jobs are there already; the end of input is no alarm */
	struct loop *loop;
	struct rules_message *rules;       /* NULL: they have not come yet */
	bool refused;                      /* a line of input */
	struct listener listener;          /* all zero: nobody comes */
	struct zap_counts listener_counts; /* that the coordinator knows of, */
	int64_t strangers;                 /* and messages of unknown connections */
	struct worker_bot *bots;
	struct worker_slot *slots;
	struct worker_job *queue, **queue_end;
	mono_ns alive_due; /* when the next sign of life is due */
	uint64_t matches;
};

/* One that cannot be loaded is known too, but unfit. */
void worker_add_bot(struct worker *worker, const struct bot_message *message);
/* NULL: there is none of that id. */
struct worker_bot *worker_find_bot(const struct worker *worker, int64_t id);
/* Lets the remote bots that are known connect; the loop must exist. */
void worker_expect_remotes(struct worker *worker);
void worker_free_bots(struct worker *worker);

/* Finds or makes the processes for each seat of the match; those that were idle longest
 * are ended beyond the limit. */
void worker_choose_slots(struct worker *worker, struct worker_job *job);
/* The match is over. If it was void its processes are ended: they have seen the deal,
 * which will be played again. */
void worker_leave_slots(
	struct worker *worker, struct worker_job *job, const struct match_record *record);

#endif
