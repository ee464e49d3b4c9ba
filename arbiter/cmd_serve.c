/* `pigpen serve DIR…` */
#include "arbiter/cmd.h"
#include "arbiter/web/submit.h"

#include <argp.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_BIND = 256, KEY_HOST, KEY_SUBMIT };

#define HOSTS_MAX 16
#define NICENESS  10 /* a ladder on the same machine comes first */

struct command {
	const char *address;
	int port;
	char **paths;
	int count;
	const char *hosts[HOSTS_MAX + 1];
	int host_count;
	bool submit; /* also for those who are not on this machine */
};

static const struct argp_option argp_options[] = {
	{"bind", KEY_BIND, "ADDRESS", 0,
		"numeric address to listen at (127.0.0.1: this machine only)", 0},
	{"host", KEY_HOST, "NAME", 0,
		"a name by which browsers reach this page, for what they send; numeric "
		"addresses and localhost need none",
		0},
	{"port", 'p', "N", 0, "port (8080); 0 takes a free one", 0},
	{"submit", KEY_SUBMIT, 0, 0,
		"let owners of a token (`pigpen ladder token`) submit bots; without it "
		"only if the address is this machine's own",
		0},
	{0},
};

static error_t take(int key, char *text, struct argp_state *state)
{
	struct command *command = state->input;
	char *end;
	long port;

	switch (key) {
	case KEY_BIND:
		command->address = text;
		return 0;
	case KEY_HOST:
		if (command->host_count == HOSTS_MAX)
			argp_error(state, "at most %d names", HOSTS_MAX);
		command->hosts[command->host_count++] = text;
		return 0;
	case KEY_SUBMIT:
		command->submit = true;
		return 0;
	case 'p':
		port = strtol(text, &end, 10);
		if (end == text || *end || port < 0 || port > 65535)
			argp_error(state, "'%s' is no port; it is a number up to 65535",
				text);
		command->port = (int)port;
		return 0;
	case ARGP_KEY_ARG:
		command->paths[command->count++] = text;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name a ladder's directory, or several");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {argp_options, take, "DIR…",
	"Shows ladders in the browser: standings, history, payoff matrix, bots, matches "
	"and "
	"their replays, and takes bots that are submitted. Of the ladders it only reads, "
	"also while they run. Ends with SIGINT or SIGTERM.",
	NULL, NULL, NULL};

static bool is_own_machine(const char *address)
{
	return !strncmp(address, "127.", 4) || !strcmp(address, "::1");
}

/* With what can be asked of it beyond reading. */
struct site {
	struct web *web;
	struct submit *submit; /* NULL: nobody may */
	struct server *server;
	struct server_route routes[SERVER_ROUTES_MAX + 1];
};

static bool open_site(
	struct site *site, const struct command *command, char *why, size_t why_size)
{
	int routes = 0;

	site->web = web_open(command->paths, command->count, true, why, why_size);
	if (!site->web)
		return false;
	if (command->submit || is_own_machine(command->address)) {
		site->submit = submit_start(site->web);
		routes = submit_routes(site->submit, site->routes, routes);
	}
	site->server = server_start(&(struct server_options){.web = site->web,
					    .address = command->address,
					    .port = command->port,
					    .hosts = command->hosts,
					    .routes = site->routes},
		why, why_size);
	return site->server;
}

static void close_site(struct site *site)
{
	server_stop(&site->server);
	submit_stop(&site->submit);
	web_close(&site->web);
}

static int serve(const struct command *command)
{
	char why[9000];
	struct site site = {0};
	const char *colon = strchr(command->address, ':');
	sigset_t ending;
	int signal_number;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ending, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (!open_site(&site, command, why, sizeof(why))) {
		close_site(&site);
		return user_error("%s", why);
	}
	printf("open http://%s%s%s:%d/\n", colon ? "[" : "", command->address,
		colon ? "]" : "", server_port(site.server));
	fflush(stdout);
	sigwait(&ending, &signal_number);
	close_site(&site);
	return EXIT_OK;
}

int cmd_serve(int argc, char **argv)
{
	struct command command = {.address = "127.0.0.1", .port = 8080};
	int status;

	command.paths = calloc((size_t)argc + 1, sizeof(*command.paths));
	if (!command.paths || sodium_init() < 0)
		abort();
	argp_parse(&argp, argc, argv, 0, NULL, &command);
	/* Without the right to be nice it serves all the same. */
	(void)!nice(NICENESS);
	status = serve(&command);
	free(command.paths);
	return status;
}
