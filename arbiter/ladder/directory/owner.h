/*
 * Who an entrant belongs to, and the tokens by which owners are known.
 *
 * An owner is a name that the host gave to a person or a team together with a token, 32
 * random bytes in base64. Only the BLAKE2b hash of a token is stored, as the name of a
 * file in tokens/ that holds {"owner", "made"}, so reading the folder is not enough to
 * submit. Files are created and removed atomically, so tokens can be made and revoked
 * while a ladder runs and while it is served.
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

/* At most 64 letters, digits and . _ - +, not beginning with a dot. */
bool owner_name_ok(const char *name);

/* Makes a token. `text` gets its text, which is stored nowhere. False: `why` says what
 * was wrong. */
bool token_make(const struct ladder *ladder, const char *owner, char text[TOKEN_SIZE],
	struct why *why);
/* All tokens, by owner; the caller frees. Returns how many. */
int token_list(const struct ladder *ladder, struct token **list);
/* Revokes the token of that id, or all tokens of that owner; returns how many. */
int token_revoke(const struct ladder *ladder, const char *which);
/* Finds the owner of a token, in a time that does not depend on how much of it is
 * right. */
bool token_owner(
	const struct ladder *ladder, const char *text, char owner[OWNER_NAME_SIZE]);

/*
 * May `owner` enter a bot of that name? The name belongs to whoever entered it first,
 * even if that request has not been applied yet. "" is the host, who may replace
 * anybody's bot; `owner` then becomes the name's owner. False: `why` says whose the name
 * is.
 */
bool owner_settle(const struct ladder *ladder, const char *name,
	char owner[OWNER_NAME_SIZE], struct why *why);
/* The same, but only looks at a list of entrants, not at requests. */
bool owner_settle_among(const struct store_entrant *list, int count, const char *name,
	char owner[OWNER_NAME_SIZE], struct why *why);

#endif
