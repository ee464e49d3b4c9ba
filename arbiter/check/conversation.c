/* The steps that are a scripted conversation, with things that no ordinary match has. */
#include "arbiter/check/check.h"
#include "arbiter/check/probe.h"

#include <stdio.h>
#include <string.h>

#define HELLO_SECONDS  10
#define RESUME_SECONDS 10
#define QUESTIONS      6

struct check_talk {
	struct probe probe;
	const struct check_options *options;
	struct check_report *report;
	struct composer composer;
	uint8_t seed[CHANCE_SEED_SIZE], rng[CHANCE_RNG_SIZE];
	int choices, actions;
};

/* The clock's time for one answer plus a margin, since this is not a match yet. */
static int answer_seconds(const struct check_talk *t)
{
	const struct clock_rules *clock = &t->options->clock;

	return (int)(clock_budget(clock, clock->bank_ns) / NS_PER_S) + 5;
}

static struct check_step *begin(struct check_talk *t, const char *name)
{
	return check_begin(t->report, "%s", name);
}

/* Ends the step that was begun last; returns whether it passed. */
static bool end(struct check_talk *t, bool passed)
{
	struct check_step *step = &t->report->list[t->report->count - 1];

	if (!passed) {
		step->verdict = CHECK_FAIL;
		why_set(&step->why, "%s", t->probe.why.text);
		snprintf(step->output, sizeof(step->output), "%s",
			probe_output(&t->probe));
		step->bytes_size = t->probe.bytes_size;
		memcpy(step->bytes, t->probe.bytes, t->probe.bytes_size);
	}
	check_end(t->report, t->options);
	return passed;
}

static bool greet(struct check_talk *t)
{
	struct message message;

	begin(t, "starts");
	if (!end(t, probe_start(&t->probe, t->probe.spec, t->options->sandbox)))
		return false;
	begin(t, "hello");
	if (!end(t, probe_wait(&t->probe, DO_WELCOME, HELLO_SECONDS, &message)))
		return false;
	session_welcome(t->probe.session, &message);
	return probe_send_message(&t->probe, &message);
}

/* Everybody but seat 0 takes the first legal action; chance as in a match. */
static void play_others(struct check_talk *t)
{
	struct composer *c = &t->composer;
	const struct game *game = c->setup.game;

	for (;;) {
		const struct game_head *head = game_head(c->state);
		struct action legal[GAME_LEGAL_MAX];
		int seat;

		if (head->need == NEED_NOTHING)
			return;
		if (head->need == NEED_CHANCE) {
			struct chance request;
			uint8_t order[GAME_ORDER_MAX];

			game->chance(c->state, &request);
			chance_order(t->seed, &request, order);
			composer_chance(c, order, request.n);
			continue;
		}
		seat = __builtin_ctz(head->pending);
		if (seat == 0 && game->legal(c->state, 0, legal) > 1)
			return;
		game->legal(c->state, seat, legal);
		composer_apply(c, seat, &legal[0]);
	}
}

static struct compose_question question_of(struct check_talk *t)
{
	probe_ask(&t->probe, t->probe.turn + 1);
	return (struct compose_question){(uint32_t)t->probe.turn, 60000000, 60000000};
}

/* Decodes the action of an answer; false if it is not legal. */
static bool action_of(
	struct check_talk *t, const struct message_action *answer, struct action *action)
{
	const struct game *game = t->composer.setup.game;
	struct action legal[GAME_LEGAL_MAX];
	int n = game->legal(t->composer.state, 0, legal);
	struct refusal why = {"", "the action is not well-formed"};
	msgpack_zone zone;
	msgpack_object object;
	bool good = false;

	if (answer->choice >= 0) {
		t->choices++;
		if (answer->choice < n)
			*action = legal[answer->choice];
		else
			why_set(&t->probe.why,
				"choice %lld, but there are %d legal actions",
				(long long)answer->choice, n);
		return answer->choice < n;
	}
	t->actions++;
	msgpack_zone_init(&zone, 2048);
	if (blob_unpack(answer->action, &zone, &object))
		good = game_read_action(
			       game, t->composer.setup.seats, &object, action, &why) &&
		       game->check(t->composer.state, 0, action, &why);
	msgpack_zone_destroy(&zone);
	if (!good)
		why_set(&t->probe.why, "illegal action: %s (%s)", why.why, why.clause);
	return good;
}

static bool take_answer(struct check_talk *t)
{
	struct message message;
	struct action action;

	if (!probe_wait(&t->probe, DO_ANSWER, answer_seconds(t), &message) ||
		!action_of(t, &message.action, &action))
		return false;
	composer_apply(&t->composer, 0, &action);
	play_others(t);
	return true;
}

static bool game_goes_on(const struct check_talk *t)
{
	return game_head(t->composer.state)->need != NEED_NOTHING;
}

/* Asks some questions, each sent by the function given. */
static bool ask_some(struct check_talk *t, bool (*send)(struct probe *, struct blob))
{
	bool good = true;

	for (int i = 0; good && i < QUESTIONS && game_goes_on(t); i++) {
		struct compose_question question = question_of(t);

		good = send(&t->probe, compose_act(&t->composer, 0, &question)) &&
		       take_answer(t);
	}
	return good;
}

static void start_game(struct check_talk *t)
{
	const struct game *game = t->options->game[0];
	struct compose_setup setup = {.game = game,
		.seats = game->seats_min,
		.match_id = (INT64_C(1) << 52) + 1,
		.clock = t->options->clock};

	game_defaults(game, setup.option);
	chance_seed_from_text("check", t->seed);
	chance_rng(t->seed, 0, t->rng);
	setup.wants_events[0] = t->probe.session->events;
	composer_init(&t->composer, &setup, t->probe.scratch);
}

static bool get_ready(struct check_talk *t)
{
	struct message message;
	bool good;

	begin(t, "welcome and ready");
	good = session_offer(t->probe.session, t->composer.setup.match_id, t) &&
	       probe_send(&t->probe, compose_match(&t->composer, 0, t->rng)) &&
	       probe_wait(&t->probe, DO_READY, answer_seconds(t), &message);
	if (good)
		play_others(t);
	return end(t, good);
}

static bool answers(struct check_talk *t)
{
	struct check_step *step = begin(t, "answers with choice or action");
	bool good = ask_some(t, probe_send);

	why_set(&step->why, "%d by choice, %d by action", t->choices, t->actions);
	return end(t, good);
}

/* Questions with unknown keys, which the bot must ignore. */
static bool strange_keys(struct check_talk *t)
{
	begin(t, "unknown keys are ignored");
	return end(t, ask_some(t, probe_send_strange));
}

/* The question is open when the connection is cut, and open again after `resume`. */
static bool ask_and_cut(struct check_talk *t, struct compose_question *question)
{
	*question = question_of(t);
	return probe_cut(&t->probe);
}

static bool come_back(struct check_talk *t, const struct compose_question *question)
{
	struct message message;

	session_welcome(t->probe.session, &message);
	return probe_send_message(&t->probe, &message) &&
	       probe_send(&t->probe, compose_resume(&t->composer, 0, t->rng, question)) &&
	       take_answer(t);
}

/* A local bot need not come back, so silence is no failure, but a wrong message is. */
static void resume(struct check_talk *t)
{
	struct check_step *step = begin(t, "resume after a lost connection");
	struct compose_question question;
	struct message message;

	if (!game_goes_on(t)) {
		step->verdict = CHECK_SKIP;
		why_set(&step->why, "the match was over too soon");
		end(t, true);
		return;
	}
	if (!ask_and_cut(t, &question)) {
		end(t, false);
		return;
	}
	if (!probe_wait(&t->probe, DO_RESUME, RESUME_SECONDS, &message)) {
		step->verdict = CHECK_SKIP;
		why_set(&step->why,
			"it does not come back (%s); only a bot on another machine has to",
			t->probe.why.text);
		end(t, true);
		return;
	}
	end(t, come_back(t, &question));
}

/* A second conversation: the bot has done nothing yet and is told bye. */
static void quit(struct check_talk *t)
{
	struct message bye = {.type = MESSAGE_BYE}, message;
	bool good;

	begin(t, "quits on bye");
	good = probe_start(&t->probe, t->probe.spec, t->options->sandbox) &&
	       probe_wait(&t->probe, DO_WELCOME, HELLO_SECONDS, &message);
	if (good)
		session_welcome(t->probe.session, &message);
	good = good && probe_send_message(&t->probe, &message) &&
	       probe_send_message(&t->probe, &bye) &&
	       probe_wait_exit(&t->probe, HELLO_SECONDS);
	if (!end(t, good))
		return;
	begin(t, "leaves no process");
	end(t, probe_left_nobody(&t->probe));
}

bool check_conversation(const struct bot_spec *bot, const struct check_options *options,
	struct check_report *report)
{
	struct check_talk t = {.options = options, .report = report, .probe.spec = bot};
	bool good = greet(&t);

	if (good) {
		start_game(&t);
		good = get_ready(&t) && answers(&t) && strange_keys(&t);
		if (good)
			resume(&t);
		composer_release(&t.composer);
	}
	probe_release(&t.probe);
	if (good) {
		quit(&t);
		probe_release(&t.probe);
	}
	/* A failed resume or bye does not keep the bot from playing matches. */
	return good;
}
