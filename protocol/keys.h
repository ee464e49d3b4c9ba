/*
 * The keys of remote bots and of the arbiters that they connect to (CURVE).
 *
 * A key pair has a name and lies in two files that `pigpen keygen NAME` writes:
 *
 *     NAME.key    name NAME          readable by its owner only
 *                 public <Z85>
 *                 secret <Z85>
 *     NAME.pub    NAME <Z85>         one line, as it stands in a list of keys
 *
 * A list of keys has one line for each bot that may connect; blank lines and lines that
 * begin with `#` are skipped. Keys are 32 bytes, written as 40 characters of Z85.
 */
#ifndef PROTOCOL_KEYS_H
#define PROTOCOL_KEYS_H

#include <stdbool.h>
#include "protocol/codec.h"
#include "protocol/err.h"
#include "protocol/why.h"

#define KEY_BYTES     32
#define KEY_TEXT_SIZE 41 /* Z85, with its NUL */

struct key_pair {
	char name[NAME_BYTES_MAX + 1];
	char public_text[KEY_TEXT_SIZE], secret_text[KEY_TEXT_SIZE];
};

/* Letters, digits, `_`, `-` and `.` (not first), at most NAME_BYTES_MAX of them. */
bool key_name_valid(const char *name);
/* Z85 of 32 bytes; false if it is not. */
bool key_from_text(const char *text, uint8_t bytes[KEY_BYTES]);

/* A new pair. */
enum err key_pair_make(struct key_pair *pair, const char *name);
/* Writes BASE.key and BASE.pub, where `base` is a path without ending; neither may
 * exist. ERR_SYSTEM: `why` says what was wrong. */
enum err key_pair_write(const struct key_pair *pair, const char *base, struct why *why);
/* Reads a NAME.key. ERR_USAGE or ERR_SYSTEM: `why` says what was wrong. */
enum err key_pair_read(struct key_pair *pair, const char *path, struct why *why);

/* Calls `each` for every line of a list; stops at the first that returns an error.
 * ERR_USAGE: `why` names the line and says what was wrong. */
enum err key_list_read(const char *path,
	enum err (*each)(void *context, const char *name, const char *public_text,
		struct why *why),
	void *context, struct why *why);

#endif
