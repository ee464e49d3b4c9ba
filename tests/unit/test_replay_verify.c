/*
 * `verify` accepts what was played, in every variant, and nothing else: no changed byte,
 * no cut, and no forged file is taken for another match.
 */
#include "tests/unit/each_game.h"
#include "tests/unit/replay_maker.h"
#include "arbiter/tools/export.h"
#include "arbiter/replay/playback.h"
#include "protocol/utf8.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Reads the file to its end; `why` may be NULL. */
static enum playback_status prove(const char *path, char *why, int *decisions)
{
	struct playback_options options = {.prove = true};
	struct playback_step step = {0};
	enum playback_status status;
	struct why text;
	struct playback *p = playback_open(path, &options, &status, &text);

	while (p && (status = playback_next(p, &step)) == PLAYBACK_STEP)
		;
	if (decisions)
		*decisions = step.decision;
	if (why)
		utf8_format(why, 512, "%s", p ? playback_why(p) : text.text);
	playback_free(&p);
	return status;
}

static void accept_plan(const struct replay_plan *plan, const char *path)
{
	struct replay_made made;
	struct why why;
	char name[256];

	replay_make(plan, &made);
	replay_write(path, made.bytes, made.size);
	variant_name(plan->variant, name, sizeof(name));
	cr_assert_eq(prove(path, why.text, NULL), PLAYBACK_DONE, "%s, match %u: %s", name,
		plan->number, why.text);
	replay_made_release(&made);
}

static void accept_variant(
	const struct game *game, const struct variant *v, const char *path)
{
	for (unsigned i = 0; i < 3 * (unsigned)each_game_scale(); i++) {
		struct replay_plan plain = {
			.game = game, .variant = v, .number = i, .events = i % 2};
		struct replay_plan rich = replay_plan_rich(game, v, 100 + i);
		struct replay_plan whole = replay_plan_rich(game, v, 200 + i);

		whole.fault_at = 0;
		accept_plan(&plain, path);
		accept_plan(&rich, path);
		accept_plan(&whole, path);
		whole.abort_at = 10;
		accept_plan(&whole, path);
	}
}

static void run_accept(const struct game *game)
{
	const char *path = replay_file("accepted.replay");

	for (const struct variant *v = variants; v->game; v++)
		if (!strcmp(v->game, game->id))
			accept_variant(game, v, path);
}
EACH_GAME(accepts, run_accept)

/* Matches of each game that are long enough for everything and still small. */
static const struct variant small[] = {
	{"pig_pile", 3, "max_turns=12 rounds=3"},
	{"pig_it_hog_it", 4, "faults=penalty games=1 max_rounds=2"},
	{"galloping_pigs", 3, "food_on_track=true"},
	{"dirty_pig", 3, "max_turns=60"},
	{"tennessee_pig", 4, "faults=penalty max_hands=1"},
};

static const struct variant *small_variant(const struct game *game)
{
	for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++)
		if (!strcmp(small[i].game, game->id))
			return &small[i];
	cr_assert_fail("there is no small variant of %s", game->id);
	return NULL;
}

static void make_small(const struct game *game, unsigned number, struct replay_made *made)
{
	struct replay_plan plan = replay_plan_rich(game, small_variant(game), number);

	if (number % 2)
		plan.fault_at = 0;
	replay_make(&plan, made);
}

static void put_byte(int fd, size_t at, uint8_t byte)
{
	cr_assert_eq(pwrite(fd, &byte, 1, (off_t)at), 1);
}

static void change_bytes(
	const char *path, const struct replay_made *made, struct dice *dice, int count)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	for (int i = 0; i < count; i++) {
		size_t at = dice_below(dice, (uint32_t)made->size);
		uint8_t flip = (uint8_t)(1 + dice_below(dice, 255));
		struct why why;

		put_byte(fd, at, made->bytes[at] ^ flip);
		cr_assert_neq(prove(path, why.text, NULL), PLAYBACK_DONE,
			"byte %zu changed by %02x is accepted", at, flip);
		cr_assert_neq(*why.text, 0);
		put_byte(fd, at, made->bytes[at]);
	}
	cr_assert_eq(prove(path, NULL, NULL), PLAYBACK_DONE);
	close(fd);
}

static void cut_off(
	const char *path, const struct replay_made *made, struct dice *dice, int count)
{
	for (int i = 0; i < count; i++) {
		size_t size = dice_below(dice, (uint32_t)made->size);
		enum playback_status status;
		struct why why;

		replay_write(path, made->bytes, size);
		status = prove(path, why.text, NULL);
		cr_assert_eq(status, PLAYBACK_CUT, "%zu of %zu bytes: %d %s", size,
			made->size, status, why.text);
	}
	replay_write(path, made->bytes, made->size);
}

/* 2,500 for each game: 12,500 in all. */
static void run_reject(const struct game *game)
{
	struct dice dice = dice_named(game->id, 5);
	int scale = each_game_scale();

	for (unsigned number = 0; number < 5; number++) {
		char path[128];
		struct replay_made made;

		snprintf(path, sizeof(path), "%s", replay_file("rejected.replay"));
		make_small(game, number, &made);
		replay_write(path, made.bytes, made.size);
		change_bytes(path, &made, &dice, 400 * scale);
		cut_off(path, &made, &dice, 100 * scale);
		replay_made_release(&made);
	}
}
EACH_GAME(rejects, run_reject)

static char *canonical(const char *path)
{
	struct export_options options = {.canonical = true};
	struct why why;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	replay_export(path, &options, out, &why);
	fclose(out);
	return text;
}

/* From the steps to the result, without notes, which nothing can prove. */
static char *course(const char *path)
{
	char *text = canonical(path), *steps = strstr(text, "\"steps\""), *note;
	char *faults = strstr(steps, "\"faults\""), *result;

	cr_assert(steps && faults);
	result = strstr(faults, "\"result\"");
	memmove(faults, result, strlen(result) + 1);
	while ((note = strstr(steps, ",\"note\":"))) {
		char *end = strchr(note, '\n');

		memmove(note, end, strlen(end) + 1);
	}
	memmove(text, steps, strlen(steps) + 1);
	return text;
}

/* Compressed, a changed byte need not change the content; then it is the same match. */
static void run_compressed(const struct game *game)
{
	struct dice dice = dice_named(game->id, 6);
	struct replay_made made, packed = {0};
	char path[128], *truth;
	int fd, accepted = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s", replay_file("packed.replay"));
	make_small(game, 1, &made);
	replay_write(path, made.bytes, made.size);
	truth = course(path);
	cr_assert_eq(replay_compress(path, sizeof(path)), 0);
	cr_assert_eq(prove(path, NULL, NULL), PLAYBACK_DONE);
	packed.bytes = malloc(made.size);
	file = fopen(path, "r");
	packed.size = fread(packed.bytes, 1, made.size, file);
	fclose(file);
	cr_assert_lt(packed.size, made.size);
	cut_off(path, &packed, &dice, 50);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	for (int i = 0; i < 200; i++) {
		size_t at = dice_below(&dice, (uint32_t)packed.size);

		put_byte(
			fd, at, packed.bytes[at] ^ (uint8_t)(1 + dice_below(&dice, 255)));
		if (prove(path, NULL, NULL) == PLAYBACK_DONE) {
			char *found = course(path);

			cr_assert_str_eq(found, truth, "byte %zu", at);
			free(found);
			accepted++;
		}
		put_byte(fd, at, packed.bytes[at]);
	}
	cr_assert_lt(accepted, 5);
	close(fd);
	free(truth);
	replay_made_release(&made);
	replay_made_release(&packed);
}
EACH_GAME(compressed, run_compressed)

/*
 * Somebody changes a byte and computes the chain again. What follows from the rules and
 * the seed is found; what is accepted is the same match with other remarks or times.
 */
static void run_forged(const struct game *game)
{
	struct dice dice = dice_named(game->id, 7);
	int accepted = 0, forged = 0;

	for (unsigned number = 0; number < 2; number++) {
		char path[128], *truth;
		struct replay_made made;
		uint8_t *copy;

		snprintf(path, sizeof(path), "%s", replay_file("forged.replay"));
		make_small(game, number, &made);
		replay_write(path, made.bytes, made.size);
		truth = course(path);
		copy = malloc(made.size);
		for (int i = 0; i < 500 * each_game_scale(); i++) {
			size_t at = dice_below(&dice, (uint32_t)made.size);

			memcpy(copy, made.bytes, made.size);
			copy[at] ^= (uint8_t)(1 + dice_below(&dice, 255));
			if (!replay_rechain(copy, made.size) ||
				!memcmp(copy, made.bytes, made.size))
				continue;
			replay_write(path, copy, made.size);
			forged++;
			if (prove(path, NULL, NULL) == PLAYBACK_DONE) {
				char *found = course(path);

				accepted++;
				cr_assert_str_eq(found, truth, "byte %zu", at);
				free(found);
			}
		}
		free(copy);
		free(truth);
		replay_made_release(&made);
	}
	cr_assert_gt(forged, 500);
	cr_assert_lt(accepted, forged / 2);
}
EACH_GAME(forged, run_forged)

static size_t record_size(const uint8_t *record)
{
	return ((size_t)record[0] | (size_t)record[1] << 8 | (size_t)record[2] << 16) +
	       REPLAY_HEAD_SIZE + REPLAY_CHAIN_SIZE;
}

enum disorder { LEFT_OUT, DOUBLED, EXCHANGED, DISORDERS };

/* The match with a record left out, doubled, or exchanged with the next one; returns the
 * size. */
static size_t disturb(
	const struct replay_made *made, size_t at, enum disorder how, uint8_t *copy)
{
	size_t n = record_size(made->bytes + at);
	size_t next = at + n < made->size ? record_size(made->bytes + at + n) : 0;
	size_t rest = at + n + (how == EXCHANGED ? next : 0), used = at;

	memcpy(copy, made->bytes, at);
	if (how == EXCHANGED) {
		memcpy(copy + used, made->bytes + at + n, next);
		used += next;
	}
	for (int i = how == DOUBLED ? 2 : how == EXCHANGED; i > 0; i--) {
		memcpy(copy + used, made->bytes + at, n);
		used += n;
	}
	memcpy(copy + used, made->bytes + rest, made->size - rest);
	return used + made->size - rest;
}

/* Answers to one question to several seats have no order among each other. */
static bool are_actions(const struct replay_made *made, size_t at)
{
	size_t next = at + record_size(made->bytes + at);

	return next < made->size && made->bytes[at + 4] == REPLAY_ACTION &&
	       made->bytes[next + 4] == REPLAY_ACTION;
}

/* Only what proves nothing, such as a connection that was lost, may go or come twice. */
static void run_disordered(const struct game *game)
{
	int accepted = 0, tried = 0;
	char path[128], *truth;
	struct replay_made made;
	uint8_t *copy;

	snprintf(path, sizeof(path), "%s", replay_file("disordered.replay"));
	make_small(game, 0, &made);
	replay_write(path, made.bytes, made.size);
	truth = course(path);
	copy = malloc(2 * made.size);
	for (size_t at = REPLAY_MAGIC_SIZE; at < made.size;
		at += record_size(made.bytes + at))
		for (int how = 0; how < DISORDERS; how++) {
			size_t size = disturb(&made, at, (enum disorder)how, copy);

			if (how == EXCHANGED && are_actions(&made, at))
				continue;
			cr_assert(replay_rechain(copy, size));
			replay_write(path, copy, size);
			tried++;
			if (prove(path, NULL, NULL) == PLAYBACK_DONE) {
				char *found = course(path);

				accepted++;
				cr_assert_str_eq(found, truth, "byte %zu, %d", at, how);
				free(found);
			}
		}
	free(copy);
	free(truth);
	replay_made_release(&made);
	fprintf(stderr, "note: %s: %d of %d accepted\n", game->id, accepted, tried);
	cr_assert_gt(tried, 60);
	cr_assert_lt(accepted, tried / 5);
}
EACH_GAME(disordered, run_disordered)

static size_t find(const struct replay_made *made, const void *bytes, size_t size)
{
	const uint8_t *at = memmem(made->bytes, made->size, bytes, size);

	cr_assert(at);
	return (size_t)(at - made->bytes);
}

/* A byte of the file is replaced, the chain made right, and the file is proved. */
static enum playback_status prove_with(
	struct replay_made *made, size_t at, uint8_t byte, char *why)
{
	uint8_t kept = made->bytes[at];
	enum playback_status status;
	char path[128];

	snprintf(path, sizeof(path), "%s", replay_file("with.replay"));
	made->bytes[at] = byte;
	cr_assert(replay_rechain(made->bytes, made->size));
	replay_write(path, made->bytes, made->size);
	status = prove(path, why, NULL);
	made->bytes[at] = kept;
	cr_assert(replay_rechain(made->bytes, made->size));
	return status;
}

Test(verify, names_another_rules_version_as_such)
{
	struct replay_made made;
	struct why why;
	size_t at;

	make_small(game_find("dirty_pig"), 1, &made);
	at = find(&made, "\xa5rules\x01", 7) + 6;
	cr_assert_eq(prove_with(&made, at, 2, why.text), PLAYBACK_OTHER);
	cr_assert(
		strstr(why.text, "version 2 of the rules of dirty_pig"), "%s", why.text);
	cr_assert_eq(prove_with(&made, at, 0, why.text), PLAYBACK_OTHER);
	cr_assert(strstr(why.text, "version 0"), "%s", why.text);
	at = find(&made,
		     "\xa9"
		     "dirty_pig",
		     10) +
	     1;
	cr_assert_eq(prove_with(&made, at, 'g', why.text), PLAYBACK_OTHER);
	cr_assert(strstr(why.text, "no game 'girty_pig'"), "%s", why.text);
	replay_made_release(&made);
}

Test(verify, names_a_newer_format)
{
	struct replay_made made;
	struct why why;

	make_small(game_find("dirty_pig"), 1, &made);
	made.bytes[14] = '2';
	replay_write(replay_file("newer.replay"), made.bytes, made.size);
	cr_assert_eq(prove(replay_file("newer.replay"), why.text, NULL), PLAYBACK_OTHER);
	cr_assert(strstr(why.text, "format 2"), "%s", why.text);
	made.bytes[14] = '1';
	cr_assert_eq(prove_with(&made,
			     find(&made,
				     "\xa6"
				     "format\x01",
				     8) +
				     7,
			     3, why.text),
		PLAYBACK_OTHER);
	cr_assert(strstr(why.text, "format 3"), "%s", why.text);
	replay_made_release(&made);
}

Test(verify, names_what_is_wrong)
{
	struct replay_made made;
	struct why why;
	size_t at;

	make_small(game_find("dirty_pig"), 1, &made);
	at = find(&made, made.nonce, sizeof(made.nonce));
	cr_assert_eq(prove_with(&made, at, 0, why.text), PLAYBACK_WRONG);
	cr_assert(strstr(why.text, "do not give the commitment"), "%s", why.text);
	cr_assert(strstr(why.text, "record ") && strstr(why.text, " at byte "),
		"where it is: %s", why.text);
	at = find(&made, made.rng[1], CHANCE_RNG_SIZE);
	cr_assert_eq(prove_with(&made, at, (uint8_t)~made.rng[1][0], why.text),
		PLAYBACK_WRONG);
	cr_assert(strstr(why.text, "the `match` to seat 1 is not what was sent"), "%s",
		why.text);
	at = find(&made, "\xa6scores", 7) + 8;
	cr_assert_eq(prove_with(&made, at, 9, why.text), PLAYBACK_WRONG);
	cr_assert(strstr(why.text, "recorded is 9"), "%s", why.text);
	replay_made_release(&made);
}

/* The orders are those of the match, but not those of the seed it names. */
static void reversed(void *context, const struct chance *request, uint8_t *order)
{
	(void)context;
	for (int i = 0; i < request->n; i++)
		order[i] = request->token[request->n - 1 - i];
}

Test(verify, compares_orders_with_the_seed)
{
	const struct game *game = game_find("dirty_pig");
	struct replay_plan plan = replay_plan_rich(game, small_variant(game), 1);
	struct replay_made made;
	struct why why;

	plan.order = reversed;
	replay_make(&plan, &made);
	replay_write(replay_file("orders.replay"), made.bytes, made.size);
	cr_assert_eq(prove(replay_file("orders.replay"), why.text, NULL), PLAYBACK_WRONG);
	cr_assert(strstr(why.text, "'deal 0' does not follow from the seed"), "%s",
		why.text);
	replay_made_release(&made);
}

/* Nothing else is wrong with the match: the seat was really sent that seed. */
Test(verify, compares_the_seats_own_seeds_with_the_seed)
{
	const struct game *game = game_find("dirty_pig");
	struct replay_plan plan = replay_plan_rich(game, small_variant(game), 1);
	struct replay_made made;
	struct why why;

	plan.own_seed = 1 + 1;
	replay_make(&plan, &made);
	replay_write(replay_file("seeds.replay"), made.bytes, made.size);
	cr_assert_eq(prove(replay_file("seeds.replay"), why.text, NULL), PLAYBACK_WRONG);
	cr_assert(strstr(why.text, "seat 1's own seed does not follow from the match's"),
		"%s", why.text);
	replay_made_release(&made);
}

Test(verify, says_where_a_cut_file_stops_and_gives_what_is_whole)
{
	struct replay_made made;
	struct why why;
	char place[64];
	int all, part;

	make_small(game_find("dirty_pig"), 1, &made);
	replay_write(replay_file("cut.replay"), made.bytes, made.size);
	prove(replay_file("cut.replay"), why.text, &all);
	replay_write(replay_file("cut.replay"), made.bytes, made.size / 2);
	cr_assert_eq(prove(replay_file("cut.replay"), why.text, &part), PLAYBACK_CUT);
	snprintf(place, sizeof(place), "ends at byte %zu", made.size / 2);
	cr_assert(strstr(why.text, place), "%s", why.text);
	cr_assert(part > all / 3 && part < all, "%d of %d", part, all);
	replay_made_release(&made);
}

Test(verify, finds_what_stands_behind_the_seal)
{
	struct replay_made made;
	struct why why;

	make_small(game_find("dirty_pig"), 1, &made);
	made.bytes = realloc(made.bytes, made.size + 30);
	memset(made.bytes + made.size, 0, 30);
	replay_write(replay_file("behind.replay"), made.bytes, made.size + 30);
	cr_assert_eq(prove(replay_file("behind.replay"), why.text, NULL), PLAYBACK_WRONG);
	cr_assert(strstr(why.text, "behind the seal"), "%s", why.text);
	/* Fewer bytes than the head of a record. */
	replay_write(replay_file("behind.replay"), made.bytes, made.size + 1);
	cr_assert_neq(prove(replay_file("behind.replay"), why.text, NULL), PLAYBACK_DONE);
	replay_made_release(&made);
}

Test(verify, reads_no_replay_where_there_is_none)
{
	struct why why;

	cr_assert_eq(prove(replay_file("none"), why.text, NULL), PLAYBACK_UNREADABLE);
	cr_assert_eq(prove("/tmp", why.text, NULL), PLAYBACK_UNREADABLE);
	replay_write(replay_file("empty"), (const uint8_t *)"", 0);
	cr_assert_eq(prove(replay_file("empty"), why.text, NULL), PLAYBACK_CUT);
	replay_write(replay_file("text"), (const uint8_t *)"hello, this is text", 19);
	cr_assert_eq(prove(replay_file("text"), why.text, NULL), PLAYBACK_WRONG);
	cr_assert(strstr(why.text, "not a pigpen replay"), "%s", why.text);
}
