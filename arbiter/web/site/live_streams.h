/*
 * Matches under way, as streams of server-sent events (specs/web.md).
 *
 * There is no second channel: a match is followed by reading its replay as it grows. What
 * is sent is the spectator's view, made by the same code as everywhere. All streams of
 * one match share one text that only grows.
 *
 * All functions may be called by several threads at once.
 */
#ifndef ARBITER_WEB_SITE_LIVE_STREAMS_H
#define ARBITER_WEB_SITE_LIVE_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define LIVE_MATCHES_MAX 32  /* followed at once */
#define LIVE_STREAMS_MAX 256 /* of all matches together */

struct live;
struct live_stream;

struct live *live_new(void);
/* No stream may be left. */
void live_free(struct live **live);

/* Looks at all files that are followed and takes what is new in them. */
void live_look(struct live *live);

/* NULL: there are too many. */
struct live_stream *live_stream_new(struct live *live, const char *path);
void live_stream_free(struct live_stream **stream);
/* Bytes to send next; 0: nothing now, -1: that was all. */
ssize_t live_stream_read(struct live_stream *stream, char *bytes, size_t size);
/* Would live_stream_read() give something? */
bool live_stream_ready(const struct live_stream *stream);

#endif
