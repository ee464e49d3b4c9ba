/* More and more matches at once, of bots that answer immediately, until one is late. */
#include "arbiter/loop/loop.h"
#include "arbiter/replay/reader.h"
#include "arbiter/replay/records.h"
#include "arbiter/selftest/selftest.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MATCHES_LEAST     48
#define MATCHES_PER_PLACE 6 /* so that most are played while all places are taken */

/* A growing list of times in microseconds. */
struct ramp_times {
	int64_t *list;
	size_t count, capacity;
};

struct ramp {
	const struct selftest_options *options;
	struct selftest_level *level;
	struct entrant *entrant[2];
	int added;
	struct ramp_times overhead, answer;
};

static void note(struct ramp_times *times, int64_t us)
{
	times->list =
		xgrow(times->list, times->count, &times->capacity, sizeof(*times->list));
	times->list[times->count++] = us > 0 ? us : 0;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t share_of(const struct ramp_times *times, double share)
{
	size_t at = (size_t)(share * (double)times->count);

	if (!times->count)
		return 0;
	return times->list[at < times->count ? at : times->count - 1];
}

static struct selftest_quantiles quantiles(struct ramp_times *times)
{
	if (times->count)
		qsort(times->list, times->count, sizeof(int64_t), by_size);
	return (struct selftest_quantiles){.p50 = share_of(times, 0.5),
		.p99 = share_of(times, 0.99),
		.p999 = share_of(times, 0.999),
		.max = share_of(times, 1)};
}

static void replay_path(const struct ramp *ramp, int number, char path[PATH_MAX])
{
	utf8_format(path, PATH_MAX, "%s/%d.replay", ramp->options->folder, number);
}

static enum loop_next on_next(void *context, struct loop *loop)
{
	struct ramp *ramp = context;
	struct match_rules rules = {.game = game_find("galloping_pigs"),
		.seats = 2,
		.clock = {.move_ns_max = ramp->options->move_ns_max},
		.policy = POLICY_FORFEIT};
	uint8_t seed[CHANCE_SEED_SIZE];
	struct loop_match request;
	char path[PATH_MAX];

	if (ramp->added == ramp->level->matches)
		return NEXT_NONE;
	replay_path(ramp, ramp->added++, path);
	game_defaults(rules.game, rules.option);
	chance_fresh(seed, sizeof(seed));
	loop_match_init(&request, &rules, ramp->entrant, seed, path);
	loop_add_match(loop, &request);
	return NEXT_ADDED;
}

/* Goes through the answers; specs/selftest.md says what overhead is. */
static void read_times(struct ramp *ramp, const char *path)
{
	struct why why;
	struct replay_reader *reader = replay_reader_open(path, &why);
	struct replay_info *info = xcalloc(1, sizeof(*info));
	struct replay_record record;
	int64_t last_received = -1;
	msgpack_zone zone;

	if (!msgpack_zone_init(&zone, 4096))
		abort();
	while (reader && replay_reader_next(reader, &record) == REPLAY_RECORD) {
		struct replay_move move;

		if (record.type == REPLAY_HEADER)
			replay_parse_header(record.payload, info);
		if (record.type != REPLAY_ACTION ||
			replay_parse_action(record.payload, info, &zone, &move) ||
			!move.turn)
			continue;
		msgpack_zone_clear(&zone);
		if (last_received >= 0)
			note(&ramp->overhead, move.sent_us - last_received + move.lag_us);
		note(&ramp->answer, replay_think_us(&move));
		last_received = move.received_us;
	}
	msgpack_zone_destroy(&zone);
	free(info);
	if (reader)
		replay_reader_free(&reader);
}

static void on_done(void *context, const struct loop_report *report)
{
	struct ramp *ramp = context;
	struct selftest_level *level = ramp->level;
	const struct fault *fault =
		report->fault[0] ? report->fault[0] : report->fault[1];

	level->decisions += (int)(report->match->seat[0].decisions +
				  report->match->seat[1].decisions);
	if (report->replay_path) {
		read_times(ramp, report->replay_path);
		unlink(report->replay_path);
	}
	if (!fault && !report->match->is_void)
		return;
	if (!level->late++)
		why_set(&level->why, "%s",
			fault ? fault->why : report->match->void_reason);
}

static void play_level(struct ramp *ramp, const struct bot_spec *calm)
{
	const struct sandbox_limits limits = sandbox_limits_default();
	const struct loop_client client = {
		.next = on_next, .done = on_done, .context = ramp};
	struct selftest_level *level = ramp->level;
	mono_ns start = time_now(&time_system);
	struct loop *loop =
		loop_new(&(struct loop_options){.jobs_max = level->at_once,
				 .one_match_per_process = true,
				 .sandbox = ramp->options->boxed ? &limits : NULL},
			&level->why);

	if (!loop) {
		level->late = level->matches;
		return;
	}
	ramp->added = 0;
	ramp->overhead.count = ramp->answer.count = 0;
	for (int i = 0; i < 2; i++)
		ramp->entrant[i] = loop_entrant(loop, calm, level->at_once);
	loop_run(loop, &client);
	loop_free(&loop);
	level->seconds = (double)(time_now(&time_system) - start) / 1e9;
	level->overhead = quantiles(&ramp->overhead);
	level->answer = quantiles(&ramp->answer);
}

int selftest_ramp(const struct selftest_options *options,
	struct selftest_level list[SELFTEST_LEVELS_MAX], int *carried)
{
	struct ramp ramp = {.options = options};
	struct bot_spec calm;
	int n = 0;

	*carried = 0;
	selftest_bot(&calm, options->folder, "calm", NULL);
	for (int at_once = 1; at_once <= options->level_max && n < SELFTEST_LEVELS_MAX;
		at_once *= 2) {
		int matches = MATCHES_PER_PLACE * at_once;

		ramp.level = &list[n++];
		*ramp.level = (struct selftest_level){.at_once = at_once,
			.matches = matches > MATCHES_LEAST ? matches : MATCHES_LEAST};
		if (!options->quiet)
			fprintf(stderr, "%d at once\n", at_once);
		play_level(&ramp, &calm);
		if (ramp.level->late)
			break;
		*carried = at_once;
	}
	bot_spec_release(&calm);
	free(ramp.overhead.list);
	free(ramp.answer.list);
	return n;
}
