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

#define LINE_SIZE 512

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

	/* libzmq decodes some texts that it would not write; one key has one text. */
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
		return say(why, ERR_SYSTEM, "%.300s: %s", path, strerror(errno));
	whole = write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !fsync(fd);
	if (close(fd) || !whole) {
		unlink(path);
		return say(why, ERR_SYSTEM, "%.300s: %s", path, strerror(errno));
	}
	return ERR_OK;
}

enum err key_pair_write(const struct key_pair *pair, const char *base, struct why *why)
{
	char key_path[PATH_MAX], pub_path[PATH_MAX], text[LINE_SIZE];
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

/* A line of two words. */
static bool two_words(char *line, char **first, char **second)
{
	char *rest;

	*first = strtok_r(line, " \t\r\n", &rest);
	*second = strtok_r(NULL, " \t\r\n", &rest);
	return *first && *second && !strtok_r(NULL, " \t\r\n", &rest);
}

static void take_line(struct key_pair *pair, char *line)
{
	char *word, *value;

	if (!two_words(line, &word, &value))
		return;
	if (strcmp(word, "name") == 0)
		snprintf(pair->name, sizeof(pair->name), "%s", value);
	else if (strcmp(word, "public") == 0)
		snprintf(pair->public_text, sizeof(pair->public_text), "%s", value);
	else if (strcmp(word, "secret") == 0)
		snprintf(pair->secret_text, sizeof(pair->secret_text), "%s", value);
}

enum err key_pair_read(struct key_pair *pair, const char *path, struct why *why)
{
	FILE *file = fopen(path, "re");
	char line[LINE_SIZE], public_text[KEY_TEXT_SIZE];
	uint8_t bytes[KEY_BYTES];

	*pair = (struct key_pair){0};
	if (!file)
		return say(why, ERR_SYSTEM, "%.300s: %s; `pigpen keygen` writes one",
			path, strerror(errno));
	while (fgets(line, sizeof(line), file))
		take_line(pair, line);
	fclose(file);
	if (!key_name_valid(pair->name) || !key_from_text(pair->secret_text, bytes) ||
		zmq_curve_public(public_text, pair->secret_text) ||
		strcmp(public_text, pair->public_text) != 0)
		return say(why, ERR_USAGE,
			"%.300s is no key file as `pigpen keygen` writes it (name, "
			"public, secret)",
			path);
	return ERR_OK;
}

enum err key_list_read(const char *path,
	enum err (*each)(void *context, const char *name, const char *public_text,
		struct why *why),
	void *context, struct why *why)
{
	FILE *file = fopen(path, "re");
	char line[LINE_SIZE], *name, *key;
	struct why inner;
	enum err err = ERR_OK;

	if (!file)
		return say(why, ERR_USAGE,
			"%.300s: %s; it is a list of keys, a line `NAME KEY` for each "
			"bot (the NAME.pub of `pigpen keygen`)",
			path, strerror(errno));
	for (int number = 1; !err && fgets(line, sizeof(line), file); number++) {
		if (line[strspn(line, " \t\r\n")] == 0 || line[0] == '#')
			continue;
		snprintf(inner.text, sizeof(inner.text), "it is not `NAME KEY`");
		err = two_words(line, &name, &key) ? each(context, name, key, &inner)
						   : ERR_USAGE;
		if (err)
			say(why, err, "%.200s, line %d: %.250s", path, number,
				inner.text);
	}
	fclose(file);
	return err;
}
