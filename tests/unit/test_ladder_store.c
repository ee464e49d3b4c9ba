/* The ladder's store, settings and requests: facts go in whole or not at all. */
#include "arbiter/ladder/directory/requests.h"
#include "arbiter/ladder/run/plan.h"
#include "arbiter/ladder/rating/standings.h"
#include "arbiter/base/files.h"

#include <criterion/criterion.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ladder ladder;
static char folder[64];
static struct why why;

static void open_again(void)
{
	ladder_close(&ladder);
	cr_assert(ladder_open(&ladder, folder, LADDER_WRITE, &why), "%s", why.text);
}

static void setup(void)
{
	struct ladder_settings config;

	strcpy(folder, "/tmp/pigpen-test-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	ladder_settings_init(&config, game_find("dirty_pig"));
	strcpy(config.seed, "pigs");
	cr_assert(ladder_create(folder, &config, &why), "%s", why.text);
	cr_assert(ladder_open(&ladder, folder, LADDER_WRITE, &why), "%s", why.text);
}

static void teardown(void)
{
	ladder_close(&ladder);
	cr_assert(remove_tree(folder));
}

TestSuite(ladder_store, .init = setup, .fini = teardown);

static int64_t enter(const char *name, const char *hash)
{
	struct store_entrant e = {.state = ENTRANT_ACTIVE};

	snprintf(e.name, sizeof(e.name), "%s", name);
	snprintf(e.hash, sizeof(e.hash), "%s", hash);
	cr_assert(store_add_entrant(ladder.store, &e), "%s", store_why(ladder.store));
	return e.id;
}

/* Plans `count` sets of entrants 1 and 2. */
static void plan(int count)
{
	struct store_set sets[64];
	int64_t epoch = 0;

	memset(sets, 0, sizeof(sets));
	for (int i = 0; i < count; i++)
		sets[i] = (struct store_set){
			.seats = 2, .rotations = 2, .entrant = {1 + i % 2, 2 - i % 2}};
	cr_assert(store_next_epoch(ladder.store, &epoch));
	cr_assert(store_add_epoch(ladder.store, epoch, sets, count, NULL, 0), "%s",
		store_why(ladder.store));
}

/* Records in which the better seat follows from the set's number. */
static void fill_records(const struct store_set *set, struct match_record *records)
{
	memset(records, 0, 2 * sizeof(*records));
	for (int r = 0; r < 2; r++) {
		struct match_record *m = &records[r];
		int winner = (int)(set->id * 7 + r * 3) % 5 < 2;

		m->rotation = r;
		m->seats = 2;
		m->match_id = set->id * 10 + r;
		strcpy(m->reason, "target");
		for (int place = 0; place < 2; place++) {
			struct seat_record *seat = &m->seat[(place + r) % 2];

			seat->entrant = set->entrant[place];
			seat->team = -1;
			seat->rank = (place + r) % 2 == winner ? 1 : 2;
			seat->fault =
				set->id % 9 == 0 && place == 0 ? FAULT_CRASH : FAULT_NONE;
		}
	}
}

static bool complete(const struct store_set *set)
{
	struct match_record *records = calloc(2, sizeof(*records));
	bool ok;

	fill_records(set, records);
	ok = store_begin(ladder.store) &&
	     store_complete_set(ladder.store, set, records, 1) &&
	     store_commit(ladder.store);
	if (!ok)
		store_rollback(ladder.store);
	free(records);
	return ok;
}

static int64_t count_sets(enum set_state state)
{
	int64_t n = -1;

	cr_assert(store_count_sets(ladder.store, state, &n));
	return n;
}

Test(ladder_store, a_set_is_there_whole_or_not_at_all)
{
	struct store_set *sets;
	struct match_record *records = calloc(2, sizeof(*records));
	int count;

	enter("one", "aa");
	enter("two", "bb");
	plan(3);
	cr_assert(store_sets(ladder.store, SET_PLANNED, 0, &sets, &count));
	cr_assert_eq(count, 3);
	cr_assert(complete(&sets[0]));
	/* The second match has the id of one that is there already. */
	fill_records(&sets[1], records);
	records[1].match_id = sets[0].id * 10;
	cr_assert(store_begin(ladder.store));
	cr_assert_not(store_complete_set(ladder.store, &sets[1], records, 1));
	store_rollback(ladder.store);
	cr_assert_eq(count_sets(SET_COMPLETE), 1);
	open_again();
	cr_assert_eq(count_sets(SET_COMPLETE), 1);
	cr_assert_eq(count_sets(SET_PLANNED), 2);
	cr_assert(complete(&sets[1]));
	free(records);
	free(sets);
}

Test(ladder_store, a_complete_set_is_never_stored_again)
{
	struct store_set *sets;
	int count;

	enter("one", "aa");
	enter("two", "bb");
	plan(1);
	cr_assert(store_sets(ladder.store, SET_PLANNED, 0, &sets, &count));
	cr_assert(complete(&sets[0]));
	cr_assert_not(complete(&sets[0]));
	cr_assert(strstr(store_why(ladder.store), "is not planned") != NULL, "%s",
		store_why(ladder.store));
	free(sets);
}

static char *standings_text(void)
{
	struct standings standings;
	json_t *root, *matrix;
	char *text;

	cr_assert(standings_load(&standings, &ladder, &why), "%s", why.text);
	root = standings_json(&standings);
	matrix = standings_matrix_json(&standings);
	json_object_set_new(root, "matrix", matrix);
	text = json_dumps(root, JSON_REAL_PRECISION(17));
	json_decref(root);
	standings_release(&standings);
	return text;
}

Test(ladder_store, any_order_of_ingestion_gives_the_same_standings)
{
	char *text[2];

	for (int round = 0; round < 2; round++) {
		struct store_set *sets;
		int count;

		if (round) {
			teardown();
			setup();
		}
		enter("one", "aa");
		enter("two", "bb");
		plan(40);
		cr_assert(store_sets(ladder.store, SET_PLANNED, 0, &sets, &count));
		for (int i = 0; i < count; i++)
			cr_assert(complete(&sets[round ? (i * 17 + 5) % count : i]));
		text[round] = standings_text();
		free(sets);
	}
	cr_assert_str_eq(text[0], text[1]);
	cr_assert(strstr(text[0], "\"sets\": 40") != NULL, "%s", text[0]);
	free(text[0]);
	free(text[1]);
}

/* Each of 1, 2, 3 beats the next in all matches of ten sets. */
static void play_a_ring(void)
{
	struct store_set sets[30];
	struct match_record *records = calloc(2, sizeof(*records));

	memset(sets, 0, sizeof(sets));
	for (int i = 0; i < 30; i++)
		sets[i] = (struct store_set){.seats = 2,
			.rotations = 2,
			.entrant = {1 + i % 3, 1 + (i + 1) % 3}};
	cr_assert(store_add_epoch(ladder.store, 0, sets, 30, NULL, 0));
	for (int i = 0; i < 30; i++) {
		fill_records(&sets[i], records);
		for (int r = 0; r < 2; r++)
			for (int seat = 0; seat < 2; seat++)
				records[r].seat[seat].rank = seat == r ? 1 : 2;
		cr_assert(store_begin(ladder.store));
		cr_assert(store_complete_set(ladder.store, &sets[i], records, 1));
		cr_assert(store_commit(ladder.store));
	}
	free(records);
}

Test(ladder_store, rings_are_reported_once)
{
	struct standings s;

	enter("rock", "aa");
	enter("scissors", "bb");
	enter("paper", "cc");
	play_a_ring();
	cr_assert(standings_load(&s, &ladder, &why), "%s", why.text);
	cr_assert_eq(s.rings, 1);
	cr_expect_eq(s.ring[0].a, 0);
	cr_expect_eq(s.ring[0].b, 1);
	cr_expect_eq(s.ring[0].c, 2);
	cr_expect_eq(s.payoff[0 * 3 + 1].sets, 10);
	cr_expect_float_eq(s.payoff[0 * 3 + 1].score, 1, 1e-9);
	cr_expect_float_eq(s.payoff[1 * 3 + 0].score, 0, 1e-9);
	/* Nobody is better than anybody, and nobody is certain of it. */
	for (int i = 0; i < 3; i++)
		cr_expect_float_eq(s.list[i].rating.elo, 1000, 1);
	cr_expect_gt(standing_uncertainty(&s.list[1]), 1);
	standings_release(&s);
}

/* Equal scores in a few sets are no certainty. */
Test(ladder_store, a_few_draws_leave_a_doubt)
{
	struct standings s;
	struct store_set *sets;
	struct match_record *records = calloc(2, sizeof(*records));
	int count;

	enter("one", "aa");
	enter("two", "bb");
	plan(3);
	cr_assert(store_sets(ladder.store, SET_PLANNED, 0, &sets, &count));
	for (int i = 0; i < count; i++) {
		fill_records(&sets[i], records);
		for (int r = 0; r < 2; r++)
			for (int seat = 0; seat < 2; seat++)
				records[r].seat[seat].rank = 1;
		cr_assert(store_begin(ladder.store));
		cr_assert(store_complete_set(ladder.store, &sets[i], records, 1));
		cr_assert(store_commit(ladder.store));
	}
	cr_assert(standings_load(&s, &ladder, &why), "%s", why.text);
	cr_expect_float_eq(s.list[1].rating.elo, 1000, 1e-6);
	cr_expect_gt(standing_uncertainty(&s.list[1]), 50);
	standings_release(&s);
	free(records);
	free(sets);
}

static void execute(const char *path, const char *sql)
{
	sqlite3 *db;

	cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s",
		sqlite3_errmsg(db));
	sqlite3_close(db);
}

/* An entrant of the first schema is still there, and what came later has a place. */
static void migrate_from_first(const char *path)
{
	struct store_entrant late = {
		.name = "late", .hash = "bb", .owner = "ann", .remote = "a key"};
	struct store_entrant *list;
	struct store *store;
	int count;

	execute(path, "ALTER TABLE entrants DROP COLUMN remote;"
		      "ALTER TABLE entrants DROP COLUMN owner; PRAGMA user_version=1");
	cr_assert_null(store_open(path, false, &why));
	cr_assert(strstr(why.text, "`pigpen ladder run` migrates it"), "%s", why.text);
	store = store_open(path, true, &why);
	cr_assert_not_null(store, "%s", why.text);
	cr_assert(store_add_entrant(store, &late), "%s", store_why(store));
	cr_assert(store_entrants(store, &list, &count), "%s", store_why(store));
	cr_assert_eq(count, 2);
	cr_expect_str_eq(list[0].name, "early");
	cr_expect_str_empty(list[0].owner);
	cr_expect_str_empty(list[0].remote);
	cr_expect_str_eq(list[1].owner, "ann");
	cr_expect_str_eq(list[1].remote, "a key");
	free(list);
	store_close(&store);
}

Test(ladder_store, a_newer_schema_is_refused_and_an_old_one_is_migrated)
{
	char path[LADDER_PATH_MAX];
	struct store *store;

	enter("early", "aa");
	ladder_file(&ladder, "ladder.db", path);
	ladder_close(&ladder);
	migrate_from_first(path);
	execute(path, "PRAGMA user_version=99");
	store = store_open(path, true, &why);
	cr_assert_null(store);
	cr_assert(strstr(why.text, "use a newer pigpen") != NULL, "%s", why.text);

	unlink(path);
	cr_assert_null(store_open(path, false, &why));
	store = store_open(path, true, &why);
	cr_assert_not_null(store, "%s", why.text);
	store_close(&store);
	store = store_open(path, false, &why);
	cr_assert_not_null(store, "%s", why.text);
	store_close(&store);
	cr_assert(ladder_open(&ladder, folder, LADDER_WRITE, &why), "%s", why.text);
}

Test(ladder_store, only_one_process_writes)
{
	struct ladder second;

	cr_assert_not(ladder_open(&second, folder, LADDER_WRITE, &why));
	cr_assert(strstr(why.text, "is being run by another process") != NULL, "%s",
		why.text);
	cr_assert(ladder_open(&second, folder, LADDER_WRITE_TRY, &why), "%s", why.text);
	cr_assert_eq(second.lock, -1);
	ladder_close(&second);
}

static void post(const char *verb, const char *name, const char *hash)
{
	json_t *request = json_pack("{s:s,s:s,s:s,s:s}", "do", verb, "name", name, "hash",
		hash, "reason", "x");

	cr_assert(request_post(&ladder, request));
	json_decref(request);
}

Test(ladder_store, requests_are_applied_once_and_in_order)
{
	struct store_entrant *list;
	struct store_set *sets;
	int count;

	post("add", "one", "aa");
	post("add", "two", "bb");
	cr_assert(requests_apply(&ladder, NULL));
	plan(2);
	post("add", "one", "cc");
	post("bench", "two", "");
	post("dance", "two", "");
	cr_assert(requests_apply(&ladder, NULL));
	cr_assert(requests_apply(&ladder, NULL));
	cr_assert(store_entrants(ladder.store, &list, &count));
	cr_assert_eq(count, 3);
	cr_assert_eq(list[0].state, ENTRANT_REMOVED);
	cr_assert_str_eq(list[0].reason, "replaced by one@cc");
	cr_assert_eq(list[1].state, ENTRANT_BENCHED);
	cr_assert_eq(list[2].state, ENTRANT_ACTIVE);
	cr_assert_eq(entrant_by_name(list, count, "one"), &list[2]);
	cr_assert_eq(entrant_by_name(list, count, "one@aa"), &list[0]);
	cr_assert_null(entrant_by_name(list, count, "on"));
	free(list);
	/* What was planned for those who are gone is dropped. */
	cr_assert(store_sets(ladder.store, SET_DROPPED, 0, &sets, &count));
	cr_assert_eq(count, 2);
	free(sets);
}

Test(ladder_store, planning_is_a_function_of_the_store)
{
	char *text[2];

	for (int round = 0; round < 2; round++) {
		struct standings standings;
		struct store_set *sets;
		int planned = 0, count;
		size_t size = 0;
		FILE *out;

		if (round) {
			teardown();
			setup();
		}
		enter("one", "aa");
		enter("two", "bb");
		enter("three", "cc");
		out = open_memstream(&text[round], &size);
		for (int epoch = 0; epoch < 4; epoch++) {
			cr_assert(standings_load(&standings, &ladder, &why));
			cr_assert(plan_epoch(&ladder, &standings, &planned));
			cr_assert_gt(planned, 0);
			standings_release(&standings);
			cr_assert(
				store_sets(ladder.store, SET_PLANNED, 0, &sets, &count));
			cr_assert_eq(count, planned);
			for (int i = 0; i < count; i++) {
				fprintf(out, "%lld:%lld-%lld ", (long long)sets[i].id,
					(long long)sets[i].entrant[0],
					(long long)sets[i].entrant[1]);
				cr_assert(complete(&sets[round ? count - 1 - i : i]));
			}
			free(sets);
		}
		fclose(out);
	}
	cr_assert_str_eq(text[0], text[1]);
	free(text[0]);
	free(text[1]);
}

Test(ladder_store, benching_follows_the_share_of_faults)
{
	struct standings standings;
	struct store_set *sets;
	struct store_entrant *list;
	int count;

	enter("one", "aa");
	enter("two", "bb");
	plan(36);
	cr_assert(store_sets(ladder.store, SET_PLANNED, 0, &sets, &count));
	for (int i = 0; i < count; i++)
		cr_assert(complete(&sets[i]));
	free(sets);
	cr_assert(standings_load(&standings, &ladder, &why));
	/* Sets 9, 18, 27, 36: one fault of the first place in each match. */
	cr_assert_eq(standings.list[0].faults + standings.list[1].faults, 8);
	cr_assert_eq(standings.list[0].matches, 72);
	cr_assert(plan_bench(&ladder, &standings, NULL));
	cr_assert(store_entrants(ladder.store, &list, &count));
	cr_assert_eq(list[0].state, ENTRANT_ACTIVE);
	free(list);
	ladder.config.bench_share = 0.05;
	cr_assert(plan_bench(&ladder, &standings, NULL));
	cr_assert(store_entrants(ladder.store, &list, &count));
	cr_assert_eq(list[0].state, ENTRANT_BENCHED);
	cr_assert(strstr(list[0].reason, "of 72 matches") != NULL, "%s", list[0].reason);
	free(list);
	standings_release(&standings);
}

Test(ladder_config, says_what_is_wrong)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{"{\"format\": 2, \"game\": \"dirty_pig\"}", "format"},
		{"{\"format\": 1, \"game\": \"chess\"}", "\"game\" must be the id"},
		{"{\"format\": 1}", "\"game\" must be the id"},
		{"{\"format\": 1, \"game\": \"dirty_pig\", \"seats\": 9}",
			"must be from 2 to 4"},
		{"{\"format\": 1, \"game\": \"dirty_pig\", \"options\": {\"x\": \"1\"}}",
			"not an option"},
		{"{\"format\": 1, \"game\": \"dirty_pig\", \"clock\": \"soon\"}", ""},
		{"{\"format\": 1, \"game\": \"dirty_pig\", \"schedule\": \"swiss\"}",
			"one of adaptive, round_robin, gauntlet"},
		{"{\"format\": 1, \"game\": \"dirty_pig\", \"bench_share\": 2}",
			"a number from 0 to 1"},
		{"{\"format\": 1, \"game\": \"dirty_pig\", \"worker_mb\": \"1\"}",
			"worker_mb"},
		{"{\"format\": 1, \"game\": \"dirty_pig\", \"bots_mb\": -1}", "bots_mb"},
		{"{\"format\": 1, \"game\": \"dirty_pig\", \"admission_s\": 0}",
			"admission_s"},
		{"{\"format\": 1, \"game\": \"dirty_pig\", \"retries\": -1}", "retries"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ladder_settings config;
		json_t *object = json_loads(cases[i].text, 0, NULL);

		cr_assert_not_null(object);
		strcpy(why.text, "");
		cr_expect_not(
			ladder_settings_read(&config, object, &why), "%s", cases[i].text);
		cr_expect(strstr(why.text, cases[i].part) != NULL, "%s: %s",
			cases[i].text, why.text);
		cr_expect(*why.text, "%s: no reason", cases[i].text);
		json_decref(object);
	}
}
