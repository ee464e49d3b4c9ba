/* Key pairs, key files and lists of keys. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zmq.h>
#include "protocol/keys.h"

#define FILE_BYTES_MAX 512

__attribute__((format(printf, 3, 4))) static enum err say(
	struct why *why, enum err err, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(why->text, sizeof(why->text), format, list);
	va_end(list);
	return err;
}

bool key_name_valid(const char *name)
{
	size_t size = strlen(name);

	if (size == 0 || size > NAME_BYTES_MAX || !isalnum((unsigned char)name[0]))
		return false;
	for (size_t i = 0; i < size; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_-.", name[i]))
			return false;
	return true;
}

bool key_from_text(const char *text, uint8_t bytes[KEY_BYTES])
{
	char again[KEY_TEXT_SIZE];

	/* libzmq also decodes texts that it would never write; here every key has
	 * exactly one. */
	return strlen(text) == KEY_TEXT_SIZE - 1 && zmq_z85_decode(bytes, text) &&
	       zmq_z85_encode(again, bytes, KEY_BYTES) && strcmp(again, text) == 0;
}

enum err key_pair_make(struct key_pair *pair, const char *name)
{
	*pair = (struct key_pair){0};
	if (!key_name_valid(name))
		return ERR_USAGE;
	strcpy(pair->name, name);
	return zmq_curve_keypair(pair->public_text, pair->secret_text) ? ERR_SYSTEM
								       : ERR_OK;
}

static enum err write_file(
	const char *path, mode_t mode, const char *text, struct why *why)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	bool whole;

	if (fd < 0)
		return say(why, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	whole = write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !fsync(fd);
	if (close(fd) || !whole) {
		unlink(path);
		return say(why, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	}
	return ERR_OK;
}

enum err key_pair_write(const struct key_pair *pair, const char *base, struct why *why)
{
	char key_path[PATH_MAX], pub_path[PATH_MAX], text[FILE_BYTES_MAX];
	enum err err;

	snprintf(key_path, sizeof(key_path), "%s.key", base);
	snprintf(pub_path, sizeof(pub_path), "%s.pub", base);
	snprintf(text, sizeof(text), "name %s\npublic %s\nsecret %s\n", pair->name,
		pair->public_text, pair->secret_text);
	err = write_file(key_path, 0600, text, why);
	if (err)
		return err;
	snprintf(text, sizeof(text), "%s %s\n", pair->name, pair->public_text);
	err = write_file(pub_path, 0644, text, why);
	if (err)
		unlink(key_path);
	return err;
}

/* A line of two words, with no NUL in it that would hide the rest. */
static bool two_words(char *line, ssize_t length, char **first, char **second)
{
	char *rest;

	if (strlen(line) != (size_t)length)
		return false;
	*first = strtok_r(line, " \t\r\n", &rest);
	*second = strtok_r(NULL, " \t\r\n", &rest);
	return *first && *second && !strtok_r(NULL, " \t\r\n", &rest);
}

/* False if the value is too long for its place, or is there already. */
static bool take_line(struct key_pair *pair, const char *word, const char *value)
{
	char *place = NULL;
	size_t size = KEY_TEXT_SIZE;

	if (strcmp(word, "name") == 0) {
		place = pair->name;
		size = sizeof(pair->name);
	} else if (strcmp(word, "public") == 0) {
		place = pair->public_text;
	} else if (strcmp(word, "secret") == 0) {
		place = pair->secret_text;
	}
	return !place || (!*place && snprintf(place, size, "%s", value) < (int)size);
}

static bool read_pair(struct key_pair *pair, FILE *file)
{
	char *line = NULL, *word, *value;
	size_t room = 0;
	ssize_t length;
	bool ok = true;

	while (ok && (length = getline(&line, &room, file)) >= 0)
		if (two_words(line, length, &word, &value))
			ok = take_line(pair, word, value);
	free(line);
	return ok;
}

enum err key_pair_read(struct key_pair *pair, const char *path, struct why *why)
{
	FILE *file = fopen(path, "re");
	char public_text[KEY_TEXT_SIZE];
	uint8_t bytes[KEY_BYTES];
	bool ok;

	*pair = (struct key_pair){0};
	if (!file)
		return say(why, ERR_SYSTEM, "%s: %s; `pigpen keygen` writes one", path,
			strerror(errno));
	ok = read_pair(pair, file);
	fclose(file);
	if (!ok || !key_name_valid(pair->name) ||
		!key_from_text(pair->secret_text, bytes) ||
		zmq_curve_public(public_text, pair->secret_text) ||
		strcmp(public_text, pair->public_text) != 0)
		return say(why, ERR_USAGE,
			"%s is not a key file as `pigpen keygen` writes it (name, public, secret)",
			path);
	return ERR_OK;
}

enum err key_list_read(const char *path,
	enum err (*each)(void *context, const char *name, const char *public_text,
		struct why *why),
	void *context, struct why *why)
{
	FILE *file = fopen(path, "re");
	char *line = NULL, *name, *key;
	size_t room = 0;
	ssize_t length;
	struct why inner;
	enum err err = ERR_OK;

	if (!file)
		return say(why, ERR_USAGE,
			"%s: %s; it is a list of keys, a line `NAME KEY` for each "
			"bot (the NAME.pub of `pigpen keygen`)",
			path, strerror(errno));
	for (int number = 1; !err && (length = getline(&line, &room, file)) >= 0;
		number++) {
		if (line[0] == '#' || strspn(line, " \t\r\n") == (size_t)length)
			continue;
		snprintf(inner.text, sizeof(inner.text), "it is not `NAME KEY`");
		err = two_words(line, length, &name, &key)
			      ? each(context, name, key, &inner)
			      : ERR_USAGE;
		if (err)
			say(why, err, "%s, line %d: %s", path, number, inner.text);
	}
	free(line);
	fclose(file);
	return err;
}
