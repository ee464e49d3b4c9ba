/*
 * A cache of one ladder's documents that are made from many rows. It holds the most
 * recently used ones that fit. Whoever uses it holds the ladder's mutex.
 */
#ifndef ARBITER_WEB_SITE_CACHE_H
#define ARBITER_WEB_SITE_CACHE_H

#include "arbiter/base/time.h"

#define CACHE_DOCUMENTS_MAX 128
#define CACHE_BYTES_MAX     (8u << 20) /* all texts together */
/* At most a tenth of the time is spent on making a document again. */
#define CACHE_REST_FACTOR 10

struct cached_document {
	char name[48];
	char *text;      /* NULL: the place is free */
	int64_t version; /* of the data it was made from */
	mono_ns made, cost, used;
};

struct document_cache {
	struct cached_document place[CACHE_DOCUMENTS_MAX];
	size_t bytes;
};

/* May a document that was made then, from that version of the data, still be sent now? */
bool cache_is_fresh(
	int64_t version_now, int64_t version_then, mono_ns made, mono_ns cost);

/* Valid until the mutex is released; NULL: it has to be made. */
const char *cache_find(struct document_cache *cache, const char *name, int64_t version);
/* Stores a copy of a document whose making began at `start`, from this version of the
 * data or a newer one. */
void cache_put(struct document_cache *cache, const char *name, const char *text,
	int64_t version, mono_ns start);
void cache_release(struct document_cache *cache);

#endif
