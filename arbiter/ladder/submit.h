/*
 * Submitting a bot: copy it into the ladder, build it there, check it.
 */
#ifndef ARBITER_LADDER_SUBMIT_H
#define ARBITER_LADDER_SUBMIT_H

#include "arbiter/ladder/ladder.h"

/*
 * Copies the bot to bots/NAME/HASH, builds it and runs `pigpen check` on it (what
 * they wrote goes to stderr if they fail). On success *entrant is filled in, but for its
 * id, and the bot lies in its place. On failure nothing is left behind and `why` names
 * the step that failed.
 */
bool submit_bot(struct ladder *ladder, const char *what, bool check,
	struct store_entrant *entrant, char *why, size_t why_size);

/* Copies a tree of folders and regular files, following links. */
bool copy_tree(const char *from, const char *to, char *why, size_t why_size);

#endif
