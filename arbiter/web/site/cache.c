/* A ladder's cache of documents. */
#include "arbiter/web/site/cache.h"
#include "protocol/memory.h"

#include <stdlib.h>
#include <string.h>

bool cache_is_fresh(int64_t version_now, int64_t version_then, mono_ns made, mono_ns cost)
{
	return version_now == version_then ||
	       time_now(&time_system) - made <= CACHE_REST_FACTOR * cost;
}

static void drop(struct document_cache *cache, struct cached_document *document)
{
	if (document->text)
		cache->bytes -= strlen(document->text);
	free(document->text);
	*document = (struct cached_document){0};
}

static struct cached_document *find(struct document_cache *cache, const char *name)
{
	for (int i = 0; i < CACHE_DOCUMENTS_MAX; i++)
		if (cache->place[i].text && !strcmp(cache->place[i].name, name))
			return &cache->place[i];
	return NULL;
}

const char *cache_find(struct document_cache *cache, const char *name, int64_t version)
{
	struct cached_document *document = find(cache, name);

	if (!document || !cache_is_fresh(version, document->version, document->made,
				 document->cost))
		return NULL;
	document->used = time_now(&time_system);
	return document->text;
}

/* The least recently used one; NULL: the cache is empty. */
static struct cached_document *find_oldest(struct document_cache *cache)
{
	struct cached_document *oldest = NULL;

	for (int i = 0; i < CACHE_DOCUMENTS_MAX; i++)
		if (cache->place[i].text &&
			(!oldest || cache->place[i].used < oldest->used))
			oldest = &cache->place[i];
	return oldest;
}

static struct cached_document *find_place(struct document_cache *cache)
{
	for (int i = 0; i < CACHE_DOCUMENTS_MAX; i++)
		if (!cache->place[i].text)
			return &cache->place[i];
	return find_oldest(cache);
}

void cache_put(struct document_cache *cache, const char *name, const char *text,
	int64_t version, mono_ns start)
{
	struct cached_document *place = find(cache, name);
	mono_ns now = time_now(&time_system);
	size_t size = strlen(text);

	if (place)
		drop(cache, place);
	if (strlen(name) >= sizeof(place->name) || size > CACHE_BYTES_MAX)
		return;
	while (cache->bytes + size > CACHE_BYTES_MAX)
		drop(cache, find_oldest(cache));
	place = find_place(cache);
	drop(cache, place);
	*place = (struct cached_document){.text = xstrdup(text),
		.version = version,
		.made = now,
		.used = now,
		.cost = now - start};
	strcpy(place->name, name);
	cache->bytes += size;
}

void cache_release(struct document_cache *cache)
{
	for (int i = 0; i < CACHE_DOCUMENTS_MAX; i++)
		drop(cache, &cache->place[i]);
}
