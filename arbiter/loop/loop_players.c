/* The entrants' processes: starting, greeting, sending, ending. */
#include "arbiter/loop/loop_internal.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"
#include "arbiter/base/child.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <sodium.h>

/* After an exit, frames sent before it may still arrive. */
#define EXIT_GRACE_NS (50 * NS_PER_MS)
/* An entrant that fails to start this often in a row is not tried again. */
#define FAILURES_MAX 3
/* Hundreds of interpreters starting at once would keep each other from saying hello in
 * time, so only this many start at a time. */
#define STARTING_MAX 16

static void on_timer(struct loop *loop, struct timer *timer);

/* Reads everything that is in the pipes, before an exit is reported. */
static void drain_output(struct player *player)
{
	if (player->process.output < 0)
		return;
	if (output_drain(&player->output, player->process.output))
		return;
	loop_remove_source(player->loop, player->process.output);
	close(player->process.output);
	player->process.output = -1;
}

static void take_pipes(struct loop *loop, void *owner)
{
	(void)loop;
	player_poll(owner);
}

static void take_frames(struct loop *loop, void *owner)
{
	(void)loop;
	player_receive(owner);
}

static void watch_process(struct player *player)
{
	player->pipes = (struct source){take_pipes, player};
	loop_add_source(player->loop, player->process.report, &player->pipes);
	loop_add_source(player->loop, player->process.output, &player->pipes);
}

/* A socket of the bot's own. Loopback is for bots that cannot do without. */
static bool open_socket(struct player *player)
{
	struct loop *loop = player->loop;
	const char *path = player->endpoint + strlen("ipc://");

	player->transport = transport_local_new();
	if (!player->transport)
		return false;
	if (loop->options.trace)
		player->transport =
			transport_trace_new(player->transport, loop->options.trace);
	player->frames = (struct source){take_frames, player};
	loop_add_source(loop, transport_fd(player->transport), &player->frames);
	/* A sandboxed bot may be another user; the folder keeps all others out. */
	return !transport_bind_ipc(player->transport, path) &&
	       !(loop->options.sandbox && chmod(path, 0666)) &&
	       !(player->entrant->spec->transport == BOT_TCP && !loop->options.sandbox &&
		       transport_bind_tcp(
			       player->transport, "127.0.0.1", 0, player->tcp_endpoint));
}

static int start_process(struct player *player)
{
	const struct bot_spec *spec = player->entrant->spec;
	struct loop *loop = player->loop;
	struct bot_command command;
	struct launch_spec launch;
	char endpoint[ENDPOINT_BYTES_MAX + 32], tcp[ENDPOINT_BYTES_MAX + 32];
	char token_text[TOKEN_BYTES_MAX + 32], log_path[PATH_MAX];
	char *environment[] = {
		endpoint, token_text, *player->tcp_endpoint ? tcp : NULL, NULL};

	bot_command_fill(&command, spec);
	snprintf(endpoint, sizeof(endpoint), "PIGPEN_ENDPOINT=%s", player->endpoint);
	snprintf(tcp, sizeof(tcp), "PIGPEN_ENDPOINT_TCP=%s", player->tcp_endpoint);
	snprintf(token_text, sizeof(token_text), "PIGPEN_TOKEN=%s",
		player->session->token);
	if (loop->options.log_folder)
		/* The name of the sockets' folder is unique to this run. */
		snprintf(log_path, sizeof(log_path), "%s/%s-%s-%d.log",
			loop->options.log_folder, spec->name,
			loop->folder + strlen(loop->folder) - 6, player->number);
	output_init(&player->output, loop->options.log_folder ? log_path : NULL,
		loop->limits.stderr_bytes);
	launch = (struct launch_spec){.argv = command.argv,
		.socket = player->endpoint + strlen("ipc://"),
		.folder = spec->folder,
		.environment = environment,
		.sandbox = loop->options.sandbox && !spec->trusted ? &player->box : NULL};
	return process_start(&player->process, &launch);
}

/* The limits that the bot gets and is told: the host's, or tighter ones it asks for. */
static struct limits limits_of(struct player *player)
{
	struct limits limits = player->loop->limits;

	if (player->entrant->spec->remote)
		limits.bye_ms = BYE_MS_REMOTE;
	if (!player->loop->options.sandbox || player->entrant->spec->remote)
		return limits;
	player->box = sandbox_limits_tightest(
		player->loop->options.sandbox, &player->entrant->spec->limits);
	limits.memory_bytes = player->box.memory_bytes;
	limits.processes = player->box.processes;
	limits.descriptors = player->box.descriptors;
	limits.disk_bytes = player->box.disk_bytes;
	return limits;
}

/* A remote bot is identified by its key; its token is the key's name and no secret. */
static void make_session(struct player *player)
{
	const struct bot_spec *spec = player->entrant->spec;
	char token[TOKEN_BYTES_MAX];
	uint8_t secret[SECRET_BYTES], random[16];
	struct limits limits = limits_of(player);

	chance_fresh(random, sizeof(random));
	chance_fresh(secret, sizeof(secret));
	sodium_bin2hex(token, TOKEN_BYTES_MAX, random, sizeof(random));
	if (spec->remote)
		snprintf(token, sizeof(token), "%s", spec->name);
	player->session =
		session_new(&player->loop->sessions, token, secret, &limits, player);
	if (spec->remote)
		session_set_key(player->session, spec->name);
}

static void fail_start(struct player *player, const char *why)
{
	struct entrant *entrant = player->entrant;

	entrant->failures++;
	entrant->failed = true;
	entrant->failure = (struct fault){
		.class = FAULT_STARTUP, .at = loop_now(player->loop), .exit_status = -1};
	utf8_format(entrant->failure.why, sizeof(entrant->failure.why), "%s", why);
	player_evidence(player, &entrant->failure);
	player->loop->seating_due = true;
	player_end(player);
}

struct player *player_new(struct loop *loop, struct entrant *entrant)
{
	struct player *player = xcalloc(1, sizeof(*player));

	player->loop = loop;
	player->entrant = entrant;
	player->number = ++loop->players_started;
	player->next = entrant->players;
	player->timer = (struct timer){.fire = on_timer, .owner = player};
	process_init(&player->process);
	entrant->players = player;
	entrant->processes++;
	make_session(player);
	output_init(&player->output, NULL, 0);
	return player;
}

struct player *player_start(struct loop *loop, struct entrant *entrant)
{
	struct player *player = player_new(loop, entrant);
	char why[128];
	int err;

	entrant->starts++;
	loop->starting++;
	snprintf(player->endpoint, sizeof(player->endpoint), "ipc://%s/%d", loop->folder,
		player->number);
	err = open_socket(player) ? start_process(player) : errno;
	if (err) {
		snprintf(why, sizeof(why), "start: %s", strerror(err));
		fail_start(player, why);
		return player;
	}
	watch_process(player);
	player->late_ns = loop->late_ns;
	timer_set(&loop->timers, &player->timer,
		loop_now(loop) + loop->options.hello_ns_max);
	return player;
}

static int room(const struct player *player)
{
	if (player->retiring || player->state == PLAYER_ENDING || player->exit_due)
		return 0;
	if (player->loop->options.fresh || player->loop->options.one_match_per_process)
		return player->session->matches.count == 0;
	if (player->state == PLAYER_STARTING)
		return player->entrant->spec->matches;
	return (int)(player->session->matches_max -
		     (int64_t)player->session->matches.count);
}

struct player *entrant_player(const struct entrant *entrant)
{
	for (struct player *player = entrant->players; player; player = player->next)
		if (player->state == PLAYER_LIVE && room(player) > 0 &&
			(!entrant->spec->remote || remote_is_there(player)))
			return player;
	return NULL;
}

bool entrant_given_up(const struct entrant *entrant)
{
	return entrant->failures >= FAILURES_MAX && !entrant->processes;
}

void entrant_provide(struct loop *loop, struct entrant *entrant, int wanted)
{
	if (entrant->spec->remote) {
		if (!entrant->processes && !loop->stopping)
			remote_expect(loop, entrant);
		return;
	}
	for (struct player *player = entrant->players; player; player = player->next)
		wanted -= room(player);
	while (wanted > 0 && entrant->processes < entrant->processes_max &&
		entrant->failures < FAILURES_MAX && loop->starting < STARTING_MAX &&
		!loop->stopping) {
		struct player *player = player_start(loop, entrant);

		wanted -= room(player);
		if (entrant->failed)
			return;
	}
}

void player_hello(struct player *player)
{
	struct message welcome;

	player->loop->starting -= player->state == PLAYER_STARTING;
	player->state = PLAYER_LIVE;
	player->entrant->failures = 0;
	/* If an exit was already reported, the timer has been set again for that. */
	if (!player->exit_due)
		timer_clear(&player->loop->timers, &player->timer);
	player_poll(player);
	process_settled(&player->process);
	session_welcome(player->session, &welcome);
	player_send_message(player, &welcome);
	transport_settle(player->transport, &player->session->peer);
	player->loop->seating_due = true;
	if (player->entrant->spec->remote)
		remote_arrived(player);
}

/* All seats that the bot holds; the caller frees the list. A copy, because handling a
 * seat may remove it from the session. */
static struct seat **seats_of(const struct player *player, size_t *count)
{
	const struct table *matches = &player->session->matches;
	struct seat **seats = xmalloc((matches->count + 1) * sizeof(*seats));

	*count = 0;
	for (size_t i = 0; i < matches->capacity; i++) {
		struct session_match *entry = matches->entries[i].value;

		if (entry)
			seats[(*count)++] = entry->user;
	}
	return seats;
}

void player_link(struct player *player, bool back)
{
	size_t count;
	struct seat **seats = seats_of(player, &count);
	mono_ns now = loop_now(player->loop);

	for (size_t i = 0; i < count; i++)
		match_link(&seats[i]->running->match, seats[i]->number, now, back);
	/* A bot that has come back need not send `ready`. In a second pass, because
	 * nothing may come between one resume and the next. */
	for (size_t i = 0; i < count && back; i++)
		match_resumed(&seats[i]->running->match, seats[i]->number, now);
	free(seats);
}

int64_t player_cpu_ns(struct player *player, enum clock_kind kind)
{
	return kind == CLOCK_KIND_CPU ? process_tree_cpu_ns(&player->process)
				      : player->cpu_ns;
}

bool player_connected(struct player *player)
{
	struct session *session = player->session;

	if (session->state == SESSION_LIVE &&
		transport_probe(player->transport, &session->peer) == ERR_NO_PEER)
		session_lost(session);
	return session->state == SESSION_LIVE;
}

void player_evidence(struct player *player, struct fault *fault)
{
	drain_output(player);
	output_last_line(&player->output, fault->stderr_tail, sizeof(fault->stderr_tail));
	if (player->process.exited)
		fault->exit_status = player->process.status;
}

void player_foreign(struct player *player)
{
	size_t count;
	struct seat **seats = seats_of(player, &count);

	if (count)
		match_foreign(&seats[0]->running->match, seats[0]->number);
	free(seats);
}

void player_fault(struct player *player, enum fault_class class, const char *why,
	const char *clause, struct blob bytes)
{
	struct fault fault = {
		.class = class, .at = loop_now(player->loop), .exit_status = -1};
	size_t count;
	struct seat **seats = seats_of(player, &count);

	utf8_format(fault.why, sizeof(fault.why), "%s", why);
	utf8_format(fault.clause, sizeof(fault.clause), "%s", clause ? clause : "");
	fault.bytes_size =
		bytes.size < sizeof(fault.bytes) ? bytes.size : sizeof(fault.bytes);
	if (fault.bytes_size)
		memcpy(fault.bytes, bytes.bytes, fault.bytes_size);
	player->retiring = true;
	for (size_t i = 0; i < count; i++)
		match_fault(&seats[i]->running->match, seats[i]->number, &fault);
	free(seats);
	if (player->state == PLAYER_STARTING)
		fail_start(player, why);
	else
		player_end(player);
}

void player_left_match(struct player *player)
{
	player->loop->seating_due = true;
	if (player->loop->options.fresh && !player->entrant->spec->remote)
		player->retiring = true;
	if (player->retiring && !player->session->matches.count)
		player_end(player);
}

void player_end(struct player *player)
{
	struct loop *loop = player->loop;
	bool remote = player->entrant->spec->remote;

	if (player->state == PLAYER_ENDING)
		return;
	if (player->session->state == SESSION_LIVE) {
		struct message bye = {.type = MESSAGE_BYE};

		player_send_message(player, &bye);
	}
	if (player->state == PLAYER_LIVE && remote)
		remote_gone(player);
	loop->starting -= player->state == PLAYER_STARTING;
	player->state = PLAYER_ENDING;
	player->entrant->processes--;
	loop->seating_due = loop->sweep_due = true;
	session_close(player->session);
	if (remote && player->size_count)
		remote_leaves(player);
	else if (player->process.gone)
		timer_clear(&loop->timers, &player->timer);
	else
		timer_set(&loop->timers, &player->timer,
			loop_now(loop) + loop->limits.bye_ms * NS_PER_MS);
}

static void crashed(struct player *player)
{
	struct why why;
	char status[96];
	bool memory;

	drain_output(player);
	memory = player->box.memory_bytes &&
		 (process_out_of_memory(&player->process) ||
			 sandbox_memory_words(
				 player->output.tail, player->output.tail_size));
	child_status_text(player->process.status, status, sizeof(status));
	if (player->process.start_errno)
		why_set(&why, "start: '%s' cannot be run: %s",
			player->entrant->spec->command[0],
			strerror(player->process.start_errno));
	else if (player->state == PLAYER_STARTING)
		why_set(&why, "hello: %s before saying hello", status);
	else if (memory)
		why_set(&why,
			"%s when it got no more memory than the %lld MiB that it may have",
			status, (long long)(player->box.memory_bytes >> 20));
	else
		why_set(&why, "%s in the middle of a match", status);
	player_fault(player, memory ? FAULT_MEMORY : FAULT_CRASH, why.text, NULL,
		(struct blob){NULL, 0});
}

static void on_timer(struct loop *loop, struct timer *timer)
{
	struct player *player = timer->owner;
	struct why why;

	if ((player->exit_due || player->state == PLAYER_STARTING) &&
		player->late_ns < loop->late_ns) {
		/* While the loop was stalled it could not have received a hello. */
		timer_set(&loop->timers, timer,
			loop->charge + loop->late_ns - player->late_ns);
		player->late_ns = loop->late_ns;
	} else if (player->exit_due) {
		crashed(player);
	} else if (player->state == PLAYER_STARTING) {
		why_set(&why, "hello: no hello within %lld ms of its start",
			(long long)(loop->options.hello_ns_max / NS_PER_MS));
		fail_start(player, why.text);
		process_kill(&player->process);
	} else {
		process_kill(&player->process);
	}
}

static void unlink_player(struct player *player)
{
	struct player **at = &player->entrant->players;

	while (*at != player)
		at = &(*at)->next;
	*at = player->next;
}

static void player_free(struct player *player)
{
	struct loop *loop = player->loop;

	assert(!player->session->matches.count && !player->dirty);
	unlink_player(player);
	timer_clear(&loop->timers, &player->timer);
	loop_remove_source(player->loop, player->process.output);
	process_release(&player->process);
	output_release(&player->output);
	session_free(&loop->sessions, &player->session);
	if (!player->entrant->spec->remote && player->transport) {
		loop_remove_source(loop, transport_fd(player->transport));
		transport_free(&player->transport);
	}
	free(player->out.bytes);
	free(player->sizes);
	free(player->asked);
	free(player);
}

/* The bot has exited. If it is in matches, what it sent before comes first. */
static void on_exit_report(struct player *player)
{
	if (player->state == PLAYER_ENDING || player->exit_due)
		return;
	player->exit_due = true;
	player->late_ns = player->loop->late_ns;
	timer_set(&player->loop->timers, &player->timer,
		player->session->matches.count ? loop_now(player->loop) + EXIT_GRACE_NS
					       : 0);
}

/* Reads the report first: what the bot wrote before it ended is then in the pipe. */
void player_poll(struct player *player)
{
	process_report(&player->process);
	drain_output(player);
	if (player->process.exited)
		on_exit_report(player);
	if (player->process.gone) {
		loop_remove_source(player->loop, player->process.report);
		player->loop->sweep_due = true;
	}
}

void players_sweep(struct loop *loop)
{
	loop->sweep_due = false;
	for (struct entrant *entrant = loop->entrants; entrant; entrant = entrant->next)
		for (struct player *player = entrant->players, *next; player;
			player = next) {
			next = player->next;
			if (player->state == PLAYER_ENDING && player->process.gone &&
				!player->leaving && !player->dirty)
				player_free(player);
		}
}
