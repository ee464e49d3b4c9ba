/* `pigpen ladder token`: the tokens with which owners submit bots on the web page. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/ladder.h"
#include "arbiter/ladder/directory/owner.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct token_command {
	const char *path, *owner, *revoked;
};

static const struct argp_option argp_options[] = {
	{"revoke", 'r', "NAME|ID", 0, "revoke all tokens of an owner, or one by its id",
		0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct token_command *command = state->input;

	switch (key) {
	case 'r':
		command->revoked = text;
		return 0;
	case ARGP_KEY_ARG:
		if (!command->path)
			command->path = text;
		else if (!command->owner)
			command->owner = text;
		else
			argp_error(state, "name only one owner");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int make(const struct ladder *ladder, const char *owner)
{
	struct why why;
	char text[TOKEN_SIZE];

	if (!owner_name_ok(owner))
		return user_error("'%s' is not a valid owner name: at most %d letters, "
				  "digits and . _ - +",
			owner, OWNER_NAME_SIZE - 1);
	if (!token_make(ladder, owner, text, &why))
		return user_error("%s", why.text);
	printf("%s\n", text);
	fprintf(stderr,
		"This is %s's token. It is shown only this once; `--revoke` revokes it.\n",
		owner);
	return EXIT_OK;
}

static void list(const struct ladder *ladder)
{
	struct token *tokens;
	int count = token_list(ladder, &tokens);

	for (int i = 0; i < count; i++) {
		char day[32];
		time_t made = tokens[i].made_unix_s;
		struct tm parts;

		strftime(day, sizeof(day), "%Y-%m-%d", localtime_r(&made, &parts));
		printf("%s  %s  %s\n", tokens[i].id, day, tokens[i].owner);
	}
	free(tokens);
}

static int revoke(const struct ladder *ladder, const char *which)
{
	int count = token_revoke(ladder, which);

	if (!count)
		return user_error(
			"there is no token of '%s'; `pigpen ladder token %s` lists them",
			which, ladder->path);
	printf("%d token%s revoked\n", count, count > 1 ? "s" : "");
	return EXIT_OK;
}

int cmd_ladder_token(int argc, char **argv)
{
	static const struct argp argp = {argp_options, parse, "DIR [NAME]",
		"Makes an access token for the owner NAME (a person or "
		"a team), with which they submit bots on the page of "
		"`pigpen serve` and see what is shown to a bot's owner "
		"only. Without NAME the tokens are listed, by id.\v"
		"The token is printed once; only a hash of it is kept. "
		"Tokens can be made and revoked while the ladder runs.\n\n"
		"Examples:\n"
		"  pigpen ladder token pigs anna\n"
		"  pigpen ladder token pigs --revoke anna",
		NULL, NULL, NULL};
	struct token_command command = {0};
	struct ladder ladder;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &command);
	if (command.owner && command.revoked)
		return user_error("give the name after --revoke: pigpen ladder token "
				  "DIR --revoke NAME");
	status = cmd_ladder_open(&ladder, command.path, LADDER_READ);
	if (status)
		return status;
	if (command.revoked)
		status = revoke(&ladder, command.revoked);
	else if (command.owner)
		status = make(&ladder, command.owner);
	else
		list(&ladder);
	ladder_close(&ladder);
	return status;
}
