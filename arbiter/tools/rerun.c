/* Asking a bot the questions of a recorded match again. */
#include "arbiter/tools/rerun.h"
#include "arbiter/check/probe.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <stdlib.h>

#define HELLO_SECONDS 60
/* No time limit is enforced, so that a bot can be stopped in a debugger. */
#define ANSWER_SECONDS (7 * 24 * 3600)
#define BYE_SECONDS    5

const char *const rerun_verdict_names[] = {
	"unasked", "silent", "same", "different", "illegal", "new"};

static bool problem(struct rerun_question *question, const char *text)
{
	utf8_format(question->problem, sizeof(question->problem), "%s", text);
	return false;
}

static bool decode(
	const struct seat_entry *entry, enum message_type type, struct message *message)
{
	return codec_decode(FROM_ARBITER, entry->bytes, entry->size, message, NULL) ==
		       ERR_OK &&
	       message->type == type;
}

/* The decision that answered a question follows it in the log. */
static const struct seat_entry *decision_of(const struct seat_log *log, size_t asked)
{
	for (size_t i = asked + 1; i < log->count; i++) {
		const struct seat_entry *entry = &log->entry[i];

		if (entry->kind == SENT_ACT)
			return NULL;
		if (entry->kind == SEAT_DECISION && entry->turn)
			return entry;
	}
	return NULL;
}

static bool add_question(struct rerun *rerun, size_t index, struct why *why)
{
	const struct seat_entry *entry = &rerun->log->entry[index];
	struct rerun_question *question = &rerun->question[rerun->count];
	struct message message;

	if (!decode(entry, MESSAGE_ACT, &message) || message.act.match != rerun->match ||
		message.act.turn != (int64_t)rerun->count + 1)
		return why_set(why, "a question in the log is damaged");
	question->asked = entry;
	question->then = decision_of(rerun->log, index);
	question->decision = question->then ? question->then->decision : 0;
	rerun->count++;
	return true;
}

bool rerun_init(struct rerun *rerun, const struct seat_log *log, struct why *why)
{
	struct message message;

	*rerun = (struct rerun){.log = log};
	if (!log->count || log->entry[0].kind != SENT_MATCH)
		return why_set(why, "the seat was sent nothing: its bot never came");
	if (!decode(&log->entry[0], MESSAGE_MATCH, &message))
		return why_set(why, "the first message in the log is damaged");
	rerun->match = message.match.match;
	rerun->question = xcalloc(log->count, sizeof(*rerun->question));
	for (size_t i = 0; i < log->count; i++)
		if (log->entry[i].kind == SENT_ACT && !add_question(rerun, i, why)) {
			rerun_release(rerun);
			return false;
		}
	return true;
}

void rerun_release(struct rerun *rerun)
{
	free(rerun->question);
	rerun->question = NULL;
	rerun->count = 0;
}

int rerun_count(const struct rerun *rerun, enum rerun_verdict verdict)
{
	int n = 0;

	for (size_t i = 0; i < rerun->count; i++)
		n += rerun->question[i].verdict == verdict;
	return n;
}

const struct rerun_question *rerun_first_difference(const struct rerun *rerun)
{
	for (size_t i = 0; i < rerun->count; i++)
		if (rerun->question[i].verdict == RERUN_DIFFERENT ||
			rerun->question[i].verdict == RERUN_ILLEGAL)
			return &rerun->question[i];
	return NULL;
}

/* The legal actions of a question, as it spelled them; -1 if they are damaged. */
static int read_legal(const struct rerun *rerun, const struct seat_entry *asked,
	msgpack_zone *zone, struct action legal[GAME_LEGAL_MAX])
{
	struct message message;
	msgpack_object list;
	struct refusal why;

	if (!decode(asked, MESSAGE_ACT, &message) ||
		!blob_unpack(message.act.legal, zone, &list) ||
		list.type != MSGPACK_OBJECT_ARRAY || list.via.array.size > GAME_LEGAL_MAX)
		return -1;
	for (uint32_t i = 0; i < list.via.array.size; i++)
		if (!game_read_action(rerun->log->game, rerun->log->seats,
			    &list.via.array.ptr[i], &legal[i], &why))
			return -1;
	return (int)list.via.array.size;
}

/* Decodes the action of an answer; false: question->problem says what is wrong. */
static bool read_answer(const struct rerun *rerun, struct rerun_question *question,
	const struct message_action *answer, msgpack_zone *zone)
{
	struct action legal[GAME_LEGAL_MAX];
	int n = read_legal(rerun, question->asked, zone, legal);
	struct refusal why;
	msgpack_object object;

	if (answer->choice >= 0) {
		if (answer->choice < n)
			question->now = legal[answer->choice];
		else
			snprintf(question->problem, sizeof(question->problem),
				"choice %lld of %d legal actions",
				(long long)answer->choice, n);
		return answer->choice < n;
	}
	if (!blob_unpack(answer->action, zone, &object))
		return problem(question, "an action that cannot be unpacked");
	if (!game_read_action(
		    rerun->log->game, rerun->log->seats, &object, &question->now, &why))
		return problem(question, why.why);
	for (int i = 0; i < n; i++)
		if (action_equal(&legal[i], &question->now))
			return true;
	/* An offence that the rule book punishes is not among the legal actions. */
	if (question->then && action_equal(&question->then->action, &question->now))
		return true;
	return problem(question, "an action that is not among the legal ones");
}

static void judge(const struct rerun *rerun, struct rerun_question *question,
	const struct message_action *answer)
{
	msgpack_zone zone;

	msgpack_zone_init(&zone, 4096);
	if (!read_answer(rerun, question, answer, &zone))
		question->verdict = RERUN_ILLEGAL;
	else if (!question->then)
		question->verdict = RERUN_NEW;
	else if (action_equal(&question->then->action, &question->now))
		question->verdict = RERUN_SAME;
	else
		question->verdict = RERUN_DIFFERENT;
	msgpack_zone_destroy(&zone);
}

/* A conversation with the bot. */
struct rerun_talk {
	struct rerun *rerun;
	const struct rerun_options *options;
	struct probe probe;
	size_t next;  /* question */
	bool stopped; /* at options.stop_before */
};

static bool put_question(struct rerun_talk *talk, struct blob bytes)
{
	struct rerun_question *question = &talk->rerun->question[talk->next++];
	mono_ns sent = time_now(&time_system);
	struct message message;

	probe_ask(&talk->probe, question->asked->turn);
	question->verdict = RERUN_SILENT;
	if (!probe_send(&talk->probe, bytes) ||
		!probe_wait(&talk->probe, DO_ANSWER, ANSWER_SECONDS, &message))
		return false;
	question->think_us = (time_now(&time_system) - sent) / NS_PER_US;
	judge(talk->rerun, question, &message.action);
	return true;
}

static bool go_on(struct rerun_talk *talk)
{
	const struct rerun_options *options = talk->options;

	if (talk->next != options->stop_before)
		return true;
	while (!talk->probe.process.pid && process_report(&talk->probe.process))
		;
	process_settled(&talk->probe.process);
	talk->stopped = !options->pause || !options->pause(options->context, talk->rerun,
						   &talk->rerun->question[talk->next],
						   talk->probe.process.pid);
	return !talk->stopped;
}

static bool send_entry(struct rerun_talk *talk, const struct seat_entry *entry)
{
	struct blob bytes = {entry->bytes, entry->size};
	struct message message;

	switch (entry->kind) {
	case SENT_MATCH:
		session_offer(talk->probe.session, talk->rerun->match, talk);
		return probe_send(&talk->probe, bytes) &&
		       probe_wait(&talk->probe, DO_READY, ANSWER_SECONDS, &message);
	case SENT_ACT:
		return go_on(talk) && put_question(talk, bytes);
	default:
		return probe_send(&talk->probe, bytes);
	}
}

static bool greet(struct rerun_talk *talk)
{
	struct message message;

	if (!probe_start(&talk->probe, talk->options->bot, talk->options->sandbox) ||
		!probe_wait(&talk->probe, DO_WELCOME, HELLO_SECONDS, &message))
		return false;
	session_welcome(talk->probe.session, &message);
	talk->rerun->unheard = talk->probe.session->events;
	for (size_t i = 0; i < talk->rerun->log->count; i++)
		talk->rerun->unheard &= talk->rerun->log->entry[i].kind != SENT_EVENT;
	return probe_send_message(&talk->probe, &message);
}

static bool hold(struct rerun_talk *talk)
{
	const struct seat_log *log = talk->rerun->log;

	if (!greet(talk))
		return false;
	for (size_t i = 0; i < log->count; i++)
		if (log->entry[i].bytes && !send_entry(talk, &log->entry[i]))
			return talk->stopped;
	return true;
}

void rerun_play(struct rerun *rerun, const struct rerun_options *options)
{
	struct rerun_talk *talk = xcalloc(1, sizeof(*talk));

	talk->rerun = rerun;
	talk->options = options;
	rerun->bot = options->bot;
	rerun->finished = hold(talk);
	if (rerun->finished) {
		probe_send_message(&talk->probe, &(struct message){.type = MESSAGE_BYE});
		probe_wait_exit(&talk->probe, BYE_SECONDS);
	} else {
		utf8_format(
			rerun->ended, sizeof(rerun->ended), "%s", talk->probe.why.text);
	}
	snprintf(rerun->output, sizeof(rerun->output), "%s", probe_output(&talk->probe));
	probe_release(&talk->probe);
	free(talk);
}
