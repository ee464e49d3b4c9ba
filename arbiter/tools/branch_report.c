/* The outcomes of the choices, as text and as JSON. */
#include "arbiter/tools/branch.h"
#include "arbiter/replay/json_parts.h"
#include "arbiter/table/notation.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <math.h>
#include <stdlib.h>

#define NORMAL_95 1.96

struct branch_mean branch_mean_of(const double *value, int n)
{
	struct branch_mean mean = {0, NAN};
	double squares = 0;

	for (int i = 0; i < n; i++)
		mean.mean += value[i] / n;
	for (int i = 0; i < n; i++)
		squares += (value[i] - mean.mean) * (value[i] - mean.mean);
	if (n > 1)
		mean.error = NORMAL_95 * sqrt(squares / (n - 1) / n);
	return mean;
}

double branch_win(const struct game_result *result, int seats, int seat)
{
	int sides = 0;

	if (result->rank[seat] != 1)
		return 0;
	for (int a = 0; a < seats; a++) {
		bool counted = false;

		for (int b = 0; b < a; b++)
			counted |= result->rank[b] == 1 && result->team[a] >= 0 &&
				   result->team[b] == result->team[a];
		sides += result->rank[a] == 1 && !counted;
	}
	return 1.0 / sides;
}

void branch_interval(double share, int n, double *low, double *high)
{
	double z2 = NORMAL_95 * NORMAL_95, whole = 1 + z2 / n;
	double middle = (share + z2 / (2.0 * n)) / whole;
	double half =
		NORMAL_95 / whole * sqrt(share * (1 - share) / n + z2 / (4.0 * n * n));

	*low = middle - half > 0 ? middle - half : 0;
	*high = middle + half < 1 ? middle + half : 1;
}

/* What is measured of an outcome, for the seat whose decision it was. */
enum measure { MEASURE_RANK, MEASURE_WINS, MEASURE_SCORE, MEASURES };
static const char *const measure_names[] = {"rank", "wins", "score"};

static double measure(const struct branch *branch, const struct branch_outcome *outcome,
	enum measure what)
{
	int seat = branch->point->seat;

	switch (what) {
	case MEASURE_RANK:
		return outcome->result.rank[seat];
	case MEASURE_WINS:
		return branch_win(
			&outcome->result, branch->point->info.setup.seats, seat);
	default:
		return outcome->result.score[seat];
	}
}

/* An outcome caused by a fault says nothing about the choice. */
static bool counts(const struct branch_outcome *outcome)
{
	return outcome->played && !outcome->faulted;
}

/* Means over the worlds that count; with `base`, of the differences from it, world by
 * world. Returns the number of worlds. */
static int sum_up(const struct branch *branch, const struct branch_choice *choice,
	const struct branch_choice *base, enum measure what, struct branch_mean *mean)
{
	double *value = xcalloc((size_t)branch->worlds, sizeof(*value));
	int n = 0;

	for (int i = 0; i < branch->worlds; i++) {
		if (!counts(&choice->outcome[i]) || (base && !counts(&base->outcome[i])))
			continue;
		value[n] = measure(branch, &choice->outcome[i], what);
		if (base)
			value[n] -= measure(branch, &base->outcome[i], what);
		n++;
	}
	*mean = branch_mean_of(value, n);
	free(value);
	return n;
}

/* What the bot itself decided most often, and in how many worlds. */
static int favourite(const struct branch *branch, const struct branch_choice *choice,
	struct action *action)
{
	int most = 0;

	for (int i = 0; i < branch->worlds; i++) {
		int same = 0;

		for (int j = 0; j < branch->worlds; j++)
			same += choice->outcome[i].opened && choice->outcome[j].opened &&
				action_equal(&choice->outcome[i].opening,
					&choice->outcome[j].opening);
		if (same > most) {
			most = same;
			*action = choice->outcome[i].opening;
		}
	}
	return most;
}

static void label(const struct branch *branch, const struct branch_choice *choice,
	char *text, size_t size)
{
	const struct game *game = branch->point->info.setup.game;
	struct action action = choice->action;
	char move[NOTATION_MAX];
	int most = choice->kind == BRANCH_OWN ? favourite(branch, choice, &action) : 0;

	notation_action(game, &action, move, sizeof(move));
	if (choice->kind == BRANCH_RECORDED)
		utf8_format(text, size, "%s (recorded)", move);
	else if (choice->kind == BRANCH_LEGAL)
		utf8_format(text, size, "%s", move);
	else if (!most)
		snprintf(text, size, "the bot's own");
	else if (most == branch->worlds)
		utf8_format(text, size, "%s (the bot's own)", move);
	else
		utf8_format(text, size, "%s in %d of %d (the bot's own)", move, most,
			branch->worlds);
}

/* "1.75 ± 0.34", in a column of `width`. */
static void print_mean(FILE *out, const char *format, struct branch_mean mean, int width)
{
	char text[64];
	int n = snprintf(text, sizeof(text), format, mean.mean);

	if (!isnan(mean.error))
		snprintf(text + n, sizeof(text) - (size_t)n, " ± %.2f", mean.error);
	/* The sign ± takes one column but two bytes. */
	fprintf(out, "  %-*s", width && !isnan(mean.error) ? width + 1 : width, text);
}

static void print_choice(
	const struct branch *branch, const struct branch_choice *choice, FILE *out)
{
	struct branch_mean rank, wins, score;
	int n = sum_up(branch, choice, NULL, MEASURE_RANK, &rank);
	double low, high;
	char text[320], interval[32] = "";

	label(branch, choice, text, sizeof(text));
	fprintf(out, "%-40s", text);
	if (!n) {
		fputs("  not played without a fault\n", out);
		return;
	}
	sum_up(branch, choice, NULL, MEASURE_WINS, &wins);
	sum_up(branch, choice, NULL, MEASURE_SCORE, &score);
	print_mean(out, "%.2f", rank, 15);
	branch_interval(wins.mean, n, &low, &high);
	if (n > 1)
		snprintf(interval, sizeof(interval), " [%.2f, %.2f]", low, high);
	fprintf(out, "  %.2f%-15s", wins.mean, interval);
	print_mean(out, "%.2f", score, choice->kind == BRANCH_RECORDED ? 0 : 15);
	if (choice->kind != BRANCH_RECORDED) {
		sum_up(branch, choice, &branch->choice[0], MEASURE_RANK, &rank);
		sum_up(branch, choice, &branch->choice[0], MEASURE_WINS, &wins);
		print_mean(out, "%+.2f", rank, 15);
		print_mean(out, "%+.2f", wins, 0);
	}
	fputc('\n', out);
}

static void print_head(const struct branch *branch, FILE *out)
{
	const struct branch_point *point = branch->point;
	const struct branch_options *options = &branch->options;
	const struct game *game = point->info.setup.game;
	char move[NOTATION_MAX];

	notation_action(
		game, &point->script[point->decision - 1].action, move, sizeof(move));
	fprintf(out, "%s, decision %d of %d: seat %d (%s) did: %s\n", game->title,
		point->decision, point->decisions, point->seat,
		point->info.player[point->seat].name, move);
	if (point->has_result)
		fprintf(out, "recorded outcome: rank %d, score %d\n",
			point->result.rank[point->seat],
			point->result.score[point->seat]);
	if (options->worlds)
		fprintf(out, "played on in %d worlds drawn from what it knew (seed %s)",
			branch->worlds, options->seed);
	else
		fputs("played on in the true world", out);
	fprintf(out, "; seat %d: %s, the others: %s\n\n", point->seat, options->bot->name,
		options->others->name);
}

/* The best first: by rank, then by score. */
static int compare(const void *a, const void *b, void *branch)
{
	const struct branch_choice *const *x = a, *const *y = b;
	struct branch_mean rank[2], score[2];

	sum_up(branch, *x, NULL, MEASURE_RANK, &rank[0]);
	sum_up(branch, *y, NULL, MEASURE_RANK, &rank[1]);
	if (rank[0].mean != rank[1].mean)
		return rank[0].mean < rank[1].mean ? -1 : 1;
	sum_up(branch, *x, NULL, MEASURE_SCORE, &score[0]);
	sum_up(branch, *y, NULL, MEASURE_SCORE, &score[1]);
	return (score[0].mean < score[1].mean) - (score[0].mean > score[1].mean);
}

/* The recorded choice first, then the others from best to worst. */
static void print_choices(const struct branch *branch, FILE *out)
{
	const struct branch_choice *order[GAME_LEGAL_MAX + 2];

	for (int i = 0; i < branch->count; i++)
		order[i] = &branch->choice[i];
	qsort_r(order + 1, (size_t)branch->count - 1, sizeof(order[0]), compare,
		(void *)branch);
	for (int i = 0; i < branch->count; i++)
		print_choice(branch, order[i], out);
}

void branch_print_text(const struct branch *branch, FILE *out)
{
	print_head(branch, out);
	fprintf(out, "%-40s  %-15s  %-19s  %-15s  %s\n", "choice", "rank", "wins (95 %)",
		"score", "rank and wins against the recorded choice");
	print_choices(branch, out);
	if (branch->first_fault[0])
		fprintf(out, "\nfaults in %d matches, the first: %s\n", branch->faults,
			branch->first_fault);
	if (!branch->finished)
		fputs("\nnot all matches were played\n", out);
}

static void set_mean(json_t *json, const char *name, struct branch_mean mean)
{
	char key[32];

	replay_json_set(json, name, json_real(mean.mean));
	if (isnan(mean.error))
		return;
	snprintf(key, sizeof(key), "%s_error", name);
	replay_json_set(json, key, json_real(mean.error));
}

static json_t *means_json(const struct branch *branch, const struct branch_choice *choice,
	const struct branch_choice *base)
{
	json_t *json = json_object();
	struct branch_mean mean;

	for (int what = 0; what < MEASURES; what++)
		if (sum_up(branch, choice, base, (enum measure)what, &mean))
			set_mean(json, measure_names[what], mean);
	return json;
}

static json_t *outcome_json(const struct branch *branch,
	const struct branch_choice *choice, const struct branch_outcome *outcome)
{
	const struct game *game = branch->point->info.setup.game;
	json_t *json = json_object(), *ranks = json_array(), *scores = json_array();

	for (int i = 0; i < branch->point->info.setup.seats; i++) {
		json_array_append_new(ranks, json_integer(outcome->result.rank[i]));
		json_array_append_new(scores, json_integer(outcome->result.score[i]));
	}
	replay_json_set(json, "ranks", ranks);
	replay_json_set(json, "scores", scores);
	if (choice->kind == BRANCH_OWN && outcome->opened)
		replay_json_set(
			json, "action", replay_json_action(game, &outcome->opening));
	if (outcome->faulted)
		replay_json_set(json, "faulted", json_true());
	return json;
}

static json_t *choice_json(
	const struct branch *branch, const struct branch_choice *choice)
{
	json_t *json = json_object(), *list = json_array();
	struct branch_mean wins;
	double low, high;
	int n = sum_up(branch, choice, NULL, MEASURE_WINS, &wins);

	replay_json_set(json, "choice", json_string(branch_kind_names[choice->kind]));
	if (choice->kind != BRANCH_OWN)
		replay_json_set(json, "action",
			replay_json_action(
				branch->point->info.setup.game, &choice->action));
	replay_json_set(json, "mean", means_json(branch, choice, NULL));
	if (n) {
		branch_interval(wins.mean, n, &low, &high);
		replay_json_set(json, "wins_interval", json_pack("[f, f]", low, high));
	}
	if (choice->kind != BRANCH_RECORDED)
		replay_json_set(json, "against_recorded",
			means_json(branch, choice, &branch->choice[0]));
	for (int i = 0; i < branch->worlds; i++)
		json_array_append_new(
			list, choice->outcome[i].played
				      ? outcome_json(branch, choice, &choice->outcome[i])
				      : json_null());
	replay_json_set(json, "outcomes", list);
	return json;
}

static json_t *head_json(const struct branch *branch)
{
	const struct branch_point *point = branch->point;
	const struct game *game = point->info.setup.game;
	json_t *json = json_object();

	replay_json_set(json, "format", json_string("pigpen-branch/1"));
	replay_json_set(json, "game", json_string(game->id));
	replay_json_set(json, "decision", json_integer(point->decision));
	replay_json_set(json, "seat", json_integer(point->seat));
	replay_json_set(
		json, "world", json_string(branch->options.worlds ? "sampled" : "true"));
	replay_json_set(json, "worlds", json_integer(branch->worlds));
	if (branch->options.worlds)
		replay_json_set(json, "seed", json_string(branch->options.seed));
	replay_json_set(json, "bot", json_string(branch->options.bot->name));
	replay_json_set(json, "others", json_string(branch->options.others->name));
	return json;
}

void branch_print_json(const struct branch *branch, FILE *out)
{
	json_t *json = head_json(branch), *list = json_array();

	for (int i = 0; i < branch->count; i++)
		json_array_append_new(list, choice_json(branch, &branch->choice[i]));
	replay_json_set(json, "choices", list);
	replay_json_set(json, "faults", json_integer(branch->faults));
	if (branch->first_fault[0])
		replay_json_set(json, "first_fault", json_string(branch->first_fault));
	replay_json_set(json, "finished", json_boolean(branch->finished));
	json_dumpf(json, out, REPLAY_JSON_FLAGS);
	fputc('\n', out);
	json_decref(json);
}
