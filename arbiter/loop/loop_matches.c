/* The matches under way: seating them, what a match wants done, reporting them. */
#include "arbiter/loop/loop_internal.h"
#include "protocol/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often the CPU time of a silent bot is looked at. */
#define CPU_LOOK_NS (10 * NS_PER_MS)

static void list_add(struct run **list, struct run *run)
{
	run->next = *list;
	run->self = list;
	if (run->next)
		run->next->self = &run->next;
	*list = run;
}

static void list_remove(struct run *run)
{
	*run->self = run->next;
	if (run->next)
		run->next->self = run->self;
	else if (run->loop->queued_end == &run->next)
		run->loop->queued_end = run->self;
	run->next = NULL;
	run->self = NULL;
}

static void queue_add(struct loop *loop, struct run *run)
{
	run->self = loop->queued_end;
	run->next = NULL;
	*loop->queued_end = run;
	loop->queued_end = &run->next;
}

/* What a match wants done. */

static void effect_send(void *context, int seat, struct blob message)
{
	struct run *run = context;

	if (run->seat[seat].player)
		player_send(run->seat[seat].player, message);
}

static void effect_ask(void *context, int number)
{
	struct run *run = context;
	struct seat *seat = &run->seat[number];

	if (run->match.phase == PHASE_PLAY) {
		int64_t turn = session_ask(seat->player->session, seat->entry);

		assert(turn == run->match.seat[number].turn);
		(void)turn;
	}
	player_ask(seat->player, seat);
}

static void effect_answered(void *context, int number)
{
	struct run *run = context;
	struct seat *seat = &run->seat[number];

	seat->ask_due = false;
	timer_clear(&run->loop->timers, &seat->timer);
	if (seat->player)
		player_rest(seat->player);
	if (seat->entry && seat->entry->state == SEAT_ASKED)
		session_withdraw(seat->player->session, seat->entry);
}

static int64_t lag_ns(const struct seat *seat)
{
	return seat->run->loop->late_ns - seat->late_ns;
}

/* How late any bot may have been since the question left, because the host was starved;
 * never more than the question's own time. */
static int64_t starved_ns(const struct seat *seat)
{
	const struct loop *loop = seat->run->loop;
	int64_t late = sentinel_late_ns(&loop->sentinel, loop->charge) - seat->starved_ns;
	int64_t budget = seat->run->match.seat[seat->number].budget_ns;

	if (seat->run->config.setup.clock.kind != CLOCK_KIND_WALL || late < 0)
		return 0;
	return late < budget ? late : budget;
}

/* An answer came too late, but no later than the host was: nobody's fault, unless the bot
 * makes a habit of it. */
static void excuse(struct seat *seat, struct fault *fault)
{
	struct entrant *entrant = seat->run->entrant[seat->number];
	int64_t late = starved_ns(seat);

	if (!late || fault->overrun_ns >= lag_ns(seat) + late || entrant->excuses <= 0)
		return;
	entrant->excuses--;
	fault->class = FAULT_ARBITER;
	snprintf(fault->why, sizeof(fault->why),
		"%s: the answer came %.1f ms too late, but the host was starved: a "
		"process of the arbiter's own was %.1f ms late in the meantime (%d more "
		"such will be excused)",
		match_phase_names[fault->phase], (double)fault->overrun_ns / 1e6,
		(double)late / 1e6, entrant->excuses);
}

static void effect_evidence(void *context, int number, struct fault *fault)
{
	struct seat *seat = &((struct run *)context)->seat[number];

	if (!seat->player)
		return;
	if (fault->class == FAULT_TIMEOUT && !player_connected(seat->player)) {
		fault->class = FAULT_DISCONNECT;
		snprintf(fault->why, sizeof(fault->why),
			"%s: the connection was lost and did not come back in time",
			match_phase_names[fault->phase]);
	}
	if (fault->class == FAULT_TIMEOUT)
		excuse(seat, fault);
	player_evidence(seat->player, fault);
}

/* The seat's bot has no more to do with this match. */
static void leave(struct seat *seat)
{
	struct player *player = seat->player;

	if (!player)
		return;
	/* The time of a message that is not flushed yet will not be started. */
	for (size_t i = 0; i < player->asked_count; i++)
		if (player->asked[i] == seat)
			player->asked[i] = player->asked[--player->asked_count];
	timer_clear(&seat->run->loop->timers, &seat->timer);
	session_end(player->session, &seat->entry);
	seat->player = NULL;
	player_left_match(player);
}

static void tell_fault(struct seat *seat, const struct fault *fault)
{
	struct message error = {
		.type = MESSAGE_ERROR,
		.error = {.code = text_of(fault_names[fault->class]),
			.why = text_of(fault->why),
			.match = seat->run->config.setup.match_id},
	};

	player_send_message(seat->player, &error);
}

static void effect_faulted(void *context, int number, const struct fault *fault)
{
	struct run *run = context;
	struct seat *seat = &run->seat[number];

	seat->fault = xmalloc(sizeof(*fault));
	*seat->fault = *fault;
	if (!seat->player)
		return;
	tell_fault(seat, fault);
	/* A bot that plays a wrong card is in its right mind; after anything else a new
	 * process is safer. */
	if (fault->class != FAULT_ILLEGAL && !run->entrant[number]->spec->remote)
		seat->player->retiring = true;
	leave(seat);
}

static void effect_finished(void *context)
{
	struct run *run = context;

	for (int i = 0; i < run->config.setup.seats; i++)
		leave(&run->seat[i]);
	run->state = RUN_OVER;
	list_remove(run);
	list_add(&run->loop->over, run);
}

static const struct match_effects effects = {
	.send = effect_send,
	.ask = effect_ask,
	.answered = effect_answered,
	.evidence = effect_evidence,
	.faulted = effect_faulted,
	.finished = effect_finished,
};

void loop_add_match(struct loop *loop, const struct loop_match *request)
{
	struct run *run = xcalloc(1, sizeof(*run));

	run->loop = loop;
	run->config = request->config;
	run->user = request->user;
	run->replay_compress = request->replay_compress;
	if (request->replay_path && !(run->replay_path = strdup(request->replay_path)))
		abort();
	memcpy(run->entrant, request->entrant, sizeof(run->entrant));
	for (int i = 0; i < run->config.setup.seats; i++)
		run->seat[i] = (struct seat){.run = run,
			.number = i,
			.timer = {.fire = seat_expired, .owner = &run->seat[i]}};
	for (int i = 0; i < run->config.setup.seats; i++)
		if (request->fault[i]) {
			run->out[i] = xmalloc(sizeof(*run->out[i]));
			*run->out[i] = *request->fault[i];
		}
	queue_add(loop, run);
	loop->under_way++;
	loop->seating_due = true;
}

/* Fills in what the bots said of themselves. */
static void introduce(struct run *run, int number, const struct player *player)
{
	const struct bot_spec *spec = run->entrant[number]->spec;
	struct replay_player *record = &run->config.player[number];
	const char *version = spec->version, *language = spec->language;

	run->config.setup.wants_events[number] = player && player->session->events;
	if (player && !*version)
		version = player->session->version;
	if (player && !*language)
		language = player->session->lang;
	snprintf(run->config.setup.name[number], PLAYER_NAME_SIZE, "%s", spec->name);
	snprintf(record->name, sizeof(record->name), "%s", spec->name);
	snprintf(record->hash, sizeof(record->hash), "%s", spec->hash);
	snprintf(record->version, sizeof(record->version), "%.*s",
		(int)sizeof(record->version) - 1, version);
	snprintf(record->language, sizeof(record->language), "%.*s",
		(int)sizeof(record->language) - 1, language);
}

static void take_seat(struct seat *seat)
{
	struct player *player = seat->player;

	seat->entry =
		session_offer(player->session, seat->run->config.setup.match_id, seat);
	assert(seat->entry);
	/* A match that begins in a position has nothing to get ready for. */
	if (seat->run->config.position)
		seat->entry->state = SEAT_READY;
	output_next_match(&player->output);
}

static void start(struct run *run, uint16_t absent)
{
	struct loop *loop = run->loop;
	mono_ns now = loop_now(loop);
	struct match_effects mine = effects;
	int err = 0;

	for (int i = 0; i < run->config.setup.seats; i++) {
		bool there = !game_seat_in(absent, i);

		run->seat[i].player = there ? entrant_player(run->entrant[i]) : NULL;
		introduce(run, i, run->seat[i].player);
		if (there)
			take_seat(&run->seat[i]);
	}
	list_remove(run);
	list_add(&loop->playing, run);
	run->state = RUN_PLAYING;
	mine.context = run;
	if (run->replay_path)
		err = replay_open(&run->replay, run->replay_path, run->replay_compress);
	match_init(&run->match, &run->config, &mine, loop->scratch,
		run->replay_path && !err ? &run->replay : NULL);
	if (err) {
		struct why why;

		why_set(&why, "the replay cannot be written: %s", strerror(err));
		match_abort(&run->match, now, VOID_REPLAY, why.text);
		return;
	}
	for (int i = 0; i < run->config.setup.seats; i++)
		if (run->out[i]) {
			run->out[i]->at = now;
			match_fault(&run->match, i, run->out[i]);
		} else if (game_seat_in(absent, i)) {
			run->entrant[i]->failed = false;
			match_fault(&run->match, i, &run->entrant[i]->failure);
		}
	match_start(&run->match, now);
}

/* A remote bot is not there, and is not waited for. */
static void start_void(struct run *run, const struct entrant *entrant)
{
	struct match_effects mine = effects;
	struct why why;

	for (int i = 0; i < run->config.setup.seats; i++)
		introduce(run, i, NULL);
	list_remove(run);
	list_add(&run->loop->playing, run);
	run->state = RUN_PLAYING;
	mine.context = run;
	match_init(&run->match, &run->config, &mine, run->loop->scratch, NULL);
	why_set(&why, "%s is not online", entrant->spec->name);
	match_abort(&run->match, loop_now(run->loop), VOID_ABSENT, why.text);
}

/* Is every seat's bot there, or known not to come? */
static bool try_start(struct run *run)
{
	uint16_t absent = 0;

	for (int i = 0; i < run->config.setup.seats; i++) {
		struct entrant *entrant = run->entrant[i];

		if (run->out[i])
			absent |= (uint16_t)(1u << i);
		if (run->out[i] || entrant_player(entrant))
			continue;
		if (entrant->spec->remote) {
			if (!run->loop->options.absent_is_void ||
				loop_entrant_online(entrant))
				return false;
			start_void(run, entrant);
			return true;
		}
		if (!entrant->failed && !entrant_given_up(entrant))
			return false;
		absent |= (uint16_t)(1u << i);
	}
	start(run, absent);
	return true;
}

/* How many queued matches want this entrant? */
static int wanted(const struct loop *loop, const struct entrant *entrant)
{
	int n = 0;

	for (const struct run *run = loop->queued; run; run = run->next)
		for (int i = 0; i < run->config.setup.seats; i++)
			n += run->entrant[i] == entrant && !run->out[i];
	return n;
}

void runs_seat(struct loop *loop)
{
	loop->seating_due = false;
	for (struct run *run = loop->queued, *next; run && !loop->stopping; run = next) {
		next = run->next;
		try_start(run);
	}
	for (struct entrant *entrant = loop->entrants; entrant; entrant = entrant->next)
		if (!entrant->failed)
			entrant_provide(loop, entrant, wanted(loop, entrant));
}

static void run_free(struct run *run)
{
	for (int i = 0; i < run->config.setup.seats; i++) {
		free(run->seat[i].fault);
		free(run->out[i]);
	}
	free(run->replay_path);
	free(run);
}

static void report(struct loop *loop, struct run *run)
{
	struct loop_report report = {.match = &run->match, .user = run->user};

	if (run->match.replay && !run->replay_error) {
		report.replay_path = run->replay.path;
		memcpy(report.chain, run->chain, sizeof(report.chain));
	}
	for (int i = 0; i < run->config.setup.seats; i++) {
		report.fault[i] = run->seat[i].fault;
		loop->numbers.decisions += run->match.seat[i].decisions;
		loop->numbers.dropped += run->match.seat[i].dropped;
		if (++run->entrant[i]->matches % LOOP_EXCUSE_MATCHES == 0)
			run->entrant[i]->excuses++;
	}
	loop->numbers.matches++;
	loop->asked_later = false;
	loop->client->done(loop->client->context, &report);
	match_release(&run->match);
	run_free(run);
}

void runs_report(struct loop *loop)
{
	while (loop->over) {
		struct run *run = loop->over;

		list_remove(run);
		loop->under_way--;
		if (!run->match.replay) {
			report(loop, run);
			continue;
		}
		replay_writer_chain(&run->replay, run->chain);
		loop->closing++;
		closer_add(loop->closer, run);
	}
}

void runs_closed(struct loop *loop)
{
	for (struct run *run = closer_take(loop->closer), *next; run; run = next) {
		next = run->next;
		loop->closing--;
		report(loop, run);
	}
}

void runs_abort(struct loop *loop, const char *reason)
{
	mono_ns now = loop_now(loop);

	while (loop->playing)
		match_abort(&loop->playing->match, now, VOID_STOPPED, reason);
	while (loop->queued) {
		struct run *run = loop->queued;

		list_remove(run);
		loop->under_way--;
		run_free(run);
	}
}

void seat_answer(
	struct seat *seat, const struct message_action *action, struct blob bytes)
{
	struct loop *loop = seat->run->loop;
	struct player *player = seat->player;

	match_answer(&seat->run->match, seat->number,
		&(struct match_answer){
			.turn = (uint32_t)action->turn,
			.choice = action->choice,
			.action = action->action,
			.note = action->note,
			.bytes = bytes,
			.received = loop->charge,
			.lag_ns = lag_ns(seat),
			.cpu_ns = player_cpu_ns(
					  player, seat->run->config.setup.clock.kind) -
				  seat->cpu_ns,
		});
}

/* With a CPU clock the deadline is only the first moment at which it can be missed. */
static bool cpu_left(struct seat *seat)
{
	const struct clock_rules *clock = &seat->run->config.setup.clock;
	const struct match_seat *s = &seat->run->match.seat[seat->number];
	struct loop *loop = seat->run->loop;
	int64_t used, look, wall_left;

	if (clock->kind != CLOCK_KIND_CPU || seat->run->match.phase != PHASE_PLAY)
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
	/* On a starved host it is waited for a while longer: what comes then is void. */
	mono_ns credited = seat->deadline + lag_ns(seat) + starved_ns(seat);

	if (cpu_left(seat))
		return;
	if (credited > loop->charge) {
		timer_set(&loop->timers, timer, credited);
		return;
	}
	match_timeout(&seat->run->match, seat->number, loop->charge, lag_ns(seat));
}
