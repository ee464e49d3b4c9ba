/*
 * `pigpen host`: matches as with `pigpen match`, with seats for bots that connect from
 * elsewhere. Everything except its three own options is in match.c.
 */
#include "arbiter/cmd/cmd.h"
#include "arbiter/cmd/match.h"

#include <argp.h>
#include <string.h>

#define REMOTE_PREFIX "remote:"

enum { KEY_LISTEN = 512, KEY_KEY, KEY_ALLOW };

static const struct argp_option host_argp_options[] = {
	{"listen", KEY_LISTEN, "tcp://HOST:PORT", 0,
		"where remote bots connect; port 0 lets the system choose", 0},
	{"key", KEY_KEY, "FILE", 0,
		"the host's own key (`pigpen keygen server` writes server.key)", 0},
	{"allow", KEY_ALLOW, "FILE", 0,
		"whose keys are admitted: a line `NAME KEY` for each bot", 0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct match_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		/* Our input is the beginning of the input of match's options. */
		state->child_inputs[0] = state->input;
		break;
	case KEY_LISTEN:
		options->listen = text;
		break;
	case KEY_KEY:
		options->key_path = text;
		break;
	case KEY_ALLOW:
		options->allow_path = text;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int host_open(struct match_options *options)
{
	struct why why;

	if (!options->listen || !options->key_path || !options->allow_path)
		return user_error(
			"host: name the address, the host's key and the list of "
			"admitted keys: --listen tcp://0.0.0.0:7000 --key "
			"server.key --allow keys");
	if (options->ponder_off)
		return user_error(
			"host: --ponder off cannot be enforced for remote bots");
	if (options->rules.clock.kind == CLOCK_KIND_CPU)
		return user_error("host: the CPU time of remote bots cannot be known; "
				  "use --clock-kind wall");
	if (!listener_init(&options->listener, options->listen, options->key_path, &why))
		return user_error("host: --listen, --key: %s", why.text);
	if (!listener_admit_list(&options->listener, options->allow_path, &why))
		return user_error("host: --allow: %s", why.text);
	return 0;
}

bool host_is_remote(const char *word)
{
	return strncmp(word, REMOTE_PREFIX, strlen(REMOTE_PREFIX)) == 0;
}

bool host_spec(const struct match_options *options, struct bot_spec *spec,
	const char *word, struct why *why)
{
	const char *name = word + strlen(REMOTE_PREFIX);

	*spec = (struct bot_spec){.remote = true, .matches = 1};
	snprintf(spec->name, sizeof(spec->name), "%s", name);
	if (!options->listener.zap)
		why_set(why,
			"%s: remote bots play with `pigpen host`, not with `pigpen match`",
			word);
	else if (!zap_knows(options->listener.zap, name))
		why_set(why, "%s: there is no key of '%s' in %s", word, name,
			options->allow_path);
	else
		return true;
	return false;
}

int cmd_host(int argc, char **argv)
{
	static struct argp_child children[] = {{NULL, 0, NULL, 0}, {0}};
	static struct argp match_options;
	static struct argp argp = {host_argp_options, parse, "GAME BOT…",
		"Plays matches as `pigpen match` does, also "
		"with bots that connect from elsewhere.\v"
		"A BOT is what `pigpen match` takes, or remote:NAME, the bot with the "
		"key of that name. Matches wait until it is online; it may lose its "
		"connection and come back while its clock runs. Its author starts it "
		"with PIGPEN_ENDPOINT, PIGPEN_SERVER_KEY and PIGPEN_KEY_FILE (`pigpen "
		"keygen --help`).\n\n"
		"Examples:\n"
		"  pigpen keygen server                # once; authors are told its key\n"
		"  cat anna.pub bruno.pub > keys       # whom to admit\n"
		"  pigpen host dirty_pig remote:anna remote:bruno --matches 100 \\\n"
		"      --listen tcp://0.0.0.0:7000 --key server.key --allow keys",
		children, NULL, NULL};

	/* Only match's options: its description would be printed a second time. */
	match_options = (struct argp){.options = match_argp.options,
		.parser = match_argp.parser,
		.children = match_argp.children};
	children[0].argp = &match_options;
	return match_command(argc, argv, &argp, true);
}
