/*
 * The settings of a ladder, as they stand in ladder.json (specs/ladder.md).
 */
#ifndef ARBITER_LADDER_DIRECTORY_SETTINGS_H
#define ARBITER_LADDER_DIRECTORY_SETTINGS_H

#include "arbiter/match/match_rules.h"

#include <jansson.h>

#define LADDER_FORMAT 1

enum schedule_mode { SCHEDULE_ADAPTIVE, SCHEDULE_ROUND_ROBIN, SCHEDULE_GAUNTLET };
enum ladder_teams { TEAMS_SAME, TEAMS_MIXED };
enum ladder_keep { KEEP_ALL, KEEP_FAULTS, KEEP_NONE };
extern const char *const ladder_teams_names[];    /* "same", "mixed" */
extern const char *const ladder_keep_names[];     /* "all", "faults+sample", "none" */
extern const char *const ladder_schedule_names[]; /* "adaptive" … */

struct ladder_settings {
	struct match_rules rules;
	enum schedule_mode schedule;
	char challenger[65]; /* of a gauntlet */
	enum ladder_teams teams;
	bool one_per_author;
	char anchor[65]; /* "": the first entrant */
	double anchor_elo;
	int sets_per_entrant;
	enum ladder_keep keep;
	bool compress;
	int64_t disk_mb_max, logs_mb_max; /* 0: no limit */
	double bench_share;
	int bench_matches_min;
	int worker_mb_max;
	int64_t bots_mb_max; /* all bots/ together; 0: no limit */
	int admission_s_max; /* unpacking, building and checking one bot */
	char seed[65];
};

/* The default settings of a game. */
void ladder_settings_init(struct ladder_settings *config, const struct game *game);
/* From the object of a ladder.json. False: `why` says which key is wrong. */
bool ladder_settings_read(
	struct ladder_settings *config, const json_t *object, struct why *why);
/* The object of a ladder.json; the caller owns the reference. */
json_t *ladder_settings_write(const struct ladder_settings *settings);

#endif
