/* `pigpen serve DIR…`: shows ladders in the browser. */
#include "arbiter/cmd/cmd.h"
#include "arbiter/web/play/play.h"
#include "arbiter/web/site/site.h"
#include "arbiter/web/upload/upload.h"
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

struct serve_options {
	const char *address;
	int port;
	char **paths;
	int count;
	const char *hosts[HOSTS_MAX + 1];
	int host_count;
	bool submit;        /* also from other machines */
	bool play;          /* also from other machines */
	const char *played; /* NULL: the default folder */
	int idle_s;
};

static const struct argp_option argp_options[] = {
	{"bind", KEY_BIND, "ADDRESS", 0,
		"numeric address to listen at (127.0.0.1: this machine only)", 0},
	{"host", KEY_HOST, "NAME", 0,
		"a name or address by which browsers reach the site; localhost needs "
		"none, and with --bind no numeric address does",
		0},
	{"port", 'p', "N", 0, "port (8080); 0 chooses a free one", 0},
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
		"a person whose browser is away for this long has left the table (900)",
		0},
	{0},
};

static int number(
	struct argp_state *state, const char *text, const char *what, int min, int max)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < min || n > max)
		argp_error(state, "'%s' is not a valid %s; use a number from %d to %d",
			text, what, min, max);
	return (int)n;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct serve_options *options = state->input;

	switch (key) {
	case KEY_BIND:
		options->address = text;
		return 0;
	case KEY_HOST:
		if (options->host_count == HOSTS_MAX)
			argp_error(state, "at most %d names", HOSTS_MAX);
		options->hosts[options->host_count++] = text;
		return 0;
	case KEY_SUBMIT:
		options->submit = true;
		return 0;
	case 'p':
		options->port = number(state, text, "port", 0, 65535);
		return 0;
	case KEY_PLAY:
		options->play = true;
		return 0;
	case KEY_PLAYED:
		options->played = text;
		return 0;
	case KEY_IDLE:
		options->idle_s = number(state, text, "time", 1, 1000000);
		return 0;
	case ARGP_KEY_ARG:
		options->paths[options->count++] = text;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name a ladder's directory, or several");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {argp_options, parse, "DIR…",
	"Shows ladders in the browser: standings, history, payoff "
	"matrix, bots, matches and their replays, a seat to play against "
	"the bots, and accepts submitted bots. It only reads the ladders, "
	"also while they run. Ends with SIGINT or SIGTERM.\v"
	"Examples:\n"
	"  pigpen serve pigs duel\n"
	"  pigpen serve pigs --bind 0.0.0.0 --host pigs.example.org --submit",
	NULL, NULL, NULL};

/* The site, and what people can do there beyond reading. */
struct service {
	struct site *site;
	struct upload *upload; /* NULL: nobody may */
	struct play *play;     /* NULL: nobody may */
	struct server *server;
	struct server_route routes[SERVER_ROUTES_MAX + 1];
};

static bool open_play(struct service *service, const struct serve_options *options,
	int *routes, struct why *why)
{
	service->play = play_new(&(struct play_options){.site = service->site,
					 .folder = options->played,
					 .idle_s = options->idle_s},
		why);
	if (service->play)
		*routes = play_routes(service->play, service->routes, *routes);
	return service->play;
}

static bool open_upload(struct service *service, int *routes, struct why *why)
{
	service->upload = upload_start(service->site, why);
	if (service->upload)
		service->routes[(*routes)++] = upload_route(service->upload);
	return service->upload;
}

static bool open_service(
	struct service *service, const struct serve_options *options, struct why *why)
{
	bool own = server_is_own_machine(options->address);
	int routes = 0;

	service->site = site_open(options->paths, options->count, true, why);
	if (!service->site)
		return false;
	if ((options->play || own) && !open_play(service, options, &routes, why))
		return false;
	if ((options->submit || own) && !open_upload(service, &routes, why))
		return false;
	service->routes[routes] = site_route(service->site);
	service->server =
		server_start(&(struct server_options){.address = options->address,
				     .port = options->port,
				     .hosts = options->hosts,
				     .routes = service->routes,
				     .look = site_look,
				     .look_context = service->site},
			why);
	if (!service->server)
		return false;
	return !service->play || play_start(service->play, service->server, why);
}

static void close_service(struct service *service)
{
	play_stop(service->play);
	server_stop(&service->server);
	play_free(&service->play);
	upload_stop(&service->upload);
	site_close(&service->site);
}

static int serve(const struct serve_options *options)
{
	struct why why;
	struct service service = {0};
	const char *colon = strchr(options->address, ':');
	sigset_t ending;
	int signal_number;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ending, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (!open_service(&service, options, &why)) {
		close_service(&service);
		return user_error("%s", why.text);
	}
	printf("open http://%s%s%s:%d/\n", colon ? "[" : "", options->address,
		colon ? "]" : "", server_port(service.server));
	fflush(stdout);
	sigwait(&ending, &signal_number);
	close_service(&service);
	return EXIT_OK;
}

/*
 * If the niceness cannot be set, it serves all the same. Where the kernel first shares
 * time between sessions (autogroups), niceness counts only within a session, and the
 * session has a niceness of its own.
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
	struct serve_options options = {
		.address = "127.0.0.1", .port = 8080, .idle_s = PLAY_IDLE_S};
	int status;

	options.paths = xcalloc((size_t)argc + 1, sizeof(*options.paths));
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	be_nice();
	status = serve(&options);
	free(options.paths);
	return status;
}
