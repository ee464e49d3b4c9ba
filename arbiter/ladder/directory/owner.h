/*
 * Who an entrant belongs to, and the tokens by which owners are known.
 *
 * An owner is a name that the host gave to a person or a team together with a token, 32
 * random bytes in base64. Only BLAKE2b of a token is kept, as the name of a file in
 * tokens/ that holds {"owner", "made"}: whoever reads the folder cannot submit. Files
 * come and go whole, so that tokens can be made and revoked while a ladder runs and
 * while it is served.
 */
#ifndef ARBITER_LADDER_DIRECTORY_OWNER_H
#define ARBITER_LADDER_DIRECTORY_OWNER_H

#include "arbiter/ladder/directory/ladder.h"
#include "protocol/why.h"

#define OWNER_NAME_SIZE 65
#define TOKEN_SIZE      48 /* of the text, with the final NUL */
#define TOKEN_ID_SIZE   13 /* the first digits of its hash; enough to name it */
#define TOKENS_MAX      4096

struct token {
	char id[TOKEN_ID_SIZE];
	char owner[OWNER_NAME_SIZE];
	int64_t made_unix_s;
};

/* Letters, digits and . _ - +, at most 64, not a dot first. */
bool owner_name_ok(const char *name);

/* Makes a token; its text is nowhere but in `text`. False: `why` says what was wrong. */
bool token_make(const struct ladder *ladder, const char *owner, char text[TOKEN_SIZE],
	struct why *why);
/* All tokens, by owner; the caller frees. Returns how many. */
int token_list(const struct ladder *ladder, struct token **list);
/* Revokes the token of that id, or all tokens of that owner; returns how many. */
int token_revoke(const struct ladder *ladder, const char *which);
/* Whose token is this? The time it takes does not depend on how much of it is right. */
bool token_owner(
	const struct ladder *ladder, const char *text, char owner[OWNER_NAME_SIZE]);

/*
 * May `owner` enter a bot of that name? The name belongs to whoever entered it first,
 * also if that request was not applied yet. "" is the host, who may replace
 * everybody's; `owner` then becomes the name's owner. False: `why` says whose the name
 * is.
 */
bool owner_settle(const struct ladder *ladder, const char *name,
	char owner[OWNER_NAME_SIZE], struct why *why);
/* The same for a list of entrants alone. */
bool owner_settle_among(const struct store_entrant *list, int count, const char *name,
	char owner[OWNER_NAME_SIZE], struct why *why);

#endif
