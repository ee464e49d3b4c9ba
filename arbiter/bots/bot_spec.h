/*
 * What a bot is: its name, how it is started, and what tells its versions apart.
 *
 * A bot is a folder with a bot.json, an executable file, or the name of a sample bot
 * (sample_bots/LANGUAGE/NAME beside the program, or installed under the prefix).
 *
 *     {"name": "greedy", "version": "1.2", "author": "…", "language": "c",
 *      "build": ["make"], "command": ["./greedy"], "games": ["dirty_pig"],
 *      "transport": "zmq", "matches": 8, "deterministic": true,
 *      "limits": "memory=200m,processes=4"}
 *
 * Only `command` must be there: a list of words, or one string for the shell. It runs in
 * the bot's folder; a first word with a slash is relative to it. `games` missing means
 * all, `transport` zmq (or tcp, for libraries without ipc, or stdio, which starts the
 * command behind `pigpen bridge`),
 * `matches` (how many at once) 1, `deterministic` false. `limits` are sandbox limits that
 * the bot asks for; they apply where they are tighter than the host's.
 */
#ifndef ARBITER_BOTS_BOT_SPEC_H
#define ARBITER_BOTS_BOT_SPEC_H

#include "arbiter/process/sandbox.h"
#include "games/game.h"
#include "protocol/why.h"

#include <jansson.h>
#include <limits.h>

#define BOT_WORDS_MAX    32
#define BOT_GAMES_MAX    16
#define BOT_MANIFEST_MAX 65536 /* bytes of a bot.json */
#define BOT_HASH_SIZE    65    /* hex of 32 bytes and the final NUL */

enum bot_transport { BOT_ZMQ, BOT_TCP, BOT_STDIO };

struct bot_spec {
	char name[65], version[65], author[65], language[65];
	char folder[PATH_MAX];            /* absolute; the working directory */
	char *command[BOT_WORDS_MAX + 1]; /* ends with NULL */
	char *build[BOT_WORDS_MAX + 1];   /* build[0] is NULL if nothing is to be built */
	char games[BOT_GAMES_MAX][32];
	int game_count; /* 0: all */
	enum bot_transport transport;
	int matches;
	bool deterministic;
	bool remote; /* plays from another machine; `name` is its key's, all else empty */
	bool trusted; /* part of this program: it runs outside the sandbox */
	struct sandbox_limits limits; /* 0: the host's limit */
	char hash[BOT_HASH_SIZE];     /* of the folder's or the file's content */
	char unknown[65];             /* an unknown key of bot.json; "": none */
};

/* Finds and reads a bot. False: `why` says what was wrong and what is allowed. Release a
 * spec that was loaded with bot_spec_release(). */
bool bot_spec_load(struct bot_spec *spec, const char *what, struct why *why);
void bot_spec_release(struct bot_spec *spec);
/* Warns on stderr if bot.json has an unknown key, which may be misspelt. */
void bot_spec_warn(const struct bot_spec *spec);
/* Like bot_spec_load(), but from a parsed bot.json alone: no files are read, and folder
 * and hash stay empty. */
bool bot_spec_read(struct bot_spec *spec, const json_t *manifest, struct why *why);

/* The command line of a bot: its own, run by `pigpen bridge` if it speaks JSON lines. */
struct bot_command {
	char *argv[BOT_WORDS_MAX + 12]; /* ends with NULL; points into the spec */
	char matches[16];
};
void bot_command_fill(struct bot_command *command, const struct bot_spec *spec);

/* Reads the bot.json in a folder: a regular file of at most BOT_MANIFEST_MAX bytes, never
 * through a link. NULL: `why` says what was wrong. */
json_t *bot_manifest_load(const char *folder, struct why *why);

/* No other bot that this process starts in a sandbox sees this one's folder. */
void bot_spec_hide(const struct bot_spec *spec);

/* Does it play this game? */
bool bot_spec_plays(const struct bot_spec *spec, const char *game_id);

/* BLAKE2b over a file, or over a folder's files by sorted path (path, executable or not,
 * content); hidden files, __pycache__, pipes and the like are skipped. Of a link in the
 * folder its own text counts; it is not followed. */
bool bot_hash(const char *path, char hash[BOT_HASH_SIZE], struct why *why);

/* The folder of the sample bots, with c/, python/ … in it; "" if there is none. */
void bot_samples_folder(char *path, size_t size);

#endif
