/*
 * Documents of one ladder that are made from many rows, for whoever asks for the same
 * again. The newest that fit are there; whoever uses a cache holds the ladder's mutex.
 */
#ifndef ARBITER_WEB_SITE_CACHE_H
#define ARBITER_WEB_SITE_CACHE_H

#include "arbiter/base/time.h"

#define CACHE_DOCUMENTS_MAX 128
#define CACHE_BYTES_MAX     (8u << 20) /* all texts together */
/* A text that has changed is made again for at most a tenth of the time. */
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

/* May what was made then, from that version of the data, still be given out now? */
bool cache_is_fresh(
	int64_t version_now, int64_t version_then, mono_ns made, mono_ns cost);

/* Good until the mutex is given back; NULL: it is to be made. */
const char *cache_find(struct document_cache *cache, const char *name, int64_t version);
/* Puts in a copy of what was made since `start` from this version of the data or a newer
 * one. */
void cache_put(struct document_cache *cache, const char *name, const char *text,
	int64_t version, mono_ns start);
void cache_release(struct document_cache *cache);

#endif
