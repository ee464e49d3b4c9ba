/* Owners of names, and the tokens by which they are known. */
#include "arbiter/ladder/directory/owner.h"
#include "arbiter/base/files.h"
#include "arbiter/base/json_text.h"
#include "arbiter/ladder/directory/requests.h"
#include "protocol/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <sodium.h>

#define SECRET_SIZE 32
#define HASH_SIZE   32
#define HEX_SIZE    (2 * HASH_SIZE + 1)
#define PREFIX      "pp_"
#define PATH_ROOM   (LADDER_PATH_MAX + 300)

bool owner_name_ok(const char *name)
{
	size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+");

	return size && size < OWNER_NAME_SIZE && !name[size] && *name != '.';
}

static void hash_text(const char *text, uint8_t hash[HASH_SIZE])
{
	crypto_generichash(hash, HASH_SIZE, (const uint8_t *)text, strlen(text), NULL, 0);
}

static void token_path(
	const struct ladder *ladder, const uint8_t hash[HASH_SIZE], char path[PATH_ROOM])
{
	char hex[HEX_SIZE], name[HEX_SIZE + 16];

	sodium_bin2hex(hex, sizeof(hex), hash, HASH_SIZE);
	snprintf(name, sizeof(name), "tokens/%s", hex);
	ladder_file(ladder, name, path);
}

static bool write_token(const char *path, const char *owner)
{
	json_t *json =
		json_pack("{s:s,s:I}", "owner", owner, "made", (json_int_t)time(NULL));
	char *text = json_to_text(json, 0);
	bool ok = write_file_whole(path, text, strlen(text), 0600);

	free(text);
	json_decref(json);
	return ok;
}

bool token_make(const struct ladder *ladder, const char *owner, char text[TOKEN_SIZE],
	struct why *why)
{
	uint8_t secret[SECRET_SIZE], hash[HASH_SIZE];
	char path[PATH_ROOM];

	ladder_file(ladder, "tokens", path);
	if (!make_folder(path, 0700))
		return why_set(why, "%s: %s", path, strerror(errno));
	chance_fresh(secret, sizeof(secret));
	strcpy(text, PREFIX);
	sodium_bin2base64(text + strlen(PREFIX), TOKEN_SIZE - strlen(PREFIX), secret,
		sizeof(secret), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	sodium_memzero(secret, sizeof(secret));
	hash_text(text, hash);
	token_path(ladder, hash, path);
	if (write_token(path, owner))
		return true;
	return why_set(why, "%s: %s", path, strerror(errno));
}

static int is_token(const struct dirent *entry)
{
	return strlen(entry->d_name) == HEX_SIZE - 1 &&
	       strspn(entry->d_name, "0123456789abcdef") == HEX_SIZE - 1;
}

/* Calls `each` for every token, with the path and the name of its file; returns how many
 * there are. */
static int each_token(const struct ladder *ladder,
	void (*each)(void *context, const char *path, const char *hex), void *context)
{
	char folder[LADDER_PATH_MAX], path[PATH_ROOM];
	struct dirent **entries;
	int n;

	ladder_file(ladder, "tokens", folder);
	n = scandir(folder, &entries, is_token, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (i < TOKENS_MAX)
			each(context, path, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return n < 0 ? 0 : n < TOKENS_MAX ? n : TOKENS_MAX;
}

static bool read_token(const char *path, const char *hex, struct token *token)
{
	json_t *json = json_load_file(path, 0, NULL);
	const char *owner = json_string_value(json_object_get(json, "owner"));
	bool ok = owner && owner_name_ok(owner);

	if (ok) {
		snprintf(token->id, sizeof(token->id), "%.12s", hex);
		snprintf(token->owner, sizeof(token->owner), "%s", owner);
		token->made_unix_s = json_integer_value(json_object_get(json, "made"));
	}
	json_decref(json);
	return ok;
}

struct listing {
	struct token *list;
	int count;
};

static void list_one(void *context, const char *path, const char *hex)
{
	struct listing *listing = context;

	listing->list = xrealloc(
		listing->list, ((size_t)listing->count + 1) * sizeof(*listing->list));
	listing->count += read_token(path, hex, &listing->list[listing->count]);
}

static int by_owner(const void *a, const void *b)
{
	const struct token *x = a, *y = b;
	int order = strcmp(x->owner, y->owner);

	return order ? order
		     : (x->made_unix_s > y->made_unix_s) -
			       (x->made_unix_s < y->made_unix_s);
}

int token_list(const struct ladder *ladder, struct token **list)
{
	struct listing listing = {0};

	each_token(ladder, list_one, &listing);
	if (listing.count)
		qsort(listing.list, (size_t)listing.count, sizeof(*listing.list),
			by_owner);
	*list = listing.list;
	return listing.count;
}

struct revoking {
	const char *which;
	int count;
};

static void revoke_one(void *context, const char *path, const char *hex)
{
	struct revoking *revoking = context;
	struct token token;

	if (!read_token(path, hex, &token) ||
		(strcmp(token.id, revoking->which) &&
			strcmp(token.owner, revoking->which)))
		return;
	revoking->count += unlink(path) == 0;
}

int token_revoke(const struct ladder *ladder, const char *which)
{
	struct revoking revoking = {which, 0};

	each_token(ladder, revoke_one, &revoking);
	return revoking.count;
}

struct token_search {
	uint8_t hash[HASH_SIZE];
	char path[PATH_ROOM], hex[HEX_SIZE];
	bool found;
};

static void compare_one(void *context, const char *path, const char *hex)
{
	struct token_search *search = context;
	uint8_t hash[HASH_SIZE];

	if (sodium_hex2bin(hash, sizeof(hash), hex, HEX_SIZE - 1, NULL, NULL, NULL) ||
		sodium_memcmp(hash, search->hash, sizeof(hash)))
		return;
	snprintf(search->path, sizeof(search->path), "%s", path);
	snprintf(search->hex, sizeof(search->hex), "%s", hex);
	search->found = true;
}

bool token_owner(
	const struct ladder *ladder, const char *text, char owner[OWNER_NAME_SIZE])
{
	struct token_search search = {.found = false};
	struct token token;

	if (strlen(text) >= TOKEN_SIZE)
		return false;
	hash_text(text, search.hash);
	each_token(ladder, compare_one, &search);
	if (!search.found || !read_token(search.path, search.hex, &token))
		return false;
	snprintf(owner, OWNER_NAME_SIZE, "%s", token.owner);
	return true;
}

static bool settle(const char *name, const char *holder, char owner[OWNER_NAME_SIZE],
	struct why *why)
{
	if (*owner && strcmp(owner, holder))
		return why_set(why,
			"the name '%s' belongs to %s; choose another \"name\" in bot.json",
			name, *holder ? "another owner" : "the host");
	snprintf(owner, OWNER_NAME_SIZE, "%s", holder);
	return true;
}

bool owner_settle_among(const struct store_entrant *list, int count, const char *name,
	char owner[OWNER_NAME_SIZE], struct why *why)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(list[i].name, name))
			return settle(name, list[i].owner, owner, why);
	return true;
}

bool owner_settle(const struct ladder *ladder, const char *name,
	char owner[OWNER_NAME_SIZE], struct why *why)
{
	struct store_entrant *list;
	char holder[OWNER_NAME_SIZE];
	int count;
	bool ok = store_entrants(ladder->store, &list, &count);

	if (!ok)
		why_set(why, "%s", store_why(ladder->store));
	else if (request_owner_of(ladder, name, holder) &&
		 owner_settle_among(list, count, name, holder, why))
		ok = settle(name, holder, owner, why);
	else
		ok = owner_settle_among(list, count, name, owner, why);
	free(list);
	return ok;
}
