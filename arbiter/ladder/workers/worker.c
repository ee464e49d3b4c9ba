#include "arbiter/ladder/workers/worker.h"
#include "arbiter/base/exit.h"
#include "arbiter/loop/listener.h"
#include "arbiter/base/lines.h"
#include "arbiter/ladder/store/record.h"
#include "arbiter/match/match_rules.h"
#include "arbiter/loop/loop.h"
#include "protocol/memory.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <sodium.h>

/* Stands for a bot that may not play: it never says hello. */
static char *const barred_command[] = {"/bin/false", NULL};

struct bot {
	struct bot *next;
	int64_t id;
	struct bot_spec spec;
	struct bot_spec barred; /* the same, but does not start */
	bool loaded;
	struct why why;         /* it could not be loaded */
	struct entrant *remote; /* one that comes by itself has one for all rotations */
};

/*
 * The processes of one bot for one rotation. `copy` tells apart the seats of a bot that
 * sits at a table more than once.
 */
struct slot {
	struct slot *next;
	struct bot *bot;
	int rotation, copy;
	bool barred;
	struct entrant *entrant;
	int matches;       /* under way */
	bool used;         /* there may be a process */
	uint64_t last_use; /* number of the match */
};

struct job {
	struct job *next;
	struct worker *worker;
	int64_t number;
	int rotation;
	struct bot *bot[GAME_SEATS_MAX];
	bool barred[GAME_SEATS_MAX];
	int excuses[GAME_SEATS_MAX]; /* -1: the loop counts by itself */
	struct slot *slot[GAME_SEATS_MAX];
	uint8_t seed[CHANCE_SEED_SIZE];
	char *replay;
	bool compress;
	int64_t start_unix_s;
	mono_ns start;
};

struct worker {
	struct lines input;
	bool from_file; /* all jobs are there already; the end of input is no alarm */
	struct loop *loop;
	struct match_rules rules;
	bool ruled;
	bool confused; /* a line of input made no sense */
	int at_once, processes_max;
	char *logs;
	struct listener door;          /* all zero: nobody comes */
	struct zap_counts door_counts; /* that the coordinator knows of, */
	int64_t strangers;             /* and messages of nobody's */
	struct bot *bots;
	struct slot *slots;
	struct job *queue, **queue_end;
	mono_ns alive_due; /* when the next sign of life is due */
	uint64_t matches;
};

static void *allocate(size_t size)
{
	void *memory = xcalloc(1, size);

	return memory;
}

/* Lets it come, now or when the loop is there. A name whose key has changed comes with
 * the next run. */
static void expect_remote(struct worker *worker, struct bot *bot)
{
	if (bot->spec.remote && worker->loop && !bot->remote)
		bot->remote = loop_entrant(worker->loop, &bot->spec, 1);
}

static void take_remote(struct worker *worker, const json_t *line, const char *key)
{
	const char *name = json_string_value(json_object_get(line, "name"));
	const char *hash = json_string_value(json_object_get(line, "hash"));
	struct bot *bot = allocate(sizeof(*bot));
	struct why why;

	bot->id = json_integer_value(json_object_get(line, "id"));
	bot->next = worker->bots;
	worker->bots = bot;
	bot->loaded = true;
	snprintf(bot->spec.name, sizeof(bot->spec.name), "%s", name ? name : "?");
	snprintf(bot->spec.hash, sizeof(bot->spec.hash), "%s", hash ? hash : "");
	bot->spec.matches = 1;
	bot->spec.remote = worker->door.zap && name &&
			   zap_admit(worker->door.zap, name, key, &why) == ERR_OK;
	strcpy(bot->spec.folder, "/");
	bot->barred = bot->spec;
	bot->barred.remote = false;
	bot->barred.command[0] = barred_command[0];
	expect_remote(worker, bot);
}

static void take_bot(struct worker *worker, const json_t *line)
{
	const char *folder = json_string_value(json_object_get(line, "folder"));
	const char *name = json_string_value(json_object_get(line, "name"));
	const char *hash = json_string_value(json_object_get(line, "hash"));
	struct bot *bot = allocate(sizeof(*bot));

	bot->id = json_integer_value(json_object_get(line, "id"));
	bot->next = worker->bots;
	worker->bots = bot;
	bot->loaded = folder && bot_spec_load(&bot->spec, folder, &bot->why);
	if (!bot->loaded)
		/* It faults at its start, and says why. */
		bot->spec.command[0] = strdup(barred_command[0]);
	/* The name and the hash of what was submitted, not of what was built of it. */
	snprintf(bot->spec.name, sizeof(bot->spec.name), "%s", name ? name : "?");
	snprintf(bot->spec.hash, sizeof(bot->spec.hash), "%s", hash ? hash : "");
	if (!*bot->spec.folder)
		strcpy(bot->spec.folder, "/");
	if (!bot->spec.matches)
		bot->spec.matches = 1;
	bot->barred = bot->spec;
	bot->barred.transport = BOT_ZMQ;
	memset(bot->barred.command, 0, sizeof(bot->barred.command));
	bot->barred.command[0] = barred_command[0];
}

static struct bot *find_bot(const struct worker *worker, int64_t id)
{
	for (struct bot *bot = worker->bots; bot; bot = bot->next)
		if (bot->id == id)
			return bot;
	return NULL;
}

static bool read_job(struct worker *worker, const json_t *line, struct job *job)
{
	const json_t *seats = json_object_get(line, "seats");
	const json_t *barred = json_object_get(line, "barred");
	const json_t *excuses = json_object_get(line, "excuses");
	const char *seed = json_string_value(json_object_get(line, "seed"));
	const char *replay = json_string_value(json_object_get(line, "replay"));
	size_t n = json_array_size(seats);

	if (!worker->ruled || n != (size_t)worker->rules.seats || !seed ||
		sodium_hex2bin(job->seed, sizeof(job->seed), seed, strlen(seed), NULL,
			NULL, NULL))
		return false;
	job->number = json_integer_value(json_object_get(line, "job"));
	job->rotation = (int)json_integer_value(json_object_get(line, "rotation"));
	job->compress = json_is_true(json_object_get(line, "compress"));
	job->replay = replay ? strdup(replay) : NULL;
	for (size_t i = 0; i < n; i++) {
		job->bot[i] =
			find_bot(worker, json_integer_value(json_array_get(seats, i)));
		if (!job->bot[i])
			return false;
		job->excuses[i] =
			i < json_array_size(excuses)
				? (int)json_integer_value(json_array_get(excuses, i))
				: -1;
	}
	for (size_t i = 0; i < json_array_size(barred); i++) {
		json_int_t seat = json_integer_value(json_array_get(barred, i));

		if (seat >= 0 && seat < (json_int_t)n)
			job->barred[seat] = true;
	}
	return true;
}

static bool take_play(struct worker *worker, const json_t *line)
{
	struct job *job = allocate(sizeof(*job));

	job->worker = worker;
	if (!read_job(worker, line, job)) {
		free(job->replay);
		free(job);
		return false;
	}
	*worker->queue_end = job;
	worker->queue_end = &job->next;
	return true;
}

static bool open_door(struct worker *worker, const json_t *line)
{
	const char *listen = json_string_value(json_object_get(line, "listen"));
	const char *key = json_string_value(json_object_get(line, "key"));
	struct why why;

	if (!listen || !key || listener_init(&worker->door, listen, key, &why))
		return true;
	user_error("ladder worker: %s", why.text);
	return false;
}

static bool take_rules(struct worker *worker, const json_t *line)
{
	const json_t *at_once = json_object_get(line, "at_once");
	const json_t *processes = json_object_get(line, "processes");
	const char *logs = json_string_value(json_object_get(line, "logs"));
	struct why why;

	if (!match_rules_read(&worker->rules, line, &why)) {
		user_error("ladder worker: %s", why.text);
		return false;
	}
	worker->at_once = at_once ? (int)json_integer_value(at_once) : 1;
	worker->processes_max = processes ? (int)json_integer_value(processes)
					  : WORKER_PROCESSES_STANDARD;
	worker->logs = logs ? strdup(logs) : NULL;
	worker->ruled = worker->at_once > 0;
	return worker->ruled && open_door(worker, line);
}

static bool take_line(struct worker *worker, const json_t *line)
{
	const char *kind = json_string_value(json_object_get(line, "t"));
	const char *key = json_string_value(json_object_get(line, "remote"));

	if (kind && !strcmp(kind, "rules"))
		return take_rules(worker, line);
	if (kind && !strcmp(kind, "bot") && key)
		return take_remote(worker, line, key), true;
	if (kind && !strcmp(kind, "bot"))
		return take_bot(worker, line), true;
	if (kind && !strcmp(kind, "play"))
		return take_play(worker, line);
	return false;
}

/* Takes whole lines; false: there will be no more, or one made no sense. */
static bool take_input(struct worker *worker)
{
	json_t *line;

	lines_fill(&worker->input);
	while ((line = lines_next_json(&worker->input))) {
		bool ok = take_line(worker, line);

		json_decref(line);
		if (!ok) {
			user_error("ladder worker: a line of input makes no sense");
			worker->confused = true;
			return false;
		}
	}
	return !worker->input.ended;
}

static struct slot *find_slot(
	struct worker *worker, const struct job *job, int seat, int copy)
{
	struct slot *slot;

	for (slot = worker->slots; slot; slot = slot->next)
		if (slot->bot == job->bot[seat] && slot->barred == job->barred[seat] &&
			((slot->rotation == job->rotation && slot->copy == copy) ||
				slot->entrant == job->bot[seat]->remote))
			return slot;
	slot = allocate(sizeof(*slot));
	slot->bot = job->bot[seat];
	slot->rotation = job->rotation;
	slot->copy = copy;
	slot->barred = job->barred[seat];
	if (slot->bot->remote && !slot->barred)
		slot->entrant = slot->bot->remote;
	else
		slot->entrant = loop_entrant(worker->loop,
			slot->barred ? &slot->bot->barred : &slot->bot->spec,
			worker->at_once);
	slot->next = worker->slots;
	worker->slots = slot;
	return slot;
}

static void choose_slots(struct worker *worker, struct job *job)
{
	worker->matches++;
	for (int seat = 0; seat < worker->rules.seats; seat++) {
		int copy = 0;

		for (int other = 0; other < seat; other++)
			copy += job->bot[other] == job->bot[seat];
		job->slot[seat] = find_slot(worker, job, seat, copy);
		job->slot[seat]->matches++;
		job->slot[seat]->used = true;
		job->slot[seat]->last_use = worker->matches;
	}
}

/* The next match gets a new slot. */
static void abandon_slot(struct slot *slot)
{
	slot->bot = NULL;
	slot->used = false;
}

/* Ends the processes that were idle longest, beyond the limit. */
static void limit_processes(struct worker *worker)
{
	int used = 0;

	for (struct slot *slot = worker->slots; slot; slot = slot->next)
		used += slot->used;
	while (used > worker->processes_max) {
		struct slot *oldest = NULL;

		for (struct slot *slot = worker->slots; slot; slot = slot->next)
			if (slot->used && !slot->matches &&
				(!oldest || slot->last_use < oldest->last_use))
				oldest = slot;
		if (!oldest)
			return;
		loop_entrant_retire(worker->loop, oldest->entrant);
		oldest->used = false;
		used--;
	}
}

static int64_t fresh_match_id(void)
{
	uint64_t bits;

	/* Always as long on the wire, and never the same twice. */
	chance_fresh(&bits, sizeof(bits));
	return (int64_t)((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52);
}

static void start_job(struct worker *worker, struct job *job)
{
	struct loop_match request = {
		.config = {.setup = {.game = worker->rules.game,
				   .seats = worker->rules.seats,
				   .match_id = fresh_match_id(),
				   .clock = worker->rules.clock},
			.policy = worker->rules.policy,
			.retries = worker->rules.retries,
			.ready_ns_max = READY_MS_STANDARD * NS_PER_MS,
			.start_unix_s = time(NULL)},
		.replay_path = job->replay,
		.replay_compress = job->compress,
		.user = job,
	};

	memcpy(request.config.setup.option, worker->rules.option,
		sizeof(worker->rules.option));
	memcpy(request.config.seed, job->seed, sizeof(job->seed));
	chance_fresh(request.config.nonce, sizeof(request.config.nonce));
	choose_slots(worker, job);
	limit_processes(worker);
	for (int seat = 0; seat < worker->rules.seats; seat++) {
		request.entrant[seat] = job->slot[seat]->entrant;
		if (job->excuses[seat] >= 0)
			loop_entrant_excuse(request.entrant[seat], job->excuses[seat]);
	}
	job->start_unix_s = request.config.start_unix_s;
	job->start = time_now(&time_system);
	loop_add_match(worker->loop, &request);
}

static enum loop_next on_next(void *context, struct loop *loop)
{
	struct worker *worker = context;
	struct job *job = worker->queue;

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

static void record_fault(struct seat_record *seat, const struct job *job, int number,
	const struct fault *fault)
{
	const struct bot *bot = job->bot[number];

	seat->fault = fault->class;
	snprintf(seat->fault_phase, sizeof(seat->fault_phase), "%s",
		match_phase_names[fault->phase]);
	snprintf(seat->fault_why, sizeof(seat->fault_why), "%s", fault->why);
	snprintf(
		seat->fault_stderr, sizeof(seat->fault_stderr), "%s", fault->stderr_tail);
	if (job->barred[number]) {
		seat->fault = FAULT_FLOOD;
		snprintf(seat->fault_why, sizeof(seat->fault_why),
			"its arbiter died twice over this match, and twice more when the "
			"bot played against itself");
	} else if (!bot->loaded) {
		seat->fault = FAULT_STARTUP;
		snprintf(seat->fault_why, sizeof(seat->fault_why), "start: %.300s",
			bot->why.text);
	}
}

static void fill_record(struct match_record *record, const struct job *job,
	const struct loop_report *report)
{
	const struct match *match = report->match;

	record->seats = job->worker->rules.seats;
	record->is_void = match->is_void;
	snprintf(record->void_reason, sizeof(record->void_reason), "%s",
		match->void_reason);
	record->match_id = match->config.setup.match_id;
	record->start_unix_s = job->start_unix_s;
	record->seconds = (double)(time_now(&time_system) - job->start) / 1e9;
	if (!match->is_void && match->result.reason)
		snprintf(record->reason, sizeof(record->reason), "%s",
			match->result.reason);
	if (report->replay_path) {
		snprintf(record->replay, sizeof(record->replay), "%s",
			report->replay_path);
		record->has_chain = true;
		memcpy(record->chain, report->chain, sizeof(record->chain));
	} else if (job->replay && !match->is_void) {
		record->is_void = true;
		snprintf(record->void_reason, sizeof(record->void_reason),
			"the replay cannot be written to its end");
	}
	for (int i = 0; i < record->seats; i++) {
		struct seat_record *seat = &record->seat[i];

		seat->score = match->result.score[i];
		seat->rank = match->result.rank[i];
		seat->team = match->result.team[i];
		seat->decisions = match->seat[i].decisions;
		seat->dropped = match_dropped(match, i);
		seat->think_us = match->seat[i].think_ns / 1000;
		seat->think_us_max = match->seat[i].think_ns_max / 1000;
		if (report->fault[i])
			record_fault(seat, job, i, report->fault[i]);
	}
}

static void job_free(struct job *job)
{
	free(job->replay);
	free(job);
}

/* Tells who came to the door since the last time. */
static void tell_door(struct worker *worker)
{
	struct zap_counts was = worker->door_counts, now;
	int64_t strangers;

	if (!worker->door.zap)
		return;
	now = zap_counts(worker->door.zap);
	strangers = loop_numbers(worker->loop).strangers;
	if (!memcmp(&was, &now, sizeof(now)) && strangers == worker->strangers)
		return;
	if (!lines_write_json(STDOUT_FILENO,
		    json_pack("{s:s,s:I,s:I,s:I,s:I,s:I}", "t", "door", "opened",
			    (json_int_t)(now.connections - was.connections), "admitted",
			    (json_int_t)(now.admitted - was.admitted), "unknown",
			    (json_int_t)(now.unknown - was.unknown), "refused",
			    (json_int_t)(now.refused - was.refused), "strangers",
			    (json_int_t)(strangers - worker->strangers))))
		loop_stop(worker->loop, "the coordinator is gone");
	worker->door_counts = now;
	worker->strangers = strangers;
}

static void on_done(void *context, const struct loop_report *report)
{
	struct worker *worker = context;
	struct job *job = report->user;
	struct match_record *record = allocate(sizeof(*record));
	json_t *line;

	fill_record(record, job, report);
	for (int seat = 0; seat < worker->rules.seats; seat++) {
		job->slot[seat]->matches--;
		/* These processes have seen the deal, which will be played again. */
		if (record->is_void)
			loop_entrant_retire(worker->loop, job->slot[seat]->entrant);
		/* The loop gives up a bot that fails to start again and again; a host
		 * that was too busy for a while must not cost it all its matches. */
		if (record->seat[seat].fault == FAULT_STARTUP)
			abandon_slot(job->slot[seat]);
	}
	if (record->is_void && *record->replay) {
		unlink(record->replay);
		*record->replay = 0;
	}
	/* First, as this may be the last match that is waited for. */
	tell_door(worker);
	line = match_record_write(record);
	json_object_set_new(line, "t", json_string("done"));
	json_object_set_new(line, "job", json_integer(job->number));
	if (!lines_write_json(STDOUT_FILENO, line))
		loop_stop(worker->loop, "the coordinator is gone");
	free(record);
	job_free(job);
}

static void on_tick(void *context, struct loop *loop)
{
	struct worker *worker = context;
	mono_ns now = time_now(&time_system);

	if (worker->from_file || now < worker->alive_due)
		return;
	worker->alive_due = now + WORKER_ALIVE_MS * NS_PER_MS;
	if (!lines_write_json(STDOUT_FILENO, json_pack("{s:s}", "t", "alive")))
		loop_stop(loop, "the coordinator is gone");
	tell_door(worker);
}

static void on_online(void *context, const struct entrant *entrant, bool online)
{
	struct worker *worker = context;

	for (struct bot *bot = worker->bots; bot; bot = bot->next)
		if (bot->remote == entrant &&
			!lines_write_json(STDOUT_FILENO,
				json_pack("{s:s,s:I,s:b}", "t", "remote", "id",
					(json_int_t)bot->id, "online", online)))
			loop_stop(worker->loop, "the coordinator is gone");
}

/* Tells where remote bots come, and expects those that are known. */
static void open_for_remotes(struct worker *worker)
{
	char text[ENDPOINT_BYTES_MAX + 128];

	if (!worker->door.zap)
		return;
	snprintf(text, sizeof(text),
		"remote bots come to PIGPEN_ENDPOINT=%s with PIGPEN_SERVER_KEY='%s'",
		worker->door.remote.bound, worker->door.pair.public_text);
	lines_write_json(
		STDOUT_FILENO, json_pack("{s:s,s:s}", "t", "remote", "endpoint", text));
	for (struct bot *bot = worker->bots; bot; bot = bot->next)
		expect_remote(worker, bot);
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
	while (take_input(worker) && !worker->ruled);
	return worker->ruled;
}

static void release(struct worker *worker)
{
	while (worker->queue) {
		struct job *job = worker->queue;

		worker->queue = job->next;
		job_free(job);
	}
	while (worker->slots) {
		struct slot *slot = worker->slots;

		worker->slots = slot->next;
		free(slot);
	}
	while (worker->bots) {
		struct bot *bot = worker->bots;

		worker->bots = bot->next;
		bot_spec_release(&bot->spec);
		free(bot);
	}
	lines_release(&worker->input);
	free(worker->logs);
	listener_release(&worker->door);
}

static int play(struct worker *worker)
{
	const struct loop_client client = {.next = on_next,
		.done = on_done,
		.tick = on_tick,
		.online = on_online,
		.context = worker};
	struct why why;
	bool whole, boxed;
	int status = sandbox_settle(worker->rules.sandbox, &boxed);

	if (status)
		return status;

	worker->loop = loop_new(
		&(struct loop_options){
			.log_folder = worker->logs,
			.jobs_max = worker->at_once,
			.one_match_per_process =
				worker->rules.clock.kind == CLOCK_KIND_CPU,
			.sandbox = boxed ? &worker->rules.limits : NULL,
			.remote = worker->door.zap ? &worker->door.remote : NULL,
			.absent_is_void = true,
		},
		&why);
	if (!worker->loop)
		return user_error("ladder worker: %s", why.text);
	open_for_remotes(worker);
	while (worker->from_file && !worker->confused && take_input(worker))
		continue;
	if (!worker->from_file)
		loop_watch(worker->loop, STDIN_FILENO, on_input, worker);
	whole = loop_run(worker->loop, &client);
	loop_free(&worker->loop);
	return worker->confused ? EXIT_USER : whole ? EXIT_OK : EXIT_FAILED;
}

int worker_run(void)
{
	struct worker worker = {.at_once = 1};
	int status;

	if (sodium_init() < 0)
		abort();
	signal(SIGPIPE, SIG_IGN);
	worker.queue_end = &worker.queue;
	lines_init(&worker.input, STDIN_FILENO, WORKER_LINE_MAX);
	if (!await_rules(&worker))
		return EXIT_USER;
	status = play(&worker);
	release(&worker);
	return status;
}
