/* The C bot library: the connection, the messages, and the calls of a bot's handlers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "protocol/bot.h"
#include "protocol/codec.h"
#include "protocol/link.h"
#include "protocol/scan.h"
#include "protocol/table.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#define WELCOME_MS       30000 /* without a welcome we give up */
#define AGAIN_MS         500   /* until a hello that came too early is sent again */
#define OUT_BYTES        (256 * 1024)
#define ACTION_BYTES     (16 * 1024)
#define THINKING_LONG_NS 1000000 /* an answer that took longer is sent at once */

/* A match and the bytes that its info points into. */
struct playing {
	struct bot_match match;
	bool unsure; /* the connection was lost, and the match is not resumed yet */
	uint8_t bytes[];
};

enum run_state { RUN_ON, RUN_HELLO_AGAIN, RUN_DONE, RUN_FAILED };

struct run {
	const struct bot *bot;
	struct link *link;
	const char *token;
	bool remote; /* keeps trying, whatever happens to the connection */
	enum run_state state;
	bool welcome;                 /* received on this connection */
	bool greeted;                 /* welcomed on any connection so far */
	bool coming_back;             /* the arbiter is resuming our matches */
	uint8_t secret[SECRET_BYTES]; /* known once greeted */
	struct limits limits;
	struct table matches; /* of struct playing */
	struct buffer out;
	uint8_t out_bytes[OUT_BYTES];
	uint8_t action_bytes[ACTION_BYTES];
	uint8_t note_bytes[NOTE_BYTES_MAX + 8];
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

__attribute__((format(printf, 2, 3))) static void fail(
	struct run *run, const char *format, ...)
{
	va_list list;

	run->state = RUN_FAILED;
	fprintf(stderr, "%s: ", run->bot->name ? run->bot->name : "bot");
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
}

static void flush(struct run *run)
{
	if (run->out.size > 0)
		link_send(run->link, run->out.bytes, run->out.size);
	buffer_clear(&run->out);
}

/* Messages gather and leave together, at most as many as one frame may hold. */
static void say(struct run *run, const struct message *message)
{
	size_t before = run->out.size;
	enum err err = codec_encode(message, &run->out);

	if (err || (run->greeted && (int64_t)run->out.size > run->limits.frame_bytes)) {
		run->out.size = before;
		run->out.overflow = false;
		flush(run);
		codec_encode(message, &run->out);
	}
}

static struct text text_or_empty(const char *string)
{
	return string ? text_of(string) : (struct text){0};
}

static void say_hello(struct run *run)
{
	const struct bot *bot = run->bot;
	struct message message = {.type = MESSAGE_HELLO};

	message.hello = (struct message_hello){
		.v = {1, {PROTOCOL_VERSION}},
		.token = text_of(run->token),
		.name = text_or_empty(bot->name),
		.version = text_or_empty(bot->version),
		.lang = text_of("c"),
		.matches = bot->matches ? bot->matches : 1,
		.events = bot->events,
		.batch = true,
	};
	if (run->greeted)
		message.hello.secret = (struct text){(char *)run->secret, SECRET_BYTES};
	/* Answers that were not sent before the connection was lost are asked for
	 * again. */
	buffer_clear(&run->out);
	say(run, &message);
	flush(run);
}

static struct playing *find(struct run *run, int64_t match)
{
	return table_find(&run->matches, &match, sizeof(match));
}

/* Begins a match from the bytes of a `match` or `resume` message. */
static struct playing *begin(struct run *run, struct blob bytes)
{
	struct playing *playing = xcalloc(1, sizeof(*playing) + bytes.size);
	struct message message;

	memcpy(playing->bytes, bytes.bytes, bytes.size);
	if (codec_decode(FROM_ARBITER, playing->bytes, bytes.size, &message, NULL))
		abort();
	/* A resume begins with the same struct. */
	playing->match.info = message.match;
	playing->match.bot = run->bot;
	table_add(&run->matches, &playing->match.info.match, sizeof(int64_t), playing);
	if (run->bot->match)
		run->bot->match(&playing->match);
	return playing;
}

static void finish(struct run *run, int64_t match, const struct message_end *end)
{
	struct playing *playing = table_remove(&run->matches, &match, sizeof(match));

	if (playing && run->bot->end)
		run->bot->end(&playing->match, end);
	free(playing);
}

static void on_match(struct run *run, struct blob bytes)
{
	struct message ready = {.type = MESSAGE_READY};

	ready.ready.match = begin(run, bytes)->match.info.match;
	say(run, &ready);
}

static void on_act(struct run *run, const struct message_act *act)
{
	struct playing *playing = find(run, act->match);
	struct message message = {.type = MESSAGE_ACTION};
	int64_t asked_ns = now_ns();
	struct bot_answer answer = {
		.action = buffer_on(run->action_bytes, sizeof(run->action_bytes)),
		.note = buffer_on(run->note_bytes, sizeof(run->note_bytes)),
	};

	if (!playing)
		return;
	run->bot->act(&playing->match, act, &answer);
	message.action = (struct message_action){
		.match = act->match,
		.turn = act->turn,
		.choice = answer.action.size > 0 ? -1 : answer.choice,
		.action = blob_since(&answer.action, 0),
		.note = blob_since(&answer.note, 0),
	};
	if (message.action.note.size > run->limits.note_bytes)
		message.action.note.size = 0;
	say(run, &message);
	if (now_ns() - asked_ns > THINKING_LONG_NS)
		flush(run);
}

static void on_resume(
	struct run *run, const struct message_resume *resume, struct blob bytes)
{
	static const uint8_t nothing[] = {0x90};
	struct playing *playing = find(run, resume->match.match);

	if (!playing)
		playing = begin(run, bytes);
	playing->unsure = false;
	if (run->bot->resume)
		run->bot->resume(&playing->match, resume);
	if (resume->act.turn > 0)
		on_act(run, &(struct message_act){
				    .match = resume->match.match,
				    .turn = resume->act.turn,
				    .view = resume->view,
				    .events = {nothing, sizeof(nothing)},
				    .legal = resume->act.legal,
				    .clock = resume->act.clock,
			    });
}

static void on_error(struct run *run, const struct message_error *error)
{
	if (error->match >= 0)
		finish(run, error->match, NULL);
	else if (text_is(error->code, err_word(ERR_LIVE)) &&
		 (run->greeted || run->remote))
		run->state = RUN_HELLO_AGAIN;
	else
		fail(run, "the arbiter says %.*s: %.*s", (int)error->code.size,
			error->code.bytes, (int)error->why.size, error->why.bytes);
}

/* After welcome come the matches that go on, before anything else. The others ended while
 * we were away. */
static void end_unsure(struct run *run)
{
	size_t i = 0;

	run->coming_back = false;
	while (i < run->matches.capacity) {
		struct playing *playing = run->matches.entries[i++].value;

		if (playing && playing->unsure) {
			finish(run, playing->match.info.match, NULL);
			i = 0; /* what is removed moves others */
		}
	}
}

static void mark_unsure(struct run *run)
{
	run->coming_back = run->matches.count > 0;
	for (size_t i = 0; i < run->matches.capacity; i++) {
		struct playing *playing = run->matches.entries[i].value;

		if (playing)
			playing->unsure = true;
	}
}

static void on_welcome(struct run *run, const struct message_welcome *welcome)
{
	mark_unsure(run);
	memcpy(run->secret, welcome->secret.bytes, SECRET_BYTES);
	run->limits = welcome->limits;
	run->welcome = run->greeted = true;
}

static void on_message(struct run *run, const struct message *message, struct blob bytes)
{
	const struct bot *bot = run->bot;
	struct playing *playing;

	if (run->coming_back && message->type != MESSAGE_RESUME)
		end_unsure(run);
	switch (message->type) {
	case MESSAGE_WELCOME:
		on_welcome(run, &message->welcome);
		break;
	case MESSAGE_MATCH:
		if (!find(run, message->match.match))
			on_match(run, bytes);
		break;
	case MESSAGE_EVENT:
		playing = find(run, message->event.match);
		if (playing && bot->event)
			bot->event(&playing->match, &message->event);
		break;
	case MESSAGE_ACT:
		on_act(run, &message->act);
		break;
	case MESSAGE_REFUSE:
		playing = find(run, message->refuse.match);
		if (playing && bot->refuse)
			bot->refuse(&playing->match, &message->refuse);
		break;
	case MESSAGE_END:
		finish(run, message->end.match, &message->end);
		break;
	case MESSAGE_RESUME:
		on_resume(run, &message->resume, bytes);
		break;
	case MESSAGE_ERROR:
		on_error(run, &message->error);
		break;
	default:
		run->state = RUN_DONE;
	}
}

/* An empty frame only asks whether we are there. */
static void on_frame(struct run *run, const uint8_t *bytes, size_t size)
{
	struct decoder decoder;
	struct message message;
	struct why why;

	decoder_init(&decoder, FROM_ARBITER, true, NULL, bytes, size);
	while (size > 0 && run->state != RUN_DONE && run->state != RUN_FAILED &&
		!decoder_done(&decoder)) {
		if (decoder_next(&decoder, &message, &why))
			fail(run, "cannot read what the arbiter sent: %s", why.text);
		else
			on_message(run, &message, decoder_last(&decoder));
	}
	flush(run);
}

static void on_timeout(struct run *run)
{
	if (run->state == RUN_HELLO_AGAIN) {
		run->state = RUN_ON;
		say_hello(run);
	} else {
		fail(run, "no welcome in %d s", WELCOME_MS / 1000);
	}
}

/* The arbiter may be restarted: we say once what is wrong, and keep trying. */
static void on_lost(struct run *run)
{
	const char *news = link_news(run->link);

	run->welcome = false;
	if (*news)
		fprintf(stderr, "%s: %s\n", run->bot->name ? run->bot->name : "bot",
			news);
}

static void step(struct run *run)
{
	int timeout_ms = run->state == RUN_HELLO_AGAIN ? AGAIN_MS
			 : run->welcome || run->remote ? -1
						       : WELCOME_MS;
	const uint8_t *bytes;
	size_t size;

	switch (link_receive(run->link, timeout_ms, &bytes, &size)) {
	case LINK_FRAME:
		on_frame(run, bytes, size);
		break;
	case LINK_CONNECTED:
		say_hello(run);
		break;
	case LINK_LOST:
		on_lost(run);
		break;
	case LINK_TIMEOUT:
		on_timeout(run);
		break;
	case LINK_GONE:
		fail(run, "%s", link_news(run->link));
		break;
	case LINK_REFUSED:
		fail(run, "the arbiter does not know our key; its host has to add it");
		break;
	case LINK_CLOSED:
		fail(run, "the arbiter has gone without a bye");
		break;
	}
}

static void end_all(struct run *run)
{
	for (size_t i = 0; i < run->matches.capacity; i++) {
		struct playing *playing = run->matches.entries[i].value;

		if (playing && run->bot->end)
			run->bot->end(&playing->match, NULL);
		free(playing);
	}
	table_release(&run->matches);
}

static int usage(const struct bot *bot, const char *why)
{
	fprintf(stderr, "%s: %s\n", bot->name ? bot->name : "bot", why);
	return 2;
}

int bot_run(const struct bot *bot)
{
	struct link_options options;
	struct run *run;
	struct why why;
	int status;

	if (link_options_from_environment(&options, &why))
		return usage(bot, why.text);
	run = xcalloc(1, sizeof(*run));
	run->bot = bot;
	run->token = options.token;
	run->remote = options.server_public != NULL;
	run->out = buffer_on(run->out_bytes, sizeof(run->out_bytes));
	if (link_new(&run->link, &options, &why)) {
		free(run);
		return usage(bot, why.text);
	}
	while (run->state != RUN_DONE && run->state != RUN_FAILED)
		step(run);
	status = run->state == RUN_DONE ? 0 : 1;
	end_all(run);
	link_free(&run->link);
	free(run);
	return status;
}

void bot_note(struct bot_answer *answer, const char *format, ...)
{
	msgpack_packer packer = buffer_packer(&answer->note);
	char text[NOTE_BYTES_MAX + 1];
	va_list list;

	va_start(list, format);
	utf8_format_list(text, sizeof(text), format, list);
	va_end(list);
	buffer_clear(&answer->note);
	msgpack_pack_str_with_body(&packer, text, utf8_valid_size(text_of(text)));
}
