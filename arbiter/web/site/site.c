/* Opening and finding the ladders of a site. */
#include "arbiter/web/site/documents.h"
#include "arbiter/web/site/site_internal.h"
#include "protocol/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool name_taken(const struct site *site, const char *name)
{
	for (int i = 0; i < site->count; i++)
		if (!strcmp(site->ladder[i].name, name))
			return true;
	return false;
}

/* The folder's name, without characters that are special in a URL. */
static void choose_name(struct site *site, const char *path, char name[65])
{
	const char *base = strrchr(path, '/');
	char safe[49];
	size_t n = 0;

	for (base = base ? base + 1 : path; *base && n < sizeof(safe) - 1; base++)
		safe[n++] = isalnum((unsigned char)*base) || *base == '_' ? *base : '-';
	safe[n] = 0;
	if (!n)
		strcpy(safe, "ladder");
	snprintf(name, 65, "%s", safe);
	for (int i = 2; name_taken(site, name); i++)
		snprintf(name, 65, "%s-%d", safe, i);
}

static void close_ladder(struct site_ladder *ladder)
{
	standings_documents_release(ladder);
	cache_release(&ladder->cache);
	ladder_close(&ladder->ladder);
	pthread_mutex_destroy(&ladder->mutex);
}

static bool open_ladder(struct site *site, const char *path, struct why *why)
{
	struct site_ladder *ladder = &site->ladder[site->count];

	if (!ladder_open(&ladder->ladder, path, LADDER_READ, why))
		return false;
	pthread_mutex_init(&ladder->mutex, NULL);
	choose_name(site, ladder->ladder.path, ladder->name);
	site->count++;
	return true;
}

struct site *site_open(char *const *paths, int count, bool live, struct why *why)
{
	struct site *site = xcalloc(1, sizeof(*site));
	bool ok = count <= SITE_LADDERS_MAX;

	if (!ok)
		why_set(why, "%d ladders are too many; at most %d are shown", count,
			SITE_LADDERS_MAX);
	site->live = live ? live_new() : NULL;
	for (int i = 0; ok && i < count; i++)
		ok = open_ladder(site, paths[i], why);
	if (!ok)
		site_close(&site);
	return site;
}

void site_close(struct site **site)
{
	for (int i = 0; *site && i < (*site)->count; i++)
		close_ladder(&(*site)->ladder[i]);
	if (*site)
		live_free(&(*site)->live);
	free(*site);
	*site = NULL;
}

void site_offer_upload(struct site *site)
{
	site->upload = true;
}

void site_offer_play(struct site *site)
{
	site->play = true;
}

void site_look(void *site)
{
	struct live *live = ((struct site *)site)->live;

	if (live)
		live_look(live);
}

int site_ladder_count(const struct site *site)
{
	return site->count;
}

struct site_ladder *site_ladder_at(struct site *site, int index)
{
	return &site->ladder[index];
}

struct site_ladder *site_find_ladder(struct site *site, const char *name)
{
	size_t length = strcspn(name, "/");

	for (int i = 0; i < site->count; i++)
		if (strlen(site->ladder[i].name) == length &&
			!strncmp(site->ladder[i].name, name, length))
			return &site->ladder[i];
	return NULL;
}
