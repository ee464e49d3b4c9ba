/*
 * The loop itself. One turn of it:
 *
 *     collect   what has happened at every source: frames, exits, signals. Each bot has a
 *               share of the turn, so that none keeps the others, or the timers, waiting.
 *               Frames are charged to loop->charge
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
#define FRAMES_SHARE     256  /* of one bot in one turn */
#define REMOTE_SHARE     1024 /* of all remote bots; libzmq takes them in turn */
#define STALL_NS         (20 * NS_PER_MS)
#define NAP_NS           (20 * NS_PER_US) /* a wait this short was none */
#define CLOSING_MAX      1024 /* finished replays that may be waiting for the disk */

static bool peer_alive(struct session *session)
{
	struct player *player = session->user;

	return transport_probe(player->transport, &session->peer) != ERR_NO_PEER;
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
	return temporary_folder(loop->folder, 0700, why);
}

static bool open_remote(struct loop *loop, struct why *why)
{
	struct transport_remote *remote = loop->options.remote;

	if (!remote)
		return true;
	loop->remote = transport_remote_new(remote);
	if (!loop->remote)
		return why_set(why, "cannot listen at %s: %s", remote->endpoint,
			strerror(errno));
	if (loop->options.trace)
		loop->remote = transport_trace_new(loop->remote, loop->options.trace);
	return true;
}

void loop_add_source(struct loop *loop, int fd, struct source *source)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = source};

	if (!epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event))
		loop->sources++;
}

/* Closing is not enough: a warden that is just being forked holds copies of all
 * descriptors, and epoll keeps reporting them until it closes them. */
void loop_remove_source(struct loop *loop, int fd)
{
	if (fd >= 0 && !epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL))
		loop->sources--;
}

static void take_signal(struct loop *loop, void *owner)
{
	struct signalfd_siginfo info;
	char reason[64];

	(void)owner;
	if (read(loop->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	loop->hurry = loop->stopping;
	snprintf(reason, sizeof(reason), "interrupted by SIG%s",
		sigabbrev_np((int)info.ssi_signo));
	loop_stop(loop, reason);
}

static void take_ping(struct loop *loop, void *owner)
{
	(void)owner;
	sentinel_take(&loop->sentinel, loop_now(loop));
}

static void take_closed(struct loop *loop, void *owner)
{
	(void)owner;
	matches_closed(loop);
}

/* The frames themselves are taken in every turn. */
static void take_nothing(struct loop *loop, void *owner)
{
	(void)loop;
	(void)owner;
}

static void take_watched(struct loop *loop, void *owner)
{
	struct watch *watch = owner;

	loop->asked_later = false;
	watch->ready(watch->context);
}

static void watch_signals(struct loop *loop)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	loop->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	loop->on_signal = (struct source){.ready = take_signal};
	loop_add_source(loop, loop->signals, &loop->on_signal);
}

/* Repeats as long as a match is under way. */
static void ping_sentinel(struct loop *loop, struct timer *timer)
{
	if (!loop->playing)
		return;
	sentinel_ping(&loop->sentinel, loop_now(loop));
	timer_set(&loop->timers, timer, loop->charge + SENTINEL_PAUSE_NS);
}

static void watch_own(struct loop *loop)
{
	loop->on_sentinel = (struct source){.ready = take_ping};
	loop->on_closer = (struct source){.ready = take_closed};
	loop->on_remote = (struct source){.ready = take_nothing};
	if (sentinel_init(&loop->sentinel))
		loop_add_source(loop, loop->sentinel.fd, &loop->on_sentinel);
	loop_add_source(loop, closer_fd(loop->closer), &loop->on_closer);
	if (loop->remote)
		loop_add_source(loop, transport_fd(loop->remote), &loop->on_remote);
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
	raise_descriptor_limit();
	if (options->log_folder)
		sandbox_hide(options->log_folder);
	/* Before the sockets' threads start, so that signals are blocked in them too. */
	if (options->stop_on_signals)
		watch_signals(loop);
	if (!open_folder(loop, why) || !open_remote(loop, why)) {
		loop_free(&loop);
		return NULL;
	}
	loop->closer = closer_new();
	watch_own(loop);
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
	loop_remove_source(loop, loop->watch.fd);
	loop->watch = (struct watch){{take_watched, &loop->watch}, fd, ready, context};
	if (fd >= 0)
		loop_add_source(loop, fd, &loop->watch.source);
}

struct loop_numbers loop_numbers(const struct loop *loop)
{
	struct loop_numbers numbers = loop->numbers;

	numbers.late_ns = loop->late_ns;
	numbers.running = loop->under_way + loop->closing;
	numbers.strangers = loop->strangers;
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

/* To a connection that is not the bot's own. Whether it is read is no concern of ours. */
static void refuse_peer(struct transport *transport, const struct peer *peer,
	enum err code, const struct why *why)
{
	uint8_t bytes[1024];
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));
	struct message error = {
		.type = MESSAGE_ERROR,
		.error = {.code = text_of(err_word(code)),
			.why = utf8_text(why->text, WHY_BYTES_MAX),
			.match = -1},
	};

	if (codec_encode(&error, &buffer) == ERR_OK)
		transport_send(transport, peer, buffer.bytes, buffer.size);
}

static void violation(struct player *player, const struct peer *peer,
	const struct verdict *verdict, struct blob bytes)
{
	struct message error = {
		.type = MESSAGE_ERROR,
		.error = {.code = text_of(err_word(verdict->code)),
			.why = utf8_text(verdict->why.text, WHY_BYTES_MAX),
			.match = -1},
	};

	if (session_speaks(player->session, peer))
		player_send_message(player, &error);
	else
		refuse_peer(player->transport, peer, verdict->code, &verdict->why);
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

static void obey(struct player *player, const struct peer *peer,
	const struct message *message, const struct verdict *verdict, struct blob bytes)
{
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
		match_ready(&seat->running->match, seat->number, player->loop->charge);
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
		violation(player, peer, verdict, bytes);
		break;
	case DO_REFUSE:
		player->loop->strangers++;
		refuse_peer(player->transport, peer, verdict->code, &verdict->why);
		break;
	}
}

static void take_frame(struct player *player, const struct frame *frame)
{
	struct loop *loop = player->loop;
	struct session *session = player->session;
	bool own = session_speaks(session, &frame->peer);
	struct decoder decoder;
	struct message message;
	struct verdict verdict = {.what = DO_NOTHING};
	struct why why;
	enum err err;

	if (own)
		player->cpu_ns = process_cpu_ns(&player->process);
	decoder_init(&decoder, FROM_BOT, own && session->batch, &session->limits,
		frame->bytes, frame->size);
	do {
		struct blob bytes = {frame->bytes, (uint32_t)frame->size};

		err = frame->err ? frame->err : decoder_next(&decoder, &message, &why);
		if (frame->err)
			why_set(&why, "%s", err_text(err));
		if (err) {
			session_malformed(session, err, &why, &verdict);
		} else {
			bytes = decoder_last(&decoder);
			session_receive(
				session, &frame->peer, &message, loop->charge, &verdict);
		}
		obey(player, &frame->peer, &message, &verdict, bytes);
		/* After an error the rest of the frame cannot be trusted. */
	} while (!err && verdict.what != DO_VIOLATION && verdict.what != DO_REFUSE &&
		 verdict.what != DO_BYE && !decoder_done(&decoder));
}

void player_receive(struct player *player)
{
	struct frame frame;
	int n = 0;

	while (n < FRAMES_SHARE &&
		transport_receive(player->transport, &frame) == ERR_OK) {
		take_frame(player, &frame);
		n++;
	}
	player->loop->numbers.frames_in += n;
	player->unread = n == FRAMES_SHARE;
	player->loop->unread |= player->unread;
}

/* Whose it is follows from the key. */
static void take_remote_frame(struct loop *loop, const struct frame *frame)
{
	struct session *session =
		sessions_of_key(&loop->sessions, peer_key(&frame->peer));
	enum err err = frame->err == ERR_ROUTING_ID ? ERR_ROUTING_ID
		       : session                    ? ERR_OK
						    : ERR_TOKEN;
	struct why why;

	if (!err) {
		take_frame(session->user, frame);
		return;
	}
	loop->strangers++;
	why_set(&why, "hello: %s", err_text(err));
	refuse_peer(loop->remote, &frame->peer, err, &why);
}

static bool receive_remote(struct loop *loop)
{
	struct frame frame;
	int n = 0;

	while (loop->remote && n < REMOTE_SHARE &&
		transport_receive(loop->remote, &frame) == ERR_OK) {
		take_remote_frame(loop, &frame);
		n++;
	}
	loop->numbers.frames_in += n;
	loop->unread |= n == REMOTE_SHARE;
	return n > 0;
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

/* The bots whose share was used up have more, of which epoll knows nothing. */
static void receive_unread(struct loop *loop)
{
	if (!loop->unread)
		return;
	loop->unread = false;
	for (struct entrant *entrant = loop->entrants; entrant; entrant = entrant->next)
		for (struct player *player = entrant->players; player;
			player = player->next)
			if (player->unread)
				player_receive(player);
}

static void expire(struct loop *loop)
{
	while (timers_next(&loop->timers) <= loop->charge) {
		struct timer *timer = loop->timers.heap[0];

		timer_clear(&loop->timers, timer);
		timer->fire(loop, timer);
	}
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

static int wait_for_events(struct loop *loop, mono_ns ns)
{
	struct timespec timeout = {ns / NS_PER_S, ns % NS_PER_S};

	if (loop->events_capacity < loop->sources + 1) {
		loop->events_capacity = 2 * (loop->sources + 1);
		loop->events = xrealloc(loop->events,
			(size_t)loop->events_capacity * sizeof(*loop->events));
	}
	return epoll_pwait2(
		loop->epoll, loop->events, loop->events_capacity, &timeout, NULL);
}

static void take_events(struct loop *loop, int count)
{
	for (int i = 0; i < count; i++) {
		struct source *source = loop->events[i].data.ptr;

		source->ready(loop, source->owner);
	}
}

/*
 * Takes what has happened at every source, and waits for it until `until` if nothing has.
 * What had come before we looked may have come at any time since the last look, and is
 * charged to that moment, so that no bot pays for our own work.
 */
static void collect(struct loop *loop, mono_ns until)
{
	mono_ns before = loop_now(loop), left, now;
	int n;

	/* A send may have swallowed the news of a frame. */
	if (receive_remote(loop))
		until = 0;
	left = until == TIME_NEVER ? NS_PER_S : until - before;
	n = wait_for_events(loop, left > 0 ? left : 0);
	now = loop_now(loop);
	if (now - before >= NAP_NS) {
		loop->charge = loop->looked = now;
		if (now > until && left > 0) {
			loop->late_ns += now - until;
			loop->charge = until;
		}
	}
	receive_unread(loop);
	take_events(loop, n);
	receive_remote(loop);
	look(loop, loop_now(loop));
	if (loop->charge < loop->looked && now - before < NAP_NS)
		loop->charge = loop->looked;
}

/* One turn without what comes from outside; true if there is more to do at once. */
static bool serve(struct loop *loop)
{
	bool reported = loop->over;

	expire(loop);
	if (loop->client)
		ask_client(loop);
	if (loop->seating_due)
		matches_seat(loop);
	players_flush(loop);
	if (loop->client)
		matches_report(loop);
	if (loop->sweep_due)
		players_sweep(loop);
	return reported || loop->over || loop->dirty || loop->seating_due || loop->unread;
}

static bool is_done(const struct loop *loop)
{
	return !loop->under_way && !loop->closing && (loop->no_more || loop->stopping);
}

/* When the loop has to wake up at the latest. */
static mono_ns wake_at(struct loop *loop, mono_ns *tick)
{
	mono_ns until = timers_next(&loop->timers);

	if (!loop->client->tick)
		return until;
	if (loop->charge >= *tick) {
		loop->client->tick(loop->client->context, loop);
		*tick = loop->charge + TICK_NS;
	}
	return *tick < until ? *tick : until;
}

bool loop_run(struct loop *loop, const struct loop_client *client)
{
	mono_ns tick = loop_now(loop);

	loop->client = client;
	loop->no_more = loop->asked_later = loop->stopping = false;
	for (;;) {
		bool more;

		if (loop->stopping)
			matches_abort(loop, loop->stop_reason);
		more = serve(loop);
		if (!more && is_done(loop))
			break;
		collect(loop, more ? 0 : wake_at(loop, &tick));
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
	while (any_player(loop)) {
		bool more = serve(loop);

		if (any_player(loop))
			collect(loop, more ? 0 : timers_next(&loop->timers));
	}
}

void loop_free(struct loop **loop_)
{
	struct loop *loop = *loop_;

	*loop_ = NULL;
	end_players(loop);
	while (loop->entrants) {
		struct entrant *entrant = loop->entrants;

		loop->entrants = entrant->next;
		free(entrant);
	}
	closer_free(&loop->closer);
	sentinel_release(&loop->sentinel);
	sessions_release(&loop->sessions);
	transport_free(&loop->remote);
	free(loop->events);
	timers_release(&loop->timers);
	compose_scratch_free(&loop->scratch);
	close(loop->epoll);
	if (loop->signals >= 0)
		close(loop->signals);
	if (loop->folder[0])
		rmdir(loop->folder);
	free(loop);
}
