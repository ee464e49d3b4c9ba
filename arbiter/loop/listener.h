/*
 * An arbiter's address for remote bots: where it listens, the key that it proves itself
 * with, and whose keys it admits.
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

/* Reads the key; nobody is admitted yet. The listener must stay where it is. False: `why`
 * says what was wrong. */
bool listener_init(struct listener *listener, const char *endpoint, const char *key_path,
	struct why *why);
/* After the loop that used it; all zero is fine. */
void listener_release(struct listener *listener);

/* Admits all keys of a list. False: `why` says what was wrong. */
bool listener_admit_list(struct listener *listener, const char *path, struct why *why);

/* Where to come, and with which server key. */
void listener_print_address(const struct listener *listener, FILE *out);
/* How many came, and how many were turned away. */
void listener_print_counts(const struct zap_counts *counts, int64_t strangers, FILE *out);

#endif
