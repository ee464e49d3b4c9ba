/* What `pigpen match` prints: result table, JSON, faults. */
#include "arbiter/cmd/match.h"
#include "arbiter/base/child.h"
#include "protocol/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <jansson.h>

static const char *const advice[] = {
	[FAULT_NONE] = "",
	[FAULT_TIMEOUT] =
		"answer within clock.move_ms of the question, or give more time with --clock",
	[FAULT_CRASH] = "look at its output",
	[FAULT_DISCONNECT] = "keep the connection open until `bye`",
	[FAULT_ILLEGAL] =
		"answer with an entry of `legal`; --retries N allows N illegal answers",
	[FAULT_MALFORMED] = "send one msgpack map as specs/protocol.md describes; "
			    "--trace-wire shows the bytes",
	[FAULT_OVERSIZE] = "keep to the limits of `welcome`",
	[FAULT_FLOOD] = "send one answer for each question",
	[FAULT_MEMORY] = "use less memory",
	[FAULT_STARTUP] = "start it by hand to see its error; it must connect to "
			  "PIGPEN_ENDPOINT and say hello with PIGPEN_TOKEN",
	[FAULT_ARBITER] = "this was not the bot's doing; play the match again",
};

void match_row_release(struct match_row *row, int seats)
{
	free(row->why_void);
	free(row->replay_path);
	for (int seat = 0; seat < seats; seat++)
		free(row->fault[seat]);
}

void match_print_fault(const struct match_options *options, int number, int seat,
	const struct match_row *row)
{
	const struct fault *fault = row->fault[seat];
	char status[96] = "", why[sizeof(fault->why)];

	utf8_show(text_of(fault->why), why, sizeof(why));
	if (fault->exit_status >= 0)
		child_status_text(fault->exit_status, status, sizeof(status));
	fprintf(stderr, "pigpen: match %d, seat %d (%s): %s: %s", number, seat,
		options->bot[seat].name, fault_names[fault->class], why);
	if (*status && !strstr(fault->why, status))
		fprintf(stderr, "; %s", status);
	if (fault->stderr_tail[0])
		fprintf(stderr, "; last line of its output: %s", fault->stderr_tail);
	fprintf(stderr, "; what to do: %s", advice[fault->class]);
	if (fault->class == FAULT_CRASH && options->keep_replays)
		fprintf(stderr, " in %s/logs, and at the decision in the replay",
			options->out);
	else if (fault->class == FAULT_CRASH)
		fputs(", which is kept without --no-replay", stderr);
	fputc('\n', stderr);
}

/* Sums over the matches, for one seat. */
struct total {
	int played, first, faults;
	double rank, score;
	uint64_t decisions;
	int64_t think_ns, think_ns_max;
};

static struct total total_of(
	const struct match_options *options, const struct match_rows *rows, int seat)
{
	struct total total = {0};

	for (int i = 0; i < options->matches; i++) {
		const struct match_row *row = &rows->row[i];

		total.decisions += row->decisions[seat];
		total.think_ns += row->think_ns[seat];
		if (row->think_ns_max[seat] > total.think_ns_max)
			total.think_ns_max = row->think_ns_max[seat];
		total.faults += row->fault[seat] != NULL;
		if (!row->played || row->is_void)
			continue;
		total.played++;
		total.first += row->result.rank[seat] == 1;
		total.rank += row->result.rank[seat];
		total.score += row->result.score[seat];
	}
	return total;
}

static void count_rows(const struct match_options *options, const struct match_rows *rows,
	int *played, int *voided)
{
	*played = *voided = 0;
	for (int i = 0; i < options->matches; i++) {
		*played += rows->row[i].played;
		*voided += rows->row[i].is_void;
	}
}

static void print_voids(
	const struct match_options *options, const struct match_rows *rows)
{
	for (int i = 0; i < options->matches; i++)
		if (rows->row[i].is_void)
			printf("match %d is void: %s\n", i, rows->row[i].why_void);
}

static void print_seat(
	const struct match_options *options, const struct match_rows *rows, int seat)
{
	struct total total = total_of(options, rows, seat);
	double played = total.played ? total.played : 1;
	double decisions = total.decisions ? (double)total.decisions : 1;

	printf("%4d  %-16.16s %6d %7.2f %9.2f %10llu %9.3f %9.3f %7d\n", seat,
		options->bot[seat].name, total.first, total.rank / played,
		total.score / played, (unsigned long long)total.decisions,
		(double)total.think_ns / decisions / 1e6,
		(double)total.think_ns_max / 1e6, total.faults);
}

void match_print_table(const struct match_options *options, const struct match_rows *rows)
{
	int played, voided;

	count_rows(options, rows, &played, &voided);
	printf("%s, %d of %d match%s, seed %s, %.2f s, %.0f decisions/s\n",
		options->rules.game->title, played, options->matches,
		options->matches == 1 ? "" : "es", options->seed_text, rows->seconds,
		(double)rows->decisions / rows->seconds);
	printf("%4s  %-16s %6s %7s %9s %10s %9s %9s %7s\n", "seat", "bot", "first",
		"rank", "score", "decisions", "mean ms", "worst ms", "faults");
	for (int seat = 0; seat < options->rules.seats; seat++)
		print_seat(options, rows, seat);
	print_voids(options, rows);
	if (options->matches == 1 && rows->row[0].played && !rows->row[0].is_void)
		printf("ended by: %s\n", rows->row[0].result.reason);
	if (options->matches == 1 && rows->row[0].replay_path)
		printf("replay: %s\n", rows->row[0].replay_path);
	else if (options->keep_replays)
		printf("replays: %s/\n", options->out);
}

static json_t *json_fault(const struct fault *fault, int seat)
{
	json_t *object = json_object();
	char hex[2 * FAULT_EVIDENCE_MAX + 1];

	for (size_t i = 0; i < fault->bytes_size; i++)
		snprintf(hex + 2 * i, 3, "%02x", fault->bytes[i]);
	hex[2 * fault->bytes_size] = 0;
	json_object_set_new(object, "seat", json_integer(seat));
	json_object_set_new(object, "class", json_string(fault_names[fault->class]));
	json_object_set_new(
		object, "phase", json_string(match_phase_names[fault->phase]));
	json_object_set_new(object, "turn", json_integer(fault->turn));
	json_object_set_new(object, "why", json_string(fault->why));
	json_object_set_new(object, "clause", json_string(fault->clause));
	json_object_set_new(object, "exit",
		fault->exit_status < 0 ? json_null() : json_integer(fault->exit_status));
	json_object_set_new(object, "stderr", json_string(fault->stderr_tail));
	json_object_set_new(object, "bytes", json_string(hex));
	json_object_set_new(
		object, "overrun_ms", json_real((double)fault->overrun_ns / 1e6));
	json_object_set_new(object, "lag_ms", json_real((double)fault->lag_ns / 1e6));
	return object;
}

static void add_result(json_t *object, const struct game_result *result, int seats)
{
	json_t *scores = json_array(), *ranks = json_array(), *teams = json_array();

	for (int seat = 0; seat < seats; seat++) {
		json_array_append_new(scores, json_integer(result->score[seat]));
		json_array_append_new(ranks, json_integer(result->rank[seat]));
		json_array_append_new(teams, json_integer(result->team[seat]));
	}
	json_object_set_new(object, "scores", scores);
	json_object_set_new(object, "ranks", ranks);
	json_object_set_new(object, "teams", teams);
	json_object_set_new(object, "reason", json_string(result->reason));
}

static json_t *json_row(const struct match_row *row, int number, int seats)
{
	json_t *object = json_object(), *faults = json_array(), *bots = json_array();

	json_object_set_new(object, "number", json_integer(number));
	json_object_set_new(object, "match", json_integer(row->match_id));
	json_object_set_new(
		object, "void", row->is_void ? json_string(row->why_void) : json_null());
	if (!row->is_void)
		add_result(object, &row->result, seats);
	for (int seat = 0; seat < seats; seat++) {
		json_t *bot = json_object();

		json_object_set_new(bot, "decisions", json_integer(row->decisions[seat]));
		json_object_set_new(bot, "dropped", json_integer(row->dropped[seat]));
		json_object_set_new(
			bot, "think_ms", json_real((double)row->think_ns[seat] / 1e6));
		json_object_set_new(bot, "think_ms_max",
			json_real((double)row->think_ns_max[seat] / 1e6));
		json_array_append_new(bots, bot);
		if (row->fault[seat])
			json_array_append_new(faults, json_fault(row->fault[seat], seat));
	}
	json_object_set_new(object, "bots", bots);
	json_object_set_new(object, "faults", faults);
	json_object_set_new(object, "replay",
		row->replay_path ? json_string(row->replay_path) : json_null());
	return object;
}

static json_t *json_bots(const struct match_options *options)
{
	json_t *bots = json_array();

	for (int seat = 0; seat < options->rules.seats; seat++) {
		const struct bot_spec *spec = &options->bot[seat];
		json_t *bot = json_object();

		json_object_set_new(bot, "name", json_string(spec->name));
		json_object_set_new(bot, "version", json_string(spec->version));
		json_object_set_new(bot, "hash", json_string(spec->hash));
		json_array_append_new(bots, bot);
	}
	return bots;
}

void match_print_json(const struct match_options *options, const struct match_rows *rows)
{
	json_t *root = json_object(), *matches = json_array();

	json_object_set_new(root, "game", json_string(options->rules.game->id));
	json_object_set_new(
		root, "rules", json_integer(options->rules.game->rules_version));
	json_object_set_new(root, "seats", json_integer(options->rules.seats));
	json_object_set_new(root, "seed", json_string(options->seed_text));
	json_object_set_new(root, "bots", json_bots(options));
	json_object_set_new(root, "sandbox", json_boolean(options->sandbox != NULL));
	json_object_set_new(
		root, "ponder", json_string(options->ponder_off ? "off" : "on"));
	json_object_set_new(root, "finished", json_boolean(rows->finished));
	json_object_set_new(root, "seconds", json_real(rows->seconds));
	json_object_set_new(root, "decisions", json_integer((json_int_t)rows->decisions));
	for (int i = 0; i < options->matches; i++)
		if (rows->row[i].played)
			json_array_append_new(matches,
				json_row(&rows->row[i], i, options->rules.seats));
	json_object_set_new(root, "matches", matches);
	json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	fputc('\n', stdout);
	json_decref(root);
}
