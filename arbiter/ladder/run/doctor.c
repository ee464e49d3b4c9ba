/* `pigpen ladder doctor`: checks the store and every replay against each other. */
#include "arbiter/ladder/run/doctor.h"
#include "arbiter/replay/reader.h"
#include "arbiter/replay/records.h"
#include "protocol/memory.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sodium.h>

struct doctor {
	struct ladder *ladder;
	FILE *out;
	struct doctor_report report;
	struct store_entrant *entrants;
	int entrant_count;
	struct store_set *sets; /* complete ones, by id */
	int set_count;
	int *matches; /* seen of each set */
	char **known; /* replays named by the store, sorted by construction */
	size_t known_count, known_capacity;
	bool has_key;
};

__attribute__((format(printf, 2, 3))) static void problem(
	struct doctor *doctor, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(doctor->out, format, args);
	va_end(args);
	fputc('\n', doctor->out);
	doctor->report.problems++;
}

static int find_set(const struct doctor *doctor, int64_t id)
{
	int low = 0, high = doctor->set_count;

	while (low < high) {
		int middle = (low + high) / 2;

		if (doctor->sets[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < doctor->set_count && doctor->sets[low].id == id ? low : -1;
}

/* What one replay says about its match. */
struct testimony {
	struct replay_info info;
	bool has_info, has_result, has_seal;
	bool is_void;
	struct game_result result;
	uint8_t seed[CHANCE_SEED_SIZE];
	uint8_t chain[REPLAY_CHAIN_SIZE];
};

static const char *take_record(
	struct testimony *testimony, const struct replay_record *record)
{
	struct replay_ended ended;
	struct replay_sealed sealed;
	const char *wrong = NULL;

	memcpy(testimony->chain, record->chain, sizeof(testimony->chain));
	switch (record->type) {
	case REPLAY_HEADER:
		wrong = replay_parse_header(record->payload, &testimony->info);
		testimony->has_info = !wrong;
		break;
	case REPLAY_RESULT:
		wrong = replay_parse_result(
			record->payload, testimony->info.setup.seats, &ended);
		testimony->has_result = !wrong;
		if (!wrong) {
			testimony->is_void = ended.is_void;
			testimony->result = ended.result;
		}
		break;
	case REPLAY_SEAL:
		wrong = replay_parse_seal(record->payload, &sealed);
		testimony->has_seal = !wrong;
		if (!wrong)
			memcpy(testimony->seed, sealed.seed, sizeof(testimony->seed));
		break;
	default:
		break;
	}
	return wrong;
}

/* False: the file is not a whole replay, and `why` says so. */
static bool hear(const char *path, struct testimony *testimony, struct why *why)
{
	struct replay_reader *reader = replay_reader_open(path, why);
	struct replay_record record;
	enum replay_status status;
	const char *wrong = NULL;

	if (!reader)
		return false;
	while (!wrong && (status = replay_reader_next(reader, &record)) == REPLAY_RECORD)
		wrong = take_record(testimony, &record);
	if (wrong)
		why_set(why, "%s", wrong);
	else if (status != REPLAY_DONE)
		why_set(why, "%s", replay_reader_why(reader));
	replay_reader_free(&reader);
	return !wrong && status == REPLAY_DONE && testimony->has_info &&
	       testimony->has_result && testimony->has_seal;
}

static const char *seats_wrong(const struct doctor *doctor,
	const struct testimony *testimony, const struct match_record *record)
{
	for (int i = 0; i < record->seats; i++) {
		const struct seat_record *seat = &record->seat[i];

		if (seat->entrant < 1 || seat->entrant > doctor->entrant_count)
			return "the store names an entrant that it does not have";
		if (strcmp(doctor->entrants[seat->entrant - 1].hash,
			    testimony->info.player[i].hash))
			return "it was played by another version or in other seats";
		if (seat->score != testimony->result.score[i] ||
			seat->rank != testimony->result.rank[i])
			return "the store has another result";
	}
	return NULL;
}

/* Where a remote bot plays, every match has a deal of its own. */
static bool has_remote(const struct doctor *doctor, const struct match_record *record)
{
	for (int i = 0; i < record->seats; i++) {
		int64_t entrant = record->seat[i].entrant;

		if (entrant >= 1 && entrant <= doctor->entrant_count &&
			*doctor->entrants[entrant - 1].remote)
			return true;
	}
	return false;
}

static const char *testimony_wrong(const struct doctor *doctor,
	const struct testimony *testimony, int64_t set, const struct match_record *record)
{
	const struct match_rules *rules = &doctor->ladder->config.rules;
	uint8_t seed[CHANCE_SEED_SIZE];

	if (!record->has_chain ||
		memcmp(record->chain, testimony->chain, sizeof(testimony->chain)))
		return "its last chain hash is not the one in the store";
	if (testimony->info.setup.game != rules->game ||
		testimony->info.setup.seats != rules->seats ||
		testimony->info.setup.match_id != record->match_id)
		return "it is another match";
	if (testimony->is_void)
		return "it says that the match was void";
	ladder_set_seed(doctor->ladder, set, seed);
	if (doctor->has_key && !has_remote(doctor, record) &&
		memcmp(seed, testimony->seed, sizeof(seed)))
		return "it was not dealt from the set's seed";
	return seats_wrong(doctor, testimony, record);
}

static void remember(struct doctor *doctor, const char *name)
{
	doctor->known = xgrow(doctor->known, doctor->known_count, &doctor->known_capacity,
		sizeof(*doctor->known));
	doctor->known[doctor->known_count++] = xstrdup(name);
}

static void check_replay(
	struct doctor *doctor, int64_t set, const struct match_record *record)
{
	struct testimony *testimony = xcalloc(1, sizeof(*testimony));
	char path[LADDER_PATH_MAX];
	struct why why = {"it is incomplete"};
	const char *wrong = NULL;

	doctor->report.replays++;
	remember(doctor, record->replay);
	ladder_file(doctor->ladder, record->replay, path);
	if (!hear(path, testimony, &why))
		wrong = why.text;
	else
		wrong = testimony_wrong(doctor, testimony, set, record);
	if (wrong)
		problem(doctor, "%s: %s", record->replay, wrong);
	free(testimony);
}

static void check_match(void *context, int64_t set, const struct match_record *record)
{
	struct doctor *doctor = context;
	int index = find_set(doctor, set);
	const struct store_set *s = index < 0 ? NULL : &doctor->sets[index];

	doctor->report.matches++;
	if (!s) {
		problem(doctor, "set %lld is not complete but has a match",
			(long long)set);
		return;
	}
	doctor->matches[index]++;
	if (record->seats != s->seats || record->rotation >= s->rotations)
		problem(doctor, "set %lld, rotation %d: %d of %d seats", (long long)set,
			record->rotation, record->seats, s->seats);
	else
		for (int place = 0; place < s->seats; place++)
			if (record->seat[(place + record->rotation) % s->seats].entrant !=
				s->entrant[place])
				problem(doctor,
					"set %lld, rotation %d: place %d sits elsewhere",
					(long long)set, record->rotation, place);
	if (*record->replay)
		check_replay(doctor, set, record);
}

static int compare_names(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Does the file belong to a set that a run is storing at this moment, or has stored
 * since we read the store? A killed run may also leave files of planned sets, which the
 * next run removes. */
static bool on_its_way(const struct doctor *doctor, const char *name)
{
	const char *slash = strrchr(name, '/');
	int64_t set = strtoll(slash + 1, NULL, 10);

	if (find_set(doctor, set) >= 0)
		return false;
	for (int state = SET_PLANNED; state <= SET_COMPLETE; state++) {
		struct store_set *sets;
		int count;
		bool found = false;

		store_sets(
			doctor->ladder->store, (enum set_state)state, 0, &sets, &count);
		for (int i = 0; i < count; i++)
			found |= sets[i].id == set;
		free(sets);
		if (found)
			return true;
	}
	return false;
}

/* Every file under replays/ must be one that the store names. */
static void check_folder(struct doctor *doctor, const char *name, int depth)
{
	char path[LADDER_PATH_MAX], below[600];
	struct dirent **entries;
	int n;

	ladder_file(doctor->ladder, name, path);
	n = scandir(path, &entries, visible, alphasort);
	for (int i = 0; i < n; i++) {
		const char *key = below;

		snprintf(below, sizeof(below), "%s/%s", name, entries[i]->d_name);
		if (depth == 0)
			check_folder(doctor, below, 1);
		else if (!bsearch(&key, doctor->known, doctor->known_count,
				 sizeof(*doctor->known), compare_names) &&
			 !on_its_way(doctor, below))
			problem(doctor, "%s: it is not in the store", below);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static bool load(struct doctor *doctor)
{
	struct store *store = doctor->ladder->store;

	if (!store_entrants(store, &doctor->entrants, &doctor->entrant_count) ||
		!store_sets(store, SET_COMPLETE, 0, &doctor->sets, &doctor->set_count))
		return false;
	doctor->matches = xcalloc((size_t)doctor->set_count + 1, sizeof(int));
	return true;
}

static void examine(struct doctor *doctor)
{
	struct store *store = doctor->ladder->store;
	bool ok;

	if (!store_integrity(store))
		problem(doctor, "%s", store_why(store));
	ok = store_snapshot(store);
	if (ok) {
		ok = load(doctor) && store_each_match(store, check_match, doctor);
		store_snapshot_end(store);
	}
	if (!ok) {
		problem(doctor, "%s", store_why(store));
		return;
	}
	doctor->report.sets = doctor->set_count;
	for (int i = 0; i < doctor->set_count; i++)
		if (doctor->matches[i] != doctor->sets[i].rotations)
			problem(doctor, "set %lld has %d of %d matches",
				(long long)doctor->sets[i].id, doctor->matches[i],
				doctor->sets[i].rotations);
	if (doctor->known_count)
		qsort(doctor->known, doctor->known_count, sizeof(*doctor->known),
			compare_names);
	check_folder(doctor, "replays", 0);
}

struct doctor_report ladder_doctor(struct ladder *ladder, FILE *out)
{
	struct doctor doctor = {.ladder = ladder, .out = out};
	struct why why;

	doctor.has_key = ladder_read_key(ladder, &why);
	if (!doctor.has_key)
		problem(&doctor, "%s", why.text);
	examine(&doctor);
	for (size_t i = 0; i < doctor.known_count; i++)
		free(doctor.known[i]);
	free(doctor.known);
	free(doctor.entrants);
	free(doctor.sets);
	free(doctor.matches);
	return doctor.report;
}
