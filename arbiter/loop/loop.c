/*
 * The loop itself. One turn of it:
 *
 *     receive   all frames that are there; each is charged to loop->charge
 *     expire    timers up to loop->charge, the moment at which nothing was left to read
 *     seat      queued matches whose bots are there; ask the client for more
 *     report    matches that are over
 *     flush     one frame for each bot that takes batches; clocks start here
 *     sleep     only if nothing was done; woken late, all deadlines move by as much
 */
#include "arbiter/loop/loop_internal.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define HELLO_NS_DEFAULT (10 * NS_PER_S)
#define TICK_NS          (100 * NS_PER_MS)
#define WAKE_EVENTS      64
#define FRAMES_AT_ONCE   4096
#define STALL_NS         (20 * NS_PER_MS)
#define CLOSING_MAX      1024 /* finished replays that may be waiting for the disk */

static bool peer_alive(void *context, const struct peer *peer)
{
	struct loop *loop = context;

	return transport_probe(loop->transport, peer) != ERR_NO_PEER;
}

/* Every local bot needs a socket and pipes, every match a replay file. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static bool open_folder(struct loop *loop, struct why *why)
{
	const char *base = getenv("XDG_RUNTIME_DIR");

	/* The path of a Unix socket must be short. */
	if (!base || !*base || strlen(base) > 60 || access(base, W_OK))
		base = "/tmp";
	snprintf(loop->folder, sizeof(loop->folder), "%s/pigpen-XXXXXX", base);
	if (mkdtemp(loop->folder))
		return true;
	why_set(why, "cannot make a folder for sockets in %s: %s", base, strerror(errno));
	loop->folder[0] = 0;
	return false;
}

static bool open_transport(struct loop *loop, struct why *why)
{
	const struct transport_options options = {.remote = loop->options.remote};

	loop->transport = transport_zmq_new(&options);
	if (!loop->transport ||
		transport_bind_tcp(loop->transport, "127.0.0.1", 0, loop->tcp_endpoint))
		return why_set(why, "cannot open a ZeroMQ socket on loopback%s%s: %s",
			loop->options.remote ? " and " : "",
			loop->options.remote ? loop->options.remote->endpoint : "",
			strerror(errno));
	if (loop->options.trace)
		loop->transport =
			transport_trace_new(loop->transport, loop->options.trace);
	return true;
}

static void watch_fd(struct loop *loop, int fd, void *owner)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = owner};

	epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void watch_signals(struct loop *loop)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	loop->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	watch_fd(loop, loop->signals, &loop->signals);
}

/* Repeats as long as a match is under way. */
static void ping_sentinel(struct loop *loop, struct timer *timer)
{
	if (!loop->playing)
		return;
	sentinel_ping(&loop->sentinel, loop_now(loop));
	timer_set(&loop->timers, timer, loop->charge + SENTINEL_PAUSE_NS);
}

struct loop *loop_new(const struct loop_options *options, struct why *why)
{
	struct loop *loop = xcalloc(1, sizeof(*loop));

	loop->options = *options;
	loop->time = options->time ? *options->time : time_system;
	if (!loop->options.hello_ns_max)
		loop->options.hello_ns_max = HELLO_NS_DEFAULT;
	if (!loop->options.jobs_max)
		loop->options.jobs_max = 1;
	loop->limits = limits_default();
	loop->queued_end = &loop->queued;
	loop->signals = loop->watch.fd = loop->sentinel.fd = -1;
	loop->sentinel_timer = (struct timer){.fire = ping_sentinel};
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	loop->scratch = compose_scratch_new();
	sessions_init(&loop->sessions);
	loop->sessions.alive = peer_alive;
	loop->sessions.context = loop;
	raise_descriptor_limit();
	if (options->log_folder)
		sandbox_hide(options->log_folder);
	/* Before the sockets' threads start, so that signals are blocked in them too. */
	if (options->stop_on_signals)
		watch_signals(loop);
	if (!open_folder(loop, why) || !open_transport(loop, why)) {
		loop_free(&loop);
		return NULL;
	}
	if (sentinel_init(&loop->sentinel))
		watch_fd(loop, loop->sentinel.fd, &loop->sentinel);
	loop->closer = closer_new();
	watch_fd(loop, closer_fd(loop->closer), loop->closer);
	watch_fd(loop, transport_fd(loop->transport), loop);
	return loop;
}

struct entrant *loop_entrant(
	struct loop *loop, const struct bot_spec *spec, int processes_max)
{
	struct entrant *entrant = xcalloc(1, sizeof(*entrant));

	assert(processes_max > 0);
	entrant->spec = spec;
	entrant->processes_max = processes_max;
	entrant->excuses = LOOP_EXCUSES;
	entrant->next = loop->entrants;
	loop->entrants = entrant;
	bot_spec_hide(spec);
	if (spec->remote)
		remote_expect(loop, entrant);
	return entrant;
}

void loop_entrant_retire(struct loop *loop, struct entrant *entrant)
{
	(void)loop;
	if (entrant->spec->remote)
		return;
	for (struct player *player = entrant->players; player; player = player->next) {
		player->retiring = true;
		if (!player->session->matches.count)
			player_end(player);
	}
}

void loop_entrant_excuse(struct entrant *entrant, int times)
{
	entrant->excuses = times;
}

int loop_entrant_starts(const struct entrant *entrant)
{
	return entrant->starts;
}

int loop_entrant_failures(const struct entrant *entrant)
{
	return entrant->failures;
}

void loop_watch(struct loop *loop, int fd, void (*ready)(void *context), void *context)
{
	if (loop->watch.fd >= 0)
		epoll_ctl(loop->epoll, EPOLL_CTL_DEL, loop->watch.fd, NULL);
	loop->watch = (struct watch){fd, ready, context};
	if (fd >= 0)
		watch_fd(loop, fd, &loop->watch);
}

struct loop_numbers loop_numbers(const struct loop *loop)
{
	struct loop_numbers numbers = loop->numbers;

	numbers.late_ns = loop->late_ns;
	numbers.running = loop->under_way + loop->closing;
	numbers.strangers = loop->sessions.strangers;
	return numbers;
}

static enum fault_class class_of(enum err code)
{
	switch (err_class(code)) {
	case ERR_CLASS_OVERSIZE:
		return FAULT_OVERSIZE;
	case ERR_CLASS_FLOOD:
		return FAULT_FLOOD;
	default:
		return FAULT_MALFORMED;
	}
}

static void refuse_peer(
	struct loop *loop, const struct peer *peer, enum err code, const struct why *why)
{
	uint8_t bytes[1024];
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));
	struct message error = {
		.type = MESSAGE_ERROR,
		.error = {.code = text_of(err_word(code)),
			.why = utf8_text(why->text, WHY_BYTES_MAX),
			.match = -1},
	};

	/* A stranger that does not read it is no concern of ours. */
	if (codec_encode(&error, &buffer) == ERR_OK)
		transport_send(loop->transport, peer, buffer.bytes, buffer.size);
}

static void violation(
	struct player *player, const struct verdict *verdict, struct blob bytes)
{
	struct message error = {
		.type = MESSAGE_ERROR,
		.error = {.code = text_of(err_word(verdict->code)),
			.why = utf8_text(verdict->why.text, WHY_BYTES_MAX),
			.match = -1},
	};

	player_send_message(player, &error);
	player_fault(player, class_of(verdict->code), verdict->why.text,
		err_word(verdict->code), bytes);
	/* A flooding bot would go on sending until it is killed. */
	if (class_of(verdict->code) == FAULT_FLOOD)
		process_kill(&player->process);
}

static void resume(struct player *player)
{
	struct message welcome;

	session_welcome(player->session, &welcome);
	player_send_message(player, &welcome);
	player_link(player, true);
	player->loop->seating_due = true;
}

static void obey(struct loop *loop, const struct peer *peer,
	const struct message *message, const struct verdict *verdict, struct blob bytes)
{
	struct player *player = verdict->session ? verdict->session->user : NULL;
	struct seat *seat = verdict->match ? verdict->match->user : NULL;

	switch (verdict->what) {
	case DO_NOTHING:
		break;
	case DO_FOREIGN:
		player_foreign(player);
		break;
	case DO_WELCOME:
		player_hello(player);
		break;
	case DO_RESUME:
		resume(player);
		break;
	case DO_READY:
		match_ready(&seat->running->match, seat->number, loop->charge);
		break;
	case DO_ANSWER:
		seat_answer(seat, &message->action, bytes);
		break;
	case DO_BYE:
		player_fault(player, FAULT_DISCONNECT,
			"said bye in the middle of a match", NULL, bytes);
		break;
	case DO_ERROR:
		/* What the bot reports is noted in its output. */
		output_note(&player->output, message->error.why);
		break;
	case DO_VIOLATION:
		violation(player, verdict, bytes);
		break;
	case DO_REFUSE:
		refuse_peer(loop, peer, verdict->code, &verdict->why);
		break;
	}
}

static void take_frame(struct loop *loop, const struct frame *frame)
{
	const struct session *session = sessions_find(&loop->sessions, &frame->peer);
	struct decoder decoder;
	struct message message;
	struct verdict verdict = {.what = DO_NOTHING};
	struct why why;
	enum err err;

	loop->numbers.frames_in++;
	if (session) {
		struct player *player = session->user;

		player->cpu_ns = process_cpu_ns(&player->process);
	}
	decoder_init(&decoder, FROM_BOT, session && session->batch,
		session ? &session->limits : NULL, frame->bytes, frame->size);
	do {
		struct blob bytes = {frame->bytes, (uint32_t)frame->size};

		err = frame->multipart ? ERR_MULTIPART
				       : decoder_next(&decoder, &message, &why);
		if (frame->multipart)
			why_set(&why, "%s", err_text(err));
		if (err) {
			sessions_malformed(
				&loop->sessions, &frame->peer, err, &why, &verdict);
		} else {
			bytes = decoder_last(&decoder);
			sessions_receive(&loop->sessions, &frame->peer, &message,
				loop->charge, &verdict);
		}
		obey(loop, &frame->peer, &message, &verdict, bytes);
		/* After an error the rest of the frame cannot be trusted. */
	} while (!err && verdict.what != DO_VIOLATION && verdict.what != DO_REFUSE &&
		 verdict.what != DO_BYE && !decoder_done(&decoder));
}

/*
 * A turn of the loop takes far less than STALL_NS. If more time has passed, this process
 * was stopped, and the sockets' thread with it: what bots sent in the meantime may not
 * have arrived yet.
 */
static void look(struct loop *loop, mono_ns now)
{
	if (loop->looked && now - loop->looked > STALL_NS)
		loop->late_ns += now - loop->looked;
	loop->looked = now;
}

/*
 * Reads until nothing is left, and notes the moment. If bots send faster than we read, it
 * stops after a while so that other work gets done; the socket is then not known to be
 * empty, and no deadline counts as missed. True if anything was read.
 */
static bool receive(struct loop *loop)
{
	struct frame frame;
	int n = 0;

	while (n < FRAMES_AT_ONCE &&
		transport_receive(loop->transport, &frame) == ERR_OK) {
		take_frame(loop, &frame);
		n++;
	}
	look(loop, loop_now(loop));
	if (n < FRAMES_AT_ONCE)
		loop->charge = loop->looked;
	return n > 0;
}

static bool expire(struct loop *loop)
{
	bool any = false;

	while (timers_next(&loop->timers) <= loop->charge) {
		struct timer *timer = loop->timers.heap[0];

		timer_clear(&loop->timers, timer);
		timer->fire(loop, timer);
		any = true;
	}
	return any;
}

static void ask_client(struct loop *loop)
{
	while (!loop->no_more && !loop->asked_later && !loop->stopping &&
		loop->under_way < loop->options.jobs_max && loop->closing < CLOSING_MAX) {
		switch (loop->client->next(loop->client->context, loop)) {
		case NEXT_ADDED:
			break;
		case NEXT_LATER:
			loop->asked_later = true;
			break;
		case NEXT_NONE:
			loop->no_more = true;
			break;
		}
	}
}

static void take_signal(struct loop *loop)
{
	struct signalfd_siginfo info;
	char reason[64];

	if (read(loop->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	loop->hurry = loop->stopping;
	snprintf(reason, sizeof(reason), "interrupted by SIG%s",
		sigabbrev_np((int)info.ssi_signo));
	loop_stop(loop, reason);
}

static void take_event(struct loop *loop, void *owner)
{
	if (owner == &loop->signals) {
		take_signal(loop);
	} else if (owner == &loop->watch) {
		loop->asked_later = false;
		loop->watch.ready(loop->watch.context);
	} else if (owner == &loop->sentinel) {
		sentinel_take(&loop->sentinel, loop_now(loop));
	} else if (owner == loop->closer) {
		matches_closed(loop);
	} else if (owner != loop) {
		player_poll(owner);
	}
}

/* Waits until something happens, at most until `until`. */
static void sleep_until(struct loop *loop, mono_ns until)
{
	struct epoll_event events[WAKE_EVENTS];
	mono_ns left = until == TIME_NEVER ? NS_PER_S : until - loop->charge;
	struct timespec timeout = {0, 0};
	mono_ns now;
	int n;

	if (left > 0)
		timeout = (struct timespec){left / NS_PER_S, left % NS_PER_S};
	n = epoll_pwait2(loop->epoll, events, WAKE_EVENTS, &timeout, NULL);
	now = loop_now(loop);
	loop->charge = loop->looked = now;
	if (now > until && left > 0) {
		loop->late_ns += now - until;
		loop->charge = until;
	}
	for (int i = 0; i < n; i++)
		take_event(loop, events[i].data.ptr);
}

/* One turn of the loop without sleeping; true if anything was done. */
static bool work(struct loop *loop)
{
	bool any = receive(loop);

	any |= expire(loop);
	if (loop->client)
		ask_client(loop);
	if (loop->seating_due) {
		matches_seat(loop);
		any = true;
	}
	any |= loop->dirty || loop->over;
	players_flush(loop);
	if (loop->client)
		matches_report(loop);
	if (loop->sweep_due)
		players_sweep(loop);
	return any;
}

bool loop_run(struct loop *loop, const struct loop_client *client)
{
	mono_ns tick = loop_now(loop);

	loop->client = client;
	loop->no_more = loop->asked_later = loop->stopping = false;
	for (;;) {
		mono_ns until;

		if (loop->stopping)
			matches_abort(loop, loop->stop_reason);
		if (work(loop))
			continue;
		if (!loop->under_way && !loop->closing &&
			(loop->no_more || loop->stopping))
			break;
		if (client->tick && loop->charge >= tick) {
			client->tick(client->context, loop);
			tick = loop->charge + TICK_NS;
		}
		until = timers_next(&loop->timers);
		sleep_until(loop, client->tick && tick < until ? tick : until);
	}
	loop->client = NULL;
	return !loop->stopping;
}

void loop_stop(struct loop *loop, const char *reason)
{
	loop->stopping = true;
	utf8_format(loop->stop_reason, sizeof(loop->stop_reason), "%s", reason);
}

static bool any_player(const struct loop *loop)
{
	for (const struct entrant *entrant = loop->entrants; entrant;
		entrant = entrant->next)
		if (entrant->players)
			return true;
	return false;
}

/* Says bye to all bots and waits until they have exited or were killed. */
static void end_players(struct loop *loop)
{
	loop->stopping = true;
	for (struct entrant *entrant = loop->entrants; entrant; entrant = entrant->next)
		for (struct player *player = entrant->players; player;
			player = player->next)
			player_end(player);
	while (any_player(loop))
		if (!work(loop) && any_player(loop))
			sleep_until(loop, timers_next(&loop->timers));
}

void loop_free(struct loop **loop_)
{
	struct loop *loop = *loop_;

	*loop_ = NULL;
	if (loop->transport)
		end_players(loop);
	while (loop->entrants) {
		struct entrant *entrant = loop->entrants;

		loop->entrants = entrant->next;
		free(entrant);
	}
	closer_free(&loop->closer);
	sentinel_release(&loop->sentinel);
	sessions_release(&loop->sessions);
	if (loop->transport)
		transport_free(&loop->transport);
	timers_release(&loop->timers);
	compose_scratch_free(&loop->scratch);
	close(loop->epoll);
	if (loop->signals >= 0)
		close(loop->signals);
	if (loop->folder[0])
		rmdir(loop->folder);
	free(loop);
}
