/* The C bot client against a real ROUTER: a child process is the bot. */
#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "protocol/bot.h"
#include "protocol/transport.h"

#define PATIENCE_MS 60000

static const uint8_t secret[SECRET_BYTES] = {1, 2, 3};

static struct arbiter {
	char folder[64], path[80], endpoint[ENDPOINT_BYTES_MAX];
	struct transport *transport;
	struct sessions sessions;
	struct session *session;
	struct peer peer;
	pid_t bot;
	struct frame frame;
	struct decoder decoder;
	int64_t turn[8]; /* the last that was asked, by match */
} arbiter;

static void open_arbiter(void)
{
	struct limits limits = limits_default();

	strcpy(arbiter.folder, "/tmp/pigpen-bot-XXXXXX");
	cr_assert(mkdtemp(arbiter.folder));
	snprintf(arbiter.path, sizeof(arbiter.path), "%s/socket", arbiter.folder);
	snprintf(arbiter.endpoint, sizeof(arbiter.endpoint), "ipc://%s", arbiter.path);
	arbiter.transport = transport_local_new();
	cr_assert(arbiter.transport);
	cr_assert_eq(transport_bind_ipc(arbiter.transport, arbiter.path), ERR_OK);
	sessions_init(&arbiter.sessions);
	arbiter.session = session_new(&arbiter.sessions, "token", secret, &limits, NULL);
}

static void close_arbiter(void)
{
	transport_free(&arbiter.transport);
	sessions_release(&arbiter.sessions);
	rmdir(arbiter.folder);
}

/* What the bot is told through `orders`. */
struct order {
	char endpoint[ENDPOINT_BYTES_MAX];
	struct bot
		bot; /* its pointers are good in both processes, being those of a fork */
};

static int orders;
static volatile int *ended; /* calls of count_end(), seen by both processes */

static void become_bot(int input)
{
	struct order order;

	/* A test that fails must not leave its bot behind. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(input, &order, sizeof(order)) != (ssize_t)sizeof(order))
		_exit(0);
	close(input);
	setenv("PIGPEN_ENDPOINT", order.endpoint, 1);
	setenv("PIGPEN_TOKEN", "token", 1);
	_exit(bot_run(&order.bot));
}

/* The bot's process is made before main(), while there is one thread: a fork beside
 * running threads may inherit a lock of the sanitizer's allocator that nobody opens. */
__attribute__((constructor)) static void make_bot_process(void)
{
	int ends[2];

	ended = mmap(NULL, sizeof(*ended), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pipe(ends) || ended == MAP_FAILED)
		abort();
	arbiter.bot = fork();
	if (arbiter.bot == 0) {
		close(ends[1]);
		become_bot(ends[0]);
	}
	close(ends[0]);
	orders = ends[1];
}

static void start_bot(const struct bot *bot)
{
	struct order order = {.bot = *bot};

	strcpy(order.endpoint, arbiter.endpoint);
	cr_assert_eq(write(orders, &order, sizeof(order)), (ssize_t)sizeof(order));
}

static int bot_status(void)
{
	int status;

	cr_assert_eq(waitpid(arbiter.bot, &status, 0), arbiter.bot);
	cr_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void next_frame(void)
{
	struct pollfd wait = {.fd = transport_fd(arbiter.transport), .events = POLLIN};

	while (transport_receive(arbiter.transport, &arbiter.frame) == ERR_AGAIN)
		cr_assert_gt(poll(&wait, 1, PATIENCE_MS), 0, "the bot says nothing");
	decoder_init(&arbiter.decoder, FROM_BOT, arbiter.session->batch,
		&arbiter.session->limits, arbiter.frame.bytes, arbiter.frame.size);
}

/* The verdict on the bot's next message, which goes to *message. */
static struct verdict next(struct message *message)
{
	static struct verdict verdict;
	struct why why;

	if (arbiter.decoder.size == 0 || decoder_done(&arbiter.decoder))
		next_frame();
	cr_assert_eq(
		decoder_next(&arbiter.decoder, message, &why), ERR_OK, "%s", why.text);
	session_receive(arbiter.session, &arbiter.frame.peer, message, 0, &verdict);
	if (verdict.what == DO_ANSWER)
		cr_assert_eq(message->action.turn, arbiter.turn[message->action.match]);
	return verdict;
}

static uint8_t frame_bytes[65536];
static struct buffer out = {frame_bytes, 0, sizeof(frame_bytes), false};

static void add(const struct message *message)
{
	cr_assert_eq(codec_encode(message, &out), ERR_OK);
}

static void send_all(void)
{
	cr_assert_eq(transport_send(arbiter.transport, &arbiter.session->peer, out.bytes,
			     out.size),
		ERR_OK);
	buffer_clear(&out);
}

static const uint8_t empty_map[] = {0x80}, empty_array[] = {0x90},
		     three[] = {0x93, 1, 2, 3};
#define BLOB(bytes) ((struct blob){bytes, sizeof(bytes)})

static struct message_match message_of_match(int64_t match)
{
	return (struct message_match){
		.match = match,
		.game = text_of("pig_pile"),
		.rules = 1,
		.options = BLOB(empty_map),
		.seat = 1,
		.seats = 2,
		.teams = {2, {-1, -1}},
		.clock = {CLOCK_KIND_WALL, 1000, 100, 500},
		.commit = {(const char *)secret, SECRET_BYTES},
		.rng = {(const char *)secret, SECRET_BYTES},
	};
}

static void add_match(int64_t match)
{
	add(&(struct message){.type = MESSAGE_MATCH, .match = message_of_match(match)});
	cr_assert(session_offer(arbiter.session, match, NULL));
}

static int64_t ask(const struct session_match *match)
{
	session_asked(arbiter.session);
	return ++arbiter.turn[match->match];
}

static void add_act(struct session_match *match)
{
	struct message message = {.type = MESSAGE_ACT};

	message.act = (struct message_act){
		.match = match->match,
		.turn = ask(match),
		.view = BLOB(empty_map),
		.events = BLOB(empty_array),
		.legal = BLOB(three),
		.clock = {1000, 500},
	};
	add(&message);
}

static void add_resume(struct session_match *match)
{
	struct message message = {.type = MESSAGE_RESUME};

	message.resume = (struct message_resume){
		.match = message_of_match(match->match),
		.view = BLOB(empty_map),
		.act = {ask(match), BLOB(three), {0, 500}},
	};
	add(&message);
}

static void add_end(int64_t match)
{
	struct message message = {.type = MESSAGE_END};

	message.end = (struct message_end){match, BLOB(empty_array), BLOB(empty_map)};
	add(&message);
}

static void add_bye(void)
{
	add(&(struct message){.type = MESSAGE_BYE});
}

static void greet(void)
{
	struct message message;

	cr_assert_eq(next(&message).what, DO_WELCOME);
	session_welcome(arbiter.session, &message);
	add(&message);
}

static struct session_match *await_ready(int64_t match)
{
	struct message message;
	struct verdict verdict = next(&message);

	cr_assert_eq(verdict.what, DO_READY);
	cr_assert_eq(verdict.match->match, match);
	return verdict.match;
}

static void act_last(
	struct bot_match *match, const struct message_act *act, struct bot_answer *answer)
{
	answer->choice = blob_count(act->legal) - 1;
	bot_note(answer, "match %d", (int)match->info.match);
}

Test(bot, plays_a_match_and_leaves_at_bye)
{
	struct message message;
	struct verdict verdict;
	struct session_match *match;

	open_arbiter();
	start_bot(&(struct bot){.name = "last", .version = "2", .act = act_last});
	greet();
	cr_assert_str_eq(arbiter.session->name, "last");
	cr_assert_str_eq(arbiter.session->version, "2");
	cr_assert_str_eq(arbiter.session->lang, "c");
	add_match(7);
	send_all();
	match = await_ready(7);
	for (int turn = 1; turn <= 3; turn++) {
		add_act(match);
		send_all();
		verdict = next(&message);
		cr_assert_eq(verdict.what, DO_ANSWER);
		cr_assert_eq(message.action.turn, turn);
		cr_assert_eq(message.action.choice, 2);
		cr_assert_eq(message.action.note.size, 8);
		cr_assert_eq(memcmp(message.action.note.bytes, "\xa7match 7", 8), 0);
	}
	add_end(7);
	add_bye();
	send_all();
	cr_assert_eq(bot_status(), 0);
	close_arbiter();
}

Test(bot, answers_several_matches_in_one_frame)
{
	struct message message;
	struct session_match *first, *second;

	open_arbiter();
	start_bot(&(struct bot){.name = "last", .matches = 2, .act = act_last});
	greet();
	cr_assert_eq(arbiter.session->matches_max, 2);
	add_match(1);
	add_match(2);
	send_all();
	first = await_ready(1);
	second = await_ready(2);
	add_act(first);
	add_act(second);
	send_all();
	cr_assert_eq(next(&message).match, first);
	cr_assert_eq(next(&message).match, second);
	add_bye();
	send_all();
	cr_assert_eq(bot_status(), 0);
	close_arbiter();
}

static void act_written(
	struct bot_match *match, const struct message_act *act, struct bot_answer *answer)
{
	msgpack_packer packer = buffer_packer(&answer->action);

	(void)match;
	(void)act;
	msgpack_pack_map(&packer, 1);
	msgpack_pack_str_with_body(&packer, "a", 1);
	msgpack_pack_str_with_body(&packer, "pass", 4);
}

Test(bot, writes_an_action_out)
{
	struct message message;

	open_arbiter();
	start_bot(&(struct bot){.act = act_written});
	greet();
	add_match(1);
	send_all();
	add_act(await_ready(1));
	send_all();
	cr_assert_eq(next(&message).what, DO_ANSWER);
	cr_assert_eq(message.action.choice, -1);
	cr_assert_eq(message.action.action.size, 8);
	cr_assert_eq(memcmp(message.action.action.bytes,
			     "\x81\xa1"
			     "a\xa4pass",
			     8),
		0);
	add_bye();
	send_all();
	cr_assert_eq(bot_status(), 0);
	close_arbiter();
}

Test(bot, ignores_an_empty_frame_and_answers_a_pending_question_after_resume)
{
	struct message message;
	struct session_match *match;

	open_arbiter();
	start_bot(&(struct bot){.act = act_last});
	greet();
	add_match(5);
	send_all();
	match = await_ready(5);
	cr_assert_eq(transport_probe(arbiter.transport, &arbiter.session->peer), ERR_OK);
	add_resume(match);
	send_all();
	cr_assert_eq(next(&message).what, DO_ANSWER);
	cr_assert_eq(message.action.choice, 2);
	add_bye();
	send_all();
	cr_assert_eq(bot_status(), 0);
	close_arbiter();
}

static void refuse_live(void)
{
	struct message message = {.type = MESSAGE_ERROR};

	message.error =
		(struct message_error){text_of("live"), text_of("still there"), -1};
	add(&message);
	cr_assert_eq(transport_send(
			     arbiter.transport, &arbiter.frame.peer, out.bytes, out.size),
		ERR_OK);
	buffer_clear(&out);
}

static void count_end(struct bot_match *match, const struct message_end *end)
{
	(void)match;
	*ended += end == NULL;
}

/* The arbiter's socket goes and comes back on the same port; at first it still takes
 * the old connection for alive. One of two matches has ended meanwhile. */
Test(bot, comes_back_over_tcp_with_its_secret)
{
	struct message message;
	struct session_match *match;
	char again[ENDPOINT_BYTES_MAX];
	int port;

	open_arbiter();
	cr_assert_eq(
		transport_bind_tcp(arbiter.transport, "127.0.0.1", 0, arbiter.endpoint),
		ERR_OK);
	port = atoi(strrchr(arbiter.endpoint, ':') + 1);
	start_bot(&(struct bot){.matches = 2, .act = act_last, .end = count_end});
	greet();
	add_match(5);
	add_match(6);
	send_all();
	await_ready(5);
	match = await_ready(6);
	transport_free(&arbiter.transport);
	arbiter.transport = transport_local_new();
	cr_assert_eq(
		transport_bind_tcp(arbiter.transport, "127.0.0.1", port, again), ERR_OK);
	cr_assert_eq(next(&message).what, DO_REFUSE);
	cr_assert_eq(message.hello.secret.size, SECRET_BYTES);
	refuse_live();
	session_lost(arbiter.session);
	cr_assert_eq(next(&message).what, DO_RESUME);
	session_welcome(arbiter.session, &message);
	add(&message);
	add_resume(match);
	send_all();
	cr_assert_eq(next(&message).what, DO_ANSWER);
	cr_assert_eq(*ended, 0, "more matches may be resumed");
	add_act(match);
	send_all();
	cr_assert_eq(next(&message).what, DO_ANSWER);
	cr_assert_eq(*ended, 1, "the match that was not resumed is over");
	add_bye();
	send_all();
	cr_assert_eq(bot_status(), 0);
	close_arbiter();
}

Test(bot, fails_when_the_arbiter_goes_without_a_bye)
{
	open_arbiter();
	start_bot(&(struct bot){.act = act_last});
	greet();
	send_all();
	close_arbiter();
	cr_assert_eq(bot_status(), 1);
}

Test(bot, fails_when_it_is_refused)
{
	struct message message;

	open_arbiter();
	strcpy(arbiter.session->token, "other");
	start_bot(&(struct bot){.act = act_last});
	cr_assert_eq(next(&message).what, DO_REFUSE);
	message.type = MESSAGE_ERROR;
	message.error = (struct message_error){text_of("token"), text_of("unknown"), -1};
	add(&message);
	cr_assert_eq(transport_send(
			     arbiter.transport, &arbiter.frame.peer, out.bytes, out.size),
		ERR_OK);
	cr_assert_eq(bot_status(), 1);
	close_arbiter();
}

Test(bot, says_what_is_missing_in_the_environment)
{
	struct bot bot = {.act = act_last};

	unsetenv("PIGPEN_ENDPOINT");
	unsetenv("PIGPEN_TOKEN");
	cr_assert_eq(bot_run(&bot), 2);
	setenv("PIGPEN_TOKEN", "token", 1);
	cr_assert_eq(bot_run(&bot), 2);
	setenv("PIGPEN_ENDPOINT", "nowhere", 1);
	cr_assert_eq(bot_run(&bot), 2);
}
