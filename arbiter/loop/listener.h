/*
 * The arbiter's end of remote connections: where it listens, the key that it proves its
 * identity with, and the keys it admits.
 */
#ifndef ARBITER_LOOP_LISTENER_H
#define ARBITER_LOOP_LISTENER_H

#include "protocol/transport.h"
#include "protocol/why.h"

#include <stdio.h>

struct listener {
	char endpoint[ENDPOINT_BYTES_MAX];
	struct key_pair pair;
	struct zap *zap;
	struct transport_remote remote; /* for loop_options */
};

/* Reads the key; no bot is admitted yet. The listener must not be moved in memory. False:
 * `why` says what was wrong. */
bool listener_init(struct listener *listener, const char *endpoint, const char *key_path,
	struct why *why);
/* Call after the loop that used it was freed; a zeroed listener is allowed. */
void listener_release(struct listener *listener);

/* Admits all keys of a list. False: `why` says what was wrong. */
bool listener_admit_list(struct listener *listener, const char *path, struct why *why);

/* Prints the address and server key that remote bots need. */
void listener_print_address(const struct listener *listener, FILE *out);
/* Prints how many connections came, and how many were turned away. */
void listener_print_counts(const struct zap_counts *counts, int64_t strangers, FILE *out);

#endif
