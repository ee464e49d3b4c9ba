/* The matches under way: starting them, carrying out their effects, reporting them. */
#include "arbiter/loop/loop_internal.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How often the CPU time of a silent bot is checked. */
#define CPU_LOOK_NS (10 * NS_PER_MS)

static void list_add(struct running_match **list, struct running_match *running)
{
	running->next = *list;
	running->self = list;
	if (running->next)
		running->next->self = &running->next;
	*list = running;
}

static void list_remove(struct running_match *running)
{
	*running->self = running->next;
	if (running->next)
		running->next->self = running->self;
	else if (running->loop->queued_end == &running->next)
		running->loop->queued_end = running->self;
	running->next = NULL;
	running->self = NULL;
}

static void queue_add(struct loop *loop, struct running_match *running)
{
	running->self = loop->queued_end;
	running->next = NULL;
	*loop->queued_end = running;
	loop->queued_end = &running->next;
}

/* The effects of a match (struct match_effects). */

static void effect_send(void *context, int seat, struct blob message)
{
	struct running_match *running = context;

	if (running->seat[seat].player)
		player_send(running->seat[seat].player, message);
}

static void effect_flush(void *context)
{
	struct running_match *running = context;

	replay_writer_flush(&running->replay);
}

static void effect_ask(void *context, int number)
{
	struct running_match *running = context;
	struct seat *seat = &running->seat[number];

	/* For `match` the session was credited when the bot took the seat. */
	if (running->match.phase == PHASE_PLAY)
		session_asked(seat->player->session);
	player_ask(seat->player, seat);
}

static void effect_answered(void *context, int number)
{
	struct running_match *running = context;
	struct seat *seat = &running->seat[number];

	timer_clear(&running->loop->timers, &seat->timer);
	if (seat->player)
		player_rest(seat->player);
}

static int64_t lag_ns(const struct seat *seat)
{
	return seat->running->loop->late_ns - seat->late_ns;
}

/* How late any bot may have been since the question left, because the host was starved;
 * never more than the question's own time. */
static int64_t starved_ns(const struct seat *seat)
{
	const struct loop *loop = seat->running->loop;
	int64_t late = sentinel_late_ns(&loop->sentinel, loop->charge) - seat->starved_ns;
	int64_t budget = seat->running->match.seat[seat->number].budget_ns;

	if (seat->running->config.setup.clock.kind != CLOCK_KIND_WALL || late < 0)
		return 0;
	return late < budget ? late : budget;
}

/* An answer that was late, but no later than the host made it, is no fault of the bot,
 * unless that happens too often. */
static void excuse(struct seat *seat, struct fault *fault)
{
	struct entrant *entrant = seat->running->entrant[seat->number];
	int64_t late = starved_ns(seat);

	if (!late || fault->overrun_ns >= lag_ns(seat) + late || entrant->excuses <= 0)
		return;
	entrant->excuses--;
	fault->class = FAULT_ARBITER;
	utf8_format(fault->why, sizeof(fault->why),
		"%s: the answer came %.1f ms too late, but the host was starved: a "
		"process of the arbiter's own was %.1f ms late in the meantime (%d more "
		"such will be excused)",
		match_phase_names[fault->phase], (double)fault->overrun_ns / 1e6,
		(double)late / 1e6, entrant->excuses);
}

static void effect_evidence(void *context, int number, struct fault *fault)
{
	struct seat *seat = &((struct running_match *)context)->seat[number];

	if (!seat->player)
		return;
	if (fault->class == FAULT_TIMEOUT && !player_connected(seat->player)) {
		fault->class = FAULT_DISCONNECT;
		utf8_format(fault->why, sizeof(fault->why),
			"%s: the connection was lost and did not come back in time",
			match_phase_names[fault->phase]);
	}
	if (fault->class == FAULT_TIMEOUT)
		excuse(seat, fault);
	player_evidence(seat->player, fault);
}

/* The seat's bot leaves this match. */
static void leave(struct seat *seat)
{
	struct player *player = seat->player;

	if (!player)
		return;
	player_unask(player, seat);
	timer_clear(&seat->running->loop->timers, &seat->timer);
	session_end(player->session, &seat->entry);
	seat->player = NULL;
	player_left_match(player);
}

static void tell_fault(struct seat *seat, const struct fault *fault)
{
	struct message error = {
		.type = MESSAGE_ERROR,
		.error = {.code = text_of(fault_names[fault->class]),
			.why = utf8_text(fault->why, WHY_BYTES_MAX),
			.match = seat->running->config.setup.match_id},
	};

	player_send_message(seat->player, &error);
}

static void effect_faulted(void *context, int number, const struct fault *fault)
{
	struct running_match *running = context;
	struct seat *seat = &running->seat[number];

	seat->fault = xmalloc(sizeof(*fault));
	*seat->fault = *fault;
	if (!seat->player)
		return;
	tell_fault(seat, fault);
	/* A bot that made an illegal move still works; after any other fault a new
	 * process is safer. */
	if (fault->class != FAULT_ILLEGAL && !running->entrant[number]->spec->remote)
		seat->player->retiring = true;
	leave(seat);
}

static void effect_finished(void *context)
{
	struct running_match *running = context;

	for (int i = 0; i < running->config.setup.seats; i++)
		leave(&running->seat[i]);
	running->state = MATCH_OVER;
	list_remove(running);
	list_add(&running->loop->over, running);
}

static const struct match_effects effects = {
	.send = effect_send,
	.flush = effect_flush,
	.ask = effect_ask,
	.answered = effect_answered,
	.evidence = effect_evidence,
	.faulted = effect_faulted,
	.finished = effect_finished,
};

/* Always the same length on the wire, and never the same number twice. */
static int64_t fresh_match_id(void)
{
	uint64_t bits;

	chance_fresh(&bits, sizeof(bits));
	return (int64_t)((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52);
}

void loop_match_init(struct loop_match *request, const struct match_rules *rules,
	struct entrant *const *entrants, const uint8_t seed[CHANCE_SEED_SIZE],
	const char *replay_path)
{
	struct match_config *config = &request->config;

	*request = (struct loop_match){.replay_path = replay_path};
	config->setup.game = rules->game;
	config->setup.seats = rules->seats;
	config->setup.clock = rules->clock;
	config->setup.match_id = fresh_match_id();
	memcpy(config->setup.option, rules->option, sizeof(rules->option));
	config->policy = rules->policy;
	config->retries = rules->retries;
	config->ready_ns_max = READY_MS_DEFAULT * NS_PER_MS;
	config->start_unix_s = time(NULL);
	memcpy(config->seed, seed, sizeof(config->seed));
	chance_fresh(config->nonce, sizeof(config->nonce));
	memcpy(request->entrant, entrants,
		(size_t)rules->seats * sizeof(request->entrant[0]));
}

/* A replay under way says who holds which cards. */
static void hide_folder_of(const char *path)
{
	char folder[PATH_MAX], *slash;

	utf8_format(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (slash)
		*slash = 0;
	sandbox_hide(slash ? folder : ".");
}

void loop_add_match(struct loop *loop, const struct loop_match *request)
{
	struct running_match *running = xcalloc(1, sizeof(*running));

	running->loop = loop;
	running->config = request->config;
	running->user = request->user;
	running->replay_compress = request->replay_compress;
	if (request->replay_path) {
		running->replay_path = xstrdup(request->replay_path);
		hide_folder_of(request->replay_path);
	}
	memcpy(running->entrant, request->entrant, sizeof(running->entrant));
	for (int i = 0; i < running->config.setup.seats; i++)
		running->seat[i] = (struct seat){.running = running,
			.number = i,
			.timer = {.fire = seat_expired, .owner = &running->seat[i]}};
	for (int i = 0; i < running->config.setup.seats; i++)
		if (request->fault[i]) {
			running->out[i] = xmalloc(sizeof(*running->out[i]));
			*running->out[i] = *request->fault[i];
		}
	queue_add(loop, running);
	loop->under_way++;
	loop->seating_due = true;
}

/* Fills in what the bots said about themselves in hello. */
static void introduce(
	struct running_match *running, int number, const struct player *player)
{
	const struct bot_spec *spec = running->entrant[number]->spec;
	struct replay_player *record = &running->config.player[number];
	const char *version = spec->version, *language = spec->language;

	running->config.setup.wants_events[number] = player && player->session->events;
	if (player && !*version)
		version = player->session->version;
	if (player && !*language)
		language = player->session->lang;
	utf8_format(
		running->config.setup.name[number], PLAYER_NAME_SIZE, "%s", spec->name);
	utf8_format(record->name, sizeof(record->name), "%s", spec->name);
	utf8_format(record->hash, sizeof(record->hash), "%s", spec->hash);
	utf8_format(record->version, sizeof(record->version), "%s", version);
	utf8_format(record->language, sizeof(record->language), "%s", language);
}

static void take_seat(struct seat *seat)
{
	struct player *player = seat->player;

	seat->entry = session_offer(
		player->session, seat->running->config.setup.match_id, seat);
	assert(seat->entry);
	output_next_match(&player->output);
}

static void start(struct running_match *running, uint16_t absent)
{
	struct loop *loop = running->loop;
	mono_ns now = loop_now(loop);
	struct match_effects mine = effects;
	int err = 0;

	for (int i = 0; i < running->config.setup.seats; i++) {
		bool there = !game_seat_in(absent, i);

		running->seat[i].player =
			there ? entrant_player(running->entrant[i]) : NULL;
		introduce(running, i, running->seat[i].player);
		if (there)
			take_seat(&running->seat[i]);
	}
	list_remove(running);
	list_add(&loop->playing, running);
	running->state = MATCH_PLAYING;
	mine.context = running;
	if (running->replay_path)
		err = replay_open(
			&running->replay, running->replay_path, running->replay_compress);
	match_init(&running->match, &running->config, &mine, loop->scratch,
		running->replay_path && !err ? &running->replay : NULL);
	if (err) {
		struct why why;

		why_set(&why, "the replay cannot be written: %s", strerror(err));
		match_abort(&running->match, now, VOID_REPLAY, why.text);
		return;
	}
	for (int i = 0; i < running->config.setup.seats; i++)
		if (running->out[i]) {
			running->out[i]->at = now;
			match_fault(&running->match, i, running->out[i]);
		} else if (game_seat_in(absent, i)) {
			running->entrant[i]->failed = false;
			match_fault(&running->match, i, &running->entrant[i]->failure);
		}
	match_start(&running->match, now);
}

/* Starts a match as void because a remote bot is offline and is not waited for. */
static void start_void(struct running_match *running, const struct entrant *entrant)
{
	struct match_effects mine = effects;
	struct why why;

	for (int i = 0; i < running->config.setup.seats; i++)
		introduce(running, i, NULL);
	list_remove(running);
	list_add(&running->loop->playing, running);
	running->state = MATCH_PLAYING;
	mine.context = running;
	match_init(
		&running->match, &running->config, &mine, running->loop->scratch, NULL);
	why_set(&why, "%s is not online", entrant->spec->name);
	match_abort(&running->match, loop_now(running->loop), VOID_ABSENT, why.text);
}

/* Starts the match if every seat's bot has room or is known not to come. */
static bool try_start(struct running_match *running)
{
	uint16_t absent = 0;

	for (int i = 0; i < running->config.setup.seats; i++) {
		struct entrant *entrant = running->entrant[i];

		if (running->out[i])
			absent |= (uint16_t)(1u << i);
		if (running->out[i] || entrant_player(entrant))
			continue;
		if (entrant->spec->remote) {
			if (!running->loop->options.absent_is_void ||
				loop_entrant_online(entrant))
				return false;
			start_void(running, entrant);
			return true;
		}
		if (!entrant->failed && !entrant_given_up(entrant))
			return false;
		absent |= (uint16_t)(1u << i);
	}
	start(running, absent);
	return true;
}

/* How many queued matches need this entrant? */
static int wanted(const struct loop *loop, const struct entrant *entrant)
{
	int n = 0;

	for (const struct running_match *running = loop->queued; running;
		running = running->next)
		for (int i = 0; i < running->config.setup.seats; i++)
			n += running->entrant[i] == entrant && !running->out[i];
	return n;
}

void matches_seat(struct loop *loop)
{
	loop->seating_due = false;
	for (struct running_match *running = loop->queued, *next;
		running && !loop->stopping; running = next) {
		next = running->next;
		try_start(running);
	}
	for (struct entrant *entrant = loop->entrants; entrant; entrant = entrant->next)
		if (!entrant->failed)
			entrant_provide(loop, entrant, wanted(loop, entrant));
}

static void running_match_free(struct running_match *running)
{
	for (int i = 0; i < running->config.setup.seats; i++) {
		free(running->seat[i].fault);
		free(running->out[i]);
	}
	free(running->replay_path);
	free(running);
}

static void report(struct loop *loop, struct running_match *running)
{
	struct loop_report report = {.match = &running->match, .user = running->user};

	if (running->match.replay && !running->replay_error) {
		report.replay_path = running->replay.path;
		memcpy(report.chain, running->chain, sizeof(report.chain));
	}
	for (int i = 0; i < running->config.setup.seats; i++) {
		report.fault[i] = running->seat[i].fault;
		loop->numbers.decisions += running->match.seat[i].decisions;
		loop->numbers.dropped += match_dropped(&running->match, i);
		if (++running->entrant[i]->matches % LOOP_EXCUSE_MATCHES == 0)
			running->entrant[i]->excuses++;
	}
	loop->numbers.matches++;
	loop->asked_later = false;
	loop->client->done(loop->client->context, &report);
	match_release(&running->match);
	running_match_free(running);
}

void matches_report(struct loop *loop)
{
	while (loop->over) {
		struct running_match *running = loop->over;

		list_remove(running);
		loop->under_way--;
		if (!running->match.replay) {
			report(loop, running);
			continue;
		}
		replay_writer_chain(&running->replay, running->chain);
		loop->closing++;
		closer_add(loop->closer, running);
	}
}

void matches_closed(struct loop *loop)
{
	for (struct running_match *running = closer_take(loop->closer), *next; running;
		running = next) {
		next = running->next;
		loop->closing--;
		report(loop, running);
	}
}

void matches_abort(struct loop *loop, const char *reason)
{
	mono_ns now = loop_now(loop);

	while (loop->playing)
		match_abort(&loop->playing->match, now, VOID_STOPPED, reason);
	while (loop->queued) {
		struct running_match *running = loop->queued;

		list_remove(running);
		loop->under_way--;
		running_match_free(running);
	}
}

void seat_answer(
	struct seat *seat, const struct message_action *action, struct blob bytes)
{
	struct loop *loop = seat->running->loop;
	struct player *player = seat->player;

	match_answer(&seat->running->match, seat->number,
		&(struct match_answer){
			.turn = action->turn,
			.choice = action->choice,
			.action = action->action,
			.note = action->note,
			.bytes = bytes,
			.received = loop->charge,
			.lag_ns = lag_ns(seat),
			.cpu_ns = player_cpu_ns(player,
					  seat->running->config.setup.clock.kind) -
				  seat->cpu_ns,
		});
}

/* With a CPU clock the deadline is only the earliest moment at which time can be up. */
static bool cpu_left(struct seat *seat)
{
	const struct clock_rules *clock = &seat->running->config.setup.clock;
	const struct match_seat *s = &seat->running->match.seat[seat->number];
	struct loop *loop = seat->running->loop;
	int64_t used, look, wall_left;

	if (clock->kind != CLOCK_KIND_CPU || seat->running->match.phase != PHASE_PLAY)
		return false;
	wall_left = s->asked + clock->wall_ns_max + lag_ns(seat) - loop->charge;
	used = player_cpu_ns(seat->player, CLOCK_KIND_CPU) - seat->cpu_ns;
	if (wall_left <= 0 || used > s->budget_ns)
		return false;
	look = s->budget_ns - used < wall_left ? s->budget_ns - used : wall_left;
	timer_set(&loop->timers, &seat->timer,
		loop->charge + (look > CPU_LOOK_NS ? look : CPU_LOOK_NS));
	return true;
}

void seat_expired(struct loop *loop, struct timer *timer)
{
	struct seat *seat = timer->owner;
	/* On a starved host we wait a while longer; an answer in that time makes the
	 * match void. */
	mono_ns credited = seat->deadline + lag_ns(seat) + starved_ns(seat);

	/* Its answer may be among the frames that had no place in this turn; a flood of
	 * them soon ends the bot. */
	if (seat->player && seat->player->unread)
		credited = loop->charge + 1;
	if (cpu_left(seat))
		return;
	if (credited > loop->charge) {
		timer_set(&loop->timers, timer, credited);
		return;
	}
	match_timeout(&seat->running->match, seat->number, loop->charge, lag_ns(seat));
}
