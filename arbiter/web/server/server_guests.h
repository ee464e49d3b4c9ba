/*
 * Everybody who is connected, and who of them must go, so that nobody is kept from being
 * served by others who are slow on purpose.
 *
 *     ASKING ──the request is complete──► READING (an answer) or FOLLOWING (a stream)
 *        └─────headers of an upload─────► SENDING ──► READING
 *
 * A connection has one request, so these only go forwards. Each has a deadline for the
 * whole of it, however little by little bytes come or go: time-outs for silence alone are
 * defeated by a byte now and then. Where places become scarce, in all or for one address,
 * the deadlines are short.
 *
 * One address may hold a quarter of all places; its further connections are closed at
 * once. This does not apply to this machine's own addresses: behind a web server in front
 * all visitors come from there, and who is on this machine can choose among millions.
 * Addresses of IPv6 that have their first 64 bits in common are one.
 *
 * Answers that are being read occupy memory or temporary files. Where they are too much
 * together, those who have been reading for longest are hung up on.
 *
 * A guest is hung up on by shutting its socket down, which its own thread then notices:
 * so the socket must not be closed before guests_leave(). May be called by several
 * threads.
 */
#ifndef ARBITER_WEB_SERVER_SERVER_GUESTS_H
#define ARBITER_WEB_SERVER_SERVER_GUESTS_H

#include "arbiter/base/time.h"

#include <pthread.h>
#include <sys/socket.h>

#define GUESTS_MAX           480
#define GUESTS_CROWDED       448 /* from here on deadlines are short */
#define GUESTS_ADDRESS_MAX   120
#define GUESTS_ADDRESS_CROWD 112
#define GUESTS_ANSWERS_MAX   (256 << 20) /* bytes of all answers that are being read */

enum guest_state { GUEST_ASKING, GUEST_SENDING, GUEST_READING, GUEST_FOLLOWING };

struct guest;

struct guests {
	const struct time_source *time;
	pthread_mutex_t mutex; /* of what follows */
	struct guest *first;
	int count;
	uint64_t answers; /* bytes */
};

void guests_init(struct guests *guests, const struct time_source *time);
/* Nobody may be there any more. */
void guests_release(struct guests *guests);

/* Somebody connected, and is asking. */
struct guest *guests_come(
	struct guests *guests, int socket, const struct sockaddr *address);
/* A new state but READING, whose time begins now. */
void guests_enter(struct guests *guests, struct guest *guest, enum guest_state state);
/* It is READING from now on, an answer that occupies so many bytes. */
void guests_answer(struct guests *guests, struct guest *guest, uint64_t bytes);
/* The connection ends; clears the pointer. */
void guests_leave(struct guests *guests, struct guest **guest);

/* Hangs up on those whose time is over; to be called several times a second. */
void guests_look(struct guests *guests);

#endif
