/*
 * A person's seat at a table, in the browser (specs/web.md).
 *
 * A match of a person is an ordinary `pigpen match` that this starts, with `human:@NAME`
 * in the person's seat: a bot process (arbiter/human/human.h) that asks over a socket.
 * What the seat sees comes from the replay as it grows, made for the audience of that
 * seat; what the person is asked and told comes over the socket. Both go into one text of
 * events that browsers follow from its beginning, so a page that is loaded again goes on
 * where it was.
 *
 *     browser ── POST ──► play ── socket ──► human ── protocol ──► match ◄── bots
 *             ◄─ stream ──     ◄─────────── replay ────────────────
 *
 * A match is named by a secret of 128 bits; whoever knows it may play it. Each has a
 * folder of that name, readable by its owner only, in which the replay stays.
 *
 * One thread starts, watches and ends the matches; routes only tell it what is wanted.
 */
#ifndef ARBITER_WEB_PLAY_PLAY_H
#define ARBITER_WEB_PLAY_PLAY_H

#include "arbiter/web/server/server.h"
#include "arbiter/web/site/site.h"
#include "protocol/why.h"

#define PLAY_MATCHES_MAX 8    /* under way at once */
#define PLAY_FOLDERS_MAX 1000 /* with replays; the oldest go */
#define PLAY_PLACES_MAX  32   /* with those that are over and still followed */
#define PLAY_STREAMS_MAX 8    /* of one match; one that a browser left counts for 5 s */
#define PLAY_IDLE_S      900 /* without a browser, then the person is taken to have left */
#define PLAY_REQUEST_MAX 8192

struct play;

struct play_options {
	struct site *site; /* for the ladders' entrants; must outlive it */
	const char
		*folder; /* of the replays; NULL: pigpen/played in the XDG state folder */
	int idle_s;
};

/* NULL: `why` says what was wrong. */
struct play *play_new(const struct play_options *options, struct why *why);
/* Appends its routes to the first `count`; returns how many there are then. */
int play_routes(struct play *play, struct server_route *routes, int count);
/* Starts the thread; the server must exist. False: `why` says what was wrong. */
bool play_start(struct play *play, struct server *server, struct why *why);
/* Ends all matches, with their processes: before the server is stopped. */
void play_stop(struct play *play);
/* After the server was stopped. */
void play_free(struct play **play);

#endif
