/* A worker: messages from the coordinator, the matches it plays, and its own messages. */
#include "arbiter/ladder/workers/worker.h"
#include "arbiter/base/exit.h"
#include "arbiter/ladder/workers/worker_internal.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The fault of a seat that the coordinator has barred. */
static const struct fault barred = {
	.class = FAULT_FLOOD,
	.exit_status = -1,
	.why = "its arbiter died twice over this match, and "
	       "twice more when the bot played against itself",
};

static bool take_rules(
	struct worker *worker, const struct rules_message *rules, struct why *why)
{
	if (worker->rules)
		return why_set(why, "rules: they were sent before");
	worker->rules = xmalloc(sizeof(*rules));
	*worker->rules = *rules;
	return !*rules->listen ||
	       listener_init(&worker->listener, rules->listen, rules->key_path, why);
}

static bool take_play(
	struct worker *worker, const struct play_message *play, struct why *why)
{
	struct worker_job *job;

	if (!worker->rules || play->seats != worker->rules->rules.seats)
		return why_set(why,
			"play: \"seats\" must be those of the rules, which come first");
	job = xcalloc(1, sizeof(*job));
	job->play = *play;
	for (int seat = 0; seat < play->seats; seat++) {
		job->bot[seat] = worker_find_bot(worker, play->bot[seat]);
		if (!job->bot[seat]) {
			free(job);
			return why_set(why, "play: bot %lld was not named before",
				(long long)play->bot[seat]);
		}
		job->out[seat] = game_seat_in(play->barred, seat) ? &barred
								  : job->bot[seat]->unfit;
	}
	*worker->queue_end = job;
	worker->queue_end = &job->next;
	return true;
}

static bool take_message(
	struct worker *worker, const struct worker_message *message, struct why *why)
{
	switch (message->type) {
	case WORKER_RULES:
		return take_rules(worker, &message->rules, why);
	case WORKER_BOT:
		worker_add_bot(worker, &message->bot);
		return true;
	case WORKER_PLAY:
		return take_play(worker, &message->play, why);
	default:
		return why_set(why, "%s is not a message to a worker",
			worker_message_names[message->type]);
	}
}

/* Takes whole lines; false: there will be no more, or one was refused. */
static bool take_input(struct worker *worker)
{
	struct worker_message *message = xmalloc(sizeof(*message));
	struct why why;
	json_t *line;

	lines_fill(&worker->input);
	while (!worker->refused && (line = lines_next_json(&worker->input))) {
		if (!worker_message_read(message, line, &why) ||
			!take_message(worker, message, &why)) {
			user_error("ladder worker: a line of input is refused: %s",
				why.text);
			worker->refused = true;
		}
		json_decref(line);
	}
	free(message);
	return !worker->refused && !worker->input.ended;
}

static void start_job(struct worker *worker, struct worker_job *job)
{
	const struct match_rules *rules = &worker->rules->rules;
	struct entrant *entrants[GAME_SEATS_MAX];
	struct loop_match request;

	worker_choose_slots(worker, job);
	for (int seat = 0; seat < rules->seats; seat++) {
		entrants[seat] = job->slot[seat]->entrant;
		if (job->play.has_excuses)
			loop_entrant_excuse(entrants[seat], job->play.excuses[seat]);
	}
	loop_match_init(&request, rules, entrants, job->play.seed,
		*job->play.replay ? job->play.replay : NULL);
	memcpy(request.fault, job->out, sizeof(request.fault));
	request.replay_compress = job->play.compress;
	request.user = job;
	job->start_unix_s = request.config.start_unix_s;
	job->start = time_now(&time_system);
	loop_add_match(worker->loop, &request);
}

static enum loop_next on_next(void *context, struct loop *loop)
{
	struct worker *worker = context;
	struct worker_job *job = worker->queue;

	(void)loop;
	if (!job)
		return worker->from_file ? NEXT_NONE : NEXT_LATER;
	worker->queue = job->next;
	if (!worker->queue)
		worker->queue_end = &worker->queue;
	job->next = NULL;
	start_job(worker, job);
	return NEXT_ADDED;
}

static void send_message(struct worker *worker, const struct worker_message *message)
{
	if (!worker_message_send(STDOUT_FILENO, message))
		loop_stop(worker->loop, "the coordinator is gone");
}

static void record_seat(struct seat_record *record, const struct match *match, int seat,
	const struct fault *fault)
{
	record->score = match->result.score[seat];
	record->rank = match->result.rank[seat];
	record->team = match->result.team[seat];
	record->decisions = match->seat[seat].decisions;
	record->dropped = match_dropped(match, seat);
	record->think_us = match->seat[seat].think_ns / NS_PER_US;
	record->think_us_max = match->seat[seat].think_ns_max / NS_PER_US;
	if (!fault)
		return;
	record->fault = fault->class;
	utf8_format(record->fault_phase, sizeof(record->fault_phase), "%s",
		match_phase_names[fault->phase]);
	utf8_format(record->fault_why, sizeof(record->fault_why), "%s", fault->why);
	utf8_format(record->fault_stderr, sizeof(record->fault_stderr), "%s",
		fault->stderr_tail);
}

static void record_replay(struct match_record *record, const struct worker_job *job,
	const struct loop_report *report)
{
	if (report->replay_path) {
		utf8_format(record->replay, sizeof(record->replay), "%s",
			report->replay_path);
		record->has_chain = true;
		memcpy(record->chain, report->chain, sizeof(record->chain));
	} else if (*job->play.replay && !record->void_cause) {
		record->void_cause = VOID_REPLAY;
		utf8_format(record->void_reason, sizeof(record->void_reason),
			"the replay cannot be written to its end");
	}
	if (record->void_cause && *record->replay) {
		unlink(record->replay);
		*record->replay = 0;
	}
}

static void fill_record(struct match_record *record, const struct worker_job *job,
	const struct loop_report *report)
{
	const struct match *match = report->match;

	record->seats = job->play.seats;
	record->void_cause = match->void_cause;
	utf8_format(record->void_reason, sizeof(record->void_reason), "%s",
		match->void_reason);
	record->match_id = match->config.setup.match_id;
	record->start_unix_s = job->start_unix_s;
	record->seconds = (double)(time_now(&time_system) - job->start) / 1e9;
	if (!match->is_void && match->result.reason)
		utf8_format(record->reason, sizeof(record->reason), "%s",
			match->result.reason);
	record_replay(record, job, report);
	for (int seat = 0; seat < record->seats; seat++)
		record_seat(&record->seat[seat], match, seat, report->fault[seat]);
}

/* Reports the handshakes since the last time. */
static void tell_door(struct worker *worker)
{
	struct zap_counts was = worker->listener_counts, now;
	int64_t strangers;

	if (!worker->listener.zap)
		return;
	now = zap_counts(worker->listener.zap);
	strangers = loop_numbers(worker->loop).strangers;
	if (!memcmp(&was, &now, sizeof(now)) && strangers == worker->strangers)
		return;
	send_message(worker,
		&(struct worker_message){.type = WORKER_HANDSHAKES,
			.handshakes = {.counts = {.connections = now.connections -
								 was.connections,
					       .admitted = now.admitted - was.admitted,
					       .unknown = now.unknown - was.unknown,
					       .refused = now.refused - was.refused},
				.strangers = strangers - worker->strangers}});
	worker->listener_counts = now;
	worker->strangers = strangers;
}

static void on_done(void *context, const struct loop_report *report)
{
	struct worker *worker = context;
	struct worker_job *job = report->user;
	struct worker_message *message = xcalloc(1, sizeof(*message));

	message->type = WORKER_DONE;
	message->done.job = job->play.job;
	fill_record(&message->done.record, job, report);
	worker_leave_slots(worker, job, &message->done.record);
	/* First, as this may be the last match that is waited for. */
	tell_door(worker);
	send_message(worker, message);
	free(message);
	free(job);
}

static void on_tick(void *context, struct loop *loop)
{
	struct worker *worker = context;
	mono_ns now = time_now(&time_system);

	(void)loop;
	if (worker->from_file || now < worker->alive_due)
		return;
	worker->alive_due = now + WORKER_ALIVE_MS * NS_PER_MS;
	send_message(worker, &(struct worker_message){.type = WORKER_ALIVE});
	tell_door(worker);
}

static void on_online(void *context, const struct entrant *entrant, bool online)
{
	struct worker *worker = context;

	for (struct worker_bot *bot = worker->bots; bot; bot = bot->next)
		if (bot->remote == entrant)
			send_message(
				worker, &(struct worker_message){.type = WORKER_ONLINE,
						.online = {bot->id, online}});
}

/* Reports the address for remote bots, and lets those that are known connect. */
static void open_for_remotes(struct worker *worker)
{
	struct worker_message message = {.type = WORKER_LISTENING};

	if (!worker->listener.zap)
		return;
	utf8_format(message.listening.endpoint, sizeof(message.listening.endpoint), "%s",
		worker->listener.remote.bound);
	utf8_format(message.listening.server_key, sizeof(message.listening.server_key),
		"%s", worker->listener.pair.public_text);
	send_message(worker, &message);
	worker_expect_remotes(worker);
}

static void on_input(void *context)
{
	struct worker *worker = context;

	if (take_input(worker))
		return;
	loop_watch(worker->loop, -1, NULL, NULL);
	loop_stop(worker->loop, "the coordinator is gone");
}

/* Waits for the first line, which says what the loop must be like. */
static bool await_rules(struct worker *worker)
{
	struct stat info;
	struct pollfd wait = {STDIN_FILENO, POLLIN, 0};

	worker->from_file = fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode);
	fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
	do
		poll(&wait, 1, -1);
	while (take_input(worker) && !worker->rules);
	return worker->rules && !worker->refused;
}

static void release(struct worker *worker)
{
	while (worker->queue) {
		struct worker_job *job = worker->queue;

		worker->queue = job->next;
		free(job);
	}
	worker_free_bots(worker);
	lines_release(&worker->input);
	free(worker->rules);
	listener_release(&worker->listener);
}

static struct loop *open_loop(
	struct worker *worker, const struct sandbox_limits *sandbox, struct why *why)
{
	struct rules_message *rules = worker->rules;

	return loop_new(
		&(struct loop_options){
			.log_folder = *rules->logs ? rules->logs : NULL,
			.jobs_max = rules->at_once,
			.one_match_per_process =
				rules->rules.clock.kind == CLOCK_KIND_CPU,
			.sandbox = sandbox,
			.remote = worker->listener.zap ? &worker->listener.remote : NULL,
			.absent_is_void = true,
		},
		why);
}

static int play(struct worker *worker)
{
	const struct loop_client client = {.next = on_next,
		.done = on_done,
		.tick = on_tick,
		.online = on_online,
		.context = worker};
	struct why why;
	const struct match_rules *rules = &worker->rules->rules;
	const struct sandbox_limits *sandbox;
	bool whole;
	int status = sandbox_choose(rules->sandbox, &rules->limits, &sandbox);

	if (status)
		return status;
	worker->loop = open_loop(worker, sandbox, &why);
	if (!worker->loop)
		return user_error("ladder worker: %s", why.text);
	open_for_remotes(worker);
	while (worker->from_file && take_input(worker))
		continue;
	if (!worker->from_file)
		loop_watch(worker->loop, STDIN_FILENO, on_input, worker);
	whole = loop_run(worker->loop, &client);
	loop_free(&worker->loop);
	return worker->refused ? EXIT_USER : whole ? EXIT_OK : EXIT_FAILED;
}

int worker_run(void)
{
	struct worker worker = {0};
	int status;

	signal(SIGPIPE, SIG_IGN);
	worker.queue_end = &worker.queue;
	lines_init(&worker.input, STDIN_FILENO, WORKER_LINE_MAX);
	status = await_rules(&worker) ? play(&worker) : EXIT_USER;
	release(&worker);
	return status;
}
