/*
 * The pool plays the matches of one coordinator (specs/ladder.md): it asks its client for
 * jobs, keeps a backend busy with them, and hands out one record for each job in the end.
 * A job is a match; the client's `user` travels with it.
 *
 * Where the matches are played is the backend's affair: pool_local plays them with worker
 * processes of this machine, slurm_backend (arbiter/ladder/slurm/backend.h) with tasks of
 * a cluster.
 */
#ifndef ARBITER_LADDER_WORKERS_POOL_H
#define ARBITER_LADDER_WORKERS_POOL_H

#include "arbiter/ladder/store/record.h"
#include "arbiter/ladder/workers/messages.h"
#include "arbiter/match/match_rules.h"
#include "protocol/zap.h"

struct pool;
struct pool_backend;

/* Worker processes of this machine. Void matches are played again, and it finds out whose
 * fault it is when workers die. It has no backend_options. */
extern const struct pool_backend pool_local;

struct pool_options {
	const struct pool_backend *backend;
	const void *backend_options; /* of the backend's type; must outlive the pool */
	struct match_rules rules;
	int workers;
	int at_once;            /* matches that a worker plays at a time */
	int worker_mb_max;      /* memory cap of a worker, 0: none */
	const char *log_folder; /* of bots' and workers' output, or NULL */
	const char *runtime;    /* a folder with a short path for sockets */
	const char *listen;     /* address for remote bots, or NULL */
	const char *key_path;   /* file of the ladder's key for it */
};

struct pool_job {
	int64_t set; /* tells jobs of earlier runs apart, which tasks may still play */
	int rotation;
	int64_t bot[GAME_SEATS_MAX]; /* by seat, as given to pool_add_bot() */
	uint8_t seed[CHANCE_SEED_SIZE];
	char replay[512]; /* "": none is kept */
	bool compress;
	bool remote; /* a remote bot plays: when it is played again, with another deal */
	void *user;
	void *task; /* with done(): for pool_stored() */
};

/* The job that a message describes, without `remote`, `user` and `task`. */
void pool_job_of(const struct play_message *play, struct pool_job *job);

enum pool_next { POOL_JOB, POOL_LATER, POOL_NONE };

struct pool_client {
	/* Fills in a job; POOL_LATER: ask again after the next record. */
	enum pool_next (*next)(void *context, struct pool_job *job);
	/* A match is over, and not void. */
	void (*done)(void *context, const struct pool_job *job,
		const struct match_record *record);
	/* A remote bot of the match is not there: it is given back unplayed. May be NULL
	 * without remote bots. */
	void (*absent)(void *context, const struct pool_job *job);
	/* After each batch of records: the moment to commit. False stops the run; the
	 * client knows why. */
	bool (*settle)(void *context);
	/* About ten times a second. May be NULL. */
	void (*tick)(void *context);
	void *context;
};

struct pool *pool_new(const struct pool_options *options);
/* Ends all that the backend has started, and waits for it. */
void pool_free(struct pool **pool);

/* A bot that jobs may name; `folder` (or an executable), `name` and `hash` are copied. An
 * id that is known already is ignored. */
void pool_add_bot(struct pool *pool, int64_t id, const char *folder, const char *name,
	const char *hash);
/* A remote bot, which connects by itself. */
void pool_add_remote_bot(struct pool *pool, int64_t id, const char *name,
	const char *hash, const char *key);
bool pool_is_remote(struct pool *pool, int64_t id);
/* Is it online? Local bots always are. */
bool pool_online(struct pool *pool, int64_t id);

enum pool_end {
	POOL_DONE,    /* no more jobs, all over */
	POOL_STOPPED, /* SIGINT, SIGTERM, or settle said so; jobs under way are lost */
	POOL_FAILED   /* pool_why() */
};
enum pool_end pool_run(struct pool *pool, const struct pool_client *client);
const char *pool_why(const struct pool *pool);

/* The record of a job is stored; the files of its task may be removed. */
void pool_stored(struct pool *pool, void *task);

/* Matches over; workers that died, and those that hung and were killed; matches played
 * again; tasks of a cluster by state; connections of remote bots, and messages from
 * connections that belong to no bot. */
struct pool_numbers {
	uint64_t matches, deaths, hung, voids;
	int under_way;
	int tasks_pending, tasks_running;
	uint64_t tasks_over, tasks_lost;
	struct zap_counts handshakes;
	int64_t strangers;
};
struct pool_numbers pool_numbers(const struct pool *pool);

#endif
