/* `pigpen keygen`: a key pair in two files, and what to do with them. */
#include "arbiter/cmd/cmd.h"
#include "protocol/keys.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

struct keygen {
	const char *base; /* path of the files, without ending */
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct keygen *command = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (command->base)
		argp_error(state, "name only one key");
	command->base = text;
	return 0;
}

static void explain(const char *base, const struct key_pair *pair)
{
	printf("%s %s\n", pair->name, pair->public_text);
	fflush(stdout);
	fprintf(stderr,
		"%s.key is the secret half: keep it, show it to nobody.\n"
		"%s.pub is the line above.\n"
		"For a bot: send the line to the host of the arbiter, who adds it to the "
		"keys of `pigpen host --allow` or with `pigpen ladder add DIR --remote "
		"%s --key …`; then start the bot with PIGPEN_ENDPOINT and "
		"PIGPEN_SERVER_KEY as the host tells you, and PIGPEN_KEY_FILE=%s.key.\n"
		"For a host: start with --key %s.key, and tell the authors of bots the "
		"key in the line above; it is their PIGPEN_SERVER_KEY.\n",
		base, base, pair->name, base, base);
}

int cmd_keygen(int argc, char **argv)
{
	static const struct argp argp = {NULL, parse, "[NAME]",
		"Makes a key, for a bot that plays on an arbiter elsewhere "
		"or for the host of an arbiter that such bots connect to.\v"
		"Writes NAME.key (secret) and NAME.pub, and prints the public half. NAME "
		"may be a path; the default is `pigpen`. An existing file is "
		"never overwritten.\n\n"
		"Examples:\n"
		"  pigpen keygen anna            # anna.key and anna.pub\n"
		"  PIGPEN_ENDPOINT=tcp://HOST:7000 PIGPEN_SERVER_KEY='…' \\\n"
		"      PIGPEN_KEY_FILE=anna.key python3 bot.py",
		NULL, NULL, NULL};
	struct keygen command = {0};
	struct key_pair pair;
	struct why why;
	const char *name;

	argp_parse(&argp, argc, argv, 0, NULL, &command);
	if (!command.base)
		command.base = "pigpen";
	name = strrchr(command.base, '/');
	name = name ? name + 1 : command.base;
	if (key_pair_make(&pair, name))
		return user_error(
			"keygen: '%s' is not a valid name; use letters, digits, '_', "
			"'-' and '.', at most %d of them",
			name, NAME_BYTES_MAX);
	if (key_pair_write(&pair, command.base, &why))
		return user_error("keygen: %s; choose another name", why.text);
	explain(command.base, &pair);
	return EXIT_OK;
}
