/* `pigpen serve DIR…` */
#include "arbiter/cmd/cmd.h"
#include "arbiter/web/submit.h"
#include "arbiter/web/play.h"
#include "protocol/memory.h"

#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_BIND = 256, KEY_HOST, KEY_SUBMIT, KEY_PLAY, KEY_PLAYED, KEY_IDLE };

#define HOSTS_MAX 16
#define NICENESS  10 /* a ladder on the same machine comes first */

struct serve_command {
	const char *address;
	int port;
	char **paths;
	int count;
	const char *hosts[HOSTS_MAX + 1];
	int host_count;
	bool submit;        /* also for those who are not on this machine */
	bool play;          /* also for those who are not on this machine */
	const char *played; /* NULL: the default folder */
	int idle_s;
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
	{"play", KEY_PLAY, 0, 0,
		"let whoever reaches the page play against the bots; without it only if "
		"the address is this machine's own",
		0},
	{"played", KEY_PLAYED, "DIR", 0,
		"keep the replays of people's matches there (pigpen/played in "
		"$XDG_STATE_HOME or ~/.local/state)",
		0},
	{"idle", KEY_IDLE, "SECONDS", 0,
		"a person whose browser is away for so long has left the table (900)", 0},
	{0},
};

static int number(
	struct argp_state *state, const char *text, const char *what, int min, int max)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < min || n > max)
		argp_error(state, "'%s' is no %s; it is a number from %d to %d", text,
			what, min, max);
	return (int)n;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct serve_command *command = state->input;

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
		command->port = number(state, text, "port", 0, 65535);
		return 0;
	case KEY_PLAY:
		command->play = true;
		return 0;
	case KEY_PLAYED:
		command->played = text;
		return 0;
	case KEY_IDLE:
		command->idle_s = number(state, text, "time", 1, 1000000);
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

static const struct argp argp = {argp_options, parse, "DIR…",
	"Shows ladders in the browser: standings, history, payoff matrix, bots, matches "
	"and "
	"their replays, a seat to play against the bots, and takes bots that are "
	"submitted. Of the ladders it only reads, also while they run. Ends with SIGINT "
	"or SIGTERM.\v"
	"Examples:\n"
	"  pigpen serve pigs duel\n"
	"  pigpen serve pigs --bind 0.0.0.0 --host pigs.example.org --submit",
	NULL, NULL, NULL};

static bool is_own_machine(const char *address)
{
	return !strncmp(address, "127.", 4) || !strcmp(address, "::1");
}

/* With what can be asked of it beyond reading. */
struct site {
	struct web *web;
	struct submit *submit; /* NULL: nobody may */
	struct play *play;     /* NULL: nobody may */
	struct server *server;
	struct server_route routes[SERVER_ROUTES_MAX + 1];
};

static bool open_site(
	struct site *site, const struct serve_command *command, struct why *why)
{
	int routes = 0;

	site->web = web_open(command->paths, command->count, true, why);
	if (!site->web)
		return false;
	if (command->play || is_own_machine(command->address)) {
		site->play = play_new(&(struct play_options){.web = site->web,
					      .folder = command->played,
					      .idle_s = command->idle_s},
			why);
		if (!site->play)
			return false;
		routes = play_routes(site->play, site->routes, routes);
	}
	if (command->submit || is_own_machine(command->address)) {
		/* Behind all others: they stand for everything below api/. */
		site->submit = submit_start(site->web);
		routes = submit_routes(site->submit, site->routes, routes);
	}
	site->server = server_start(&(struct server_options){.web = site->web,
					    .address = command->address,
					    .port = command->port,
					    .hosts = command->hosts,
					    .routes = site->routes},
		why);
	if (site->server && site->play)
		play_start(site->play, site->server);
	return site->server;
}

static void close_site(struct site *site)
{
	play_stop(site->play);
	server_stop(&site->server);
	play_free(&site->play);
	submit_stop(&site->submit);
	web_close(&site->web);
}

static int serve(const struct serve_command *command)
{
	struct why why;
	struct site site = {0};
	const char *colon = strchr(command->address, ':');
	sigset_t ending;
	int signal_number;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ending, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (!open_site(&site, command, &why)) {
		close_site(&site);
		return user_error("%s", why.text);
	}
	printf("open http://%s%s%s:%d/\n", colon ? "[" : "", command->address,
		colon ? "]" : "", server_port(site.server));
	fflush(stdout);
	sigwait(&ending, &signal_number);
	close_site(&site);
	return EXIT_OK;
}

/*
 * Without the right to be nice it serves all the same. Where the kernel shares its time
 * between sessions first, niceness counts within one only, and a session has its own.
 */
static void be_nice(void)
{
	FILE *session = getsid(0) == getpid() ? fopen("/proc/self/autogroup", "w") : NULL;

	(void)!nice(NICENESS);
	if (session) {
		fprintf(session, "%d", NICENESS);
		fclose(session);
	}
}

int cmd_serve(int argc, char **argv)
{
	struct serve_command command = {
		.address = "127.0.0.1", .port = 8080, .idle_s = PLAY_IDLE_S};
	int status;

	command.paths = xcalloc((size_t)argc + 1, sizeof(*command.paths));
	argp_parse(&argp, argc, argv, 0, NULL, &command);
	be_nice();
	status = serve(&command);
	free(command.paths);
	return status;
}
