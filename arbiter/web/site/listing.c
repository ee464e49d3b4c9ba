/* Lists all paths of the site, for `pigpen ladder site`. */
#include "arbiter/ladder/store/store_pages.h"
#include "arbiter/web/site/assets.h"
#include "arbiter/web/site/documents.h"
#include "protocol/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void visit(const struct path_listing *listing, const struct document *document,
	const struct path_parts *parts)
{
	char path[PATH_SIZE];

	path_write(document->form, parts, path);
	listing->each(listing->context, path);
}

static void visit_numbers(const struct path_listing *listing,
	const struct document *document, const struct site_ladder *ladder, int64_t first,
	int64_t second)
{
	struct path_parts parts = {.number = {first, second}};

	strcpy(parts.ladder, ladder->name);
	visit(listing, document, &parts);
}

bool list_once(const struct path_listing *listing, const struct document *document,
	struct site_ladder *ladder)
{
	struct path_parts parts = {0};

	if (ladder)
		strcpy(parts.ladder, ladder->name);
	visit(listing, document, &parts);
	return true;
}

/* The word of an asset's path: "live" for pages/live.html, which is a page. */
static void visit_asset(const struct path_listing *listing,
	const struct document *document, const struct asset *asset)
{
	struct path_parts parts = {0};
	const char *name = asset->name + strlen(ASSET_PAGES);
	bool page = asset_is_page(asset);

	snprintf(parts.word, sizeof(parts.word), "%.*s",
		(int)(strlen(name) - (page ? strlen(".html") : 0)), name);
	visit(listing, document, &parts);
}

/* Pages for which a server is needed. */
static bool needs_server(const struct asset *asset)
{
	static const char *const names[] = {"pages/live.html", "pages/play.html",
		"pages/submit.html", "pages/submission.html", NULL};

	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], asset->name))
			return true;
	return false;
}

bool list_pages(const struct path_listing *listing, const struct document *document,
	struct site_ladder *ladder)
{
	(void)ladder;
	for (const struct asset *asset = assets; asset->name; asset++)
		if (asset_is_page(asset) && (listing->site->live || !needs_server(asset)))
			visit_asset(listing, document, asset);
	return true;
}

bool list_page_files(const struct path_listing *listing, const struct document *document,
	struct site_ladder *ladder)
{
	(void)ladder;
	for (const struct asset *asset = assets; asset->name; asset++)
		if (!strncmp(asset->name, ASSET_PAGES, strlen(ASSET_PAGES)) &&
			!asset_is_page(asset))
			visit_asset(listing, document, asset);
	return true;
}

/* The ids of all entrants; the caller frees. False: the ladder cannot be read. */
static bool entrant_ids(struct site_ladder *ladder, int64_t **ids, int *count)
{
	struct store_entrant *list = NULL;
	bool ok;

	pthread_mutex_lock(&ladder->mutex);
	ok = store_entrants(ladder->ladder.store, &list, count);
	pthread_mutex_unlock(&ladder->mutex);
	*count = ok ? *count : 0;
	*ids = xcalloc((size_t)*count + 1, sizeof(**ids));
	for (int i = 0; i < *count; i++)
		(*ids)[i] = list[i].id;
	free(list);
	return ok;
}

bool list_entrants(const struct path_listing *listing, const struct document *document,
	struct site_ladder *ladder)
{
	int64_t *ids;
	int count;
	bool ok = entrant_ids(ladder, &ids, &count);

	for (int i = 0; i < count; i++)
		visit_numbers(listing, document, ladder, ids[i], 0);
	free(ids);
	return ok;
}

struct found_matches {
	struct {
		int64_t set;
		int rotation;
	} * list;
	size_t count, capacity;
};

static void add_match(void *context, const struct store_match *match)
{
	struct found_matches *found = context;

	found->list =
		xgrow(found->list, found->count, &found->capacity, sizeof(*found->list));
	found->list[found->count].set = match->set;
	found->list[found->count++].rotation = match->rotation;
}

/* `each` may request the path at once, so the mutex is not held when it is called. */
bool list_matches(const struct path_listing *listing, const struct document *document,
	struct site_ladder *ladder)
{
	struct found_matches found = {0};
	bool ok;

	pthread_mutex_lock(&ladder->mutex);
	ok = store_each_listed_match(ladder->ladder.store, (struct store_match_list){0},
		0, listing->matches, add_match, &found);
	pthread_mutex_unlock(&ladder->mutex);
	for (size_t i = 0; ok && i < found.count; i++)
		visit_numbers(listing, document, ladder, found.list[i].set,
			found.list[i].rotation);
	free(found.list);
	return ok;
}

/* How many pages a list has: at least one. False: the ladder cannot be read. */
static bool count_pages(
	struct site_ladder *ladder, struct store_match_list list, int64_t *pages)
{
	int64_t total = 0;
	bool ok;

	pthread_mutex_lock(&ladder->mutex);
	ok = store_count_matches(ladder->ladder.store, list, &total);
	pthread_mutex_unlock(&ladder->mutex);
	*pages = total ? (total + SITE_LIST_SIZE - 1) / SITE_LIST_SIZE : 1;
	return ok;
}

bool list_match_lists(const struct path_listing *listing, const struct document *document,
	struct site_ladder *ladder)
{
	int64_t pages;

	if (!count_pages(ladder, (struct store_match_list){.faulted = document->faulted},
		    &pages))
		return false;
	for (int64_t page = 0; page < pages; page++)
		visit_numbers(listing, document, ladder, page, 0);
	return true;
}

bool list_bot_match_lists(const struct path_listing *listing,
	const struct document *document, struct site_ladder *ladder)
{
	int64_t *ids, pages;
	int count;
	bool ok = entrant_ids(ladder, &ids, &count);

	for (int i = 0; ok && i < count; i++) {
		ok = count_pages(ladder,
			(struct store_match_list){ids[i], document->faulted}, &pages);
		for (int64_t page = 0; ok && page < pages; page++)
			visit_numbers(listing, document, ladder, ids[i], page);
	}
	free(ids);
	return ok;
}

static bool list_document(const struct path_listing *listing,
	const struct document *document, struct site_ladder *ladder, struct why *why)
{
	if (document->list(listing, document, ladder))
		return true;
	return why_set(why, "%s: the database cannot be read", ladder->ladder.path);
}

bool site_list_paths(struct site *site, int64_t matches,
	void (*each)(void *context, const char *path), void *context, struct why *why)
{
	const struct path_listing listing = {site, matches, each, context};
	bool ok = true;

	for (const struct document *d = documents; ok && d->form; d++) {
		if (!d->list)
			continue;
		if (!strchr(d->form, '@'))
			ok = list_document(&listing, d, NULL, why);
		for (int i = 0; ok && strchr(d->form, '@') && i < site->count; i++)
			ok = list_document(&listing, d, &site->ladder[i], why);
	}
	return ok;
}
