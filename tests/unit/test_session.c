/* Sessions: who may speak, for which match, and what is a violation. */
#include <criterion/criterion.h>
#include "protocol/session.h"

static const uint8_t secret[SECRET_BYTES] = {4, 5, 6}, wrong[SECRET_BYTES] = {9};
static struct sessions sessions;
static struct session *session;
static struct verdict verdict;
static struct limits limits;
static const struct peer alice = {.size = 1, .bytes = "a"},
			 bob = {.size = 1, .bytes = "b"};

static void setup(void)
{
	limits = limits_default();
	limits.messages = 4;
	sessions_init(&sessions);
	session = session_new(&sessions, "token", secret, &limits, NULL);
}

static void teardown(void)
{
	sessions_release(&sessions);
}

TestSuite(session, .init = setup, .fini = teardown);

static enum session_do receive(const struct peer *peer, struct message message)
{
	session_receive(session, peer, &message, 1000, &verdict);
	return verdict.what;
}

static enum session_do hello_with(
	const struct peer *peer, const char *token, const uint8_t *key, int64_t version)
{
	struct message m = {.type = MESSAGE_HELLO};

	m.hello.v = (struct integers){1, {version}};
	m.hello.token = text_of(token);
	m.hello.name = text_of("bot");
	m.hello.matches = 2;
	if (key)
		m.hello.secret = (struct text){(const char *)key, SECRET_BYTES};
	return receive(peer, m);
}

static enum session_do hello(const struct peer *peer)
{
	return hello_with(peer, "token", NULL, 1);
}

static enum session_do ready(int64_t match)
{
	struct message m = {.type = MESSAGE_READY};

	m.ready.match = match;
	return receive(&alice, m);
}

static enum session_do answer(int64_t match, int64_t turn)
{
	struct message m = {.type = MESSAGE_ACTION};

	m.action = (struct message_action){.match = match, .turn = turn};
	return receive(&alice, m);
}

static struct session_match *offer_and_ready(int64_t match)
{
	struct session_match *entry = session_offer(session, match, NULL);

	cr_assert(entry);
	cr_assert_eq(ready(match), DO_READY);
	cr_assert_eq(verdict.match, entry);
	return entry;
}

Test(session, a_hello_with_the_token_opens_it)
{
	struct message welcome;

	cr_assert_eq(session->state, SESSION_NEW);
	cr_assert_eq(hello(&alice), DO_WELCOME);
	cr_assert_eq(verdict.session, session);
	cr_assert_eq(session->state, SESSION_LIVE);
	cr_assert(session_speaks(session, &alice));
	cr_assert_str_eq(session->name, "bot");
	cr_assert_eq(session->matches_max, 2);
	cr_assert_eq(session->hello_ns, 1000);
	session_welcome(session, &welcome);
	cr_assert_eq(welcome.welcome.session, session->id);
	cr_assert_eq(memcmp(welcome.welcome.secret.bytes, secret, SECRET_BYTES), 0);
	cr_assert_eq(welcome.welcome.limits.messages, 4);
}

Test(session, something_else_before_hello_is_refused)
{
	cr_assert_eq(ready(1), DO_REFUSE);
	cr_assert_eq(verdict.code, ERR_NO_HELLO);
	cr_assert_eq(session->counts.beside, 1);
	cr_assert_eq(session->state, SESSION_NEW);
}

Test(session, a_wrong_token_is_refused)
{
	cr_assert_eq(hello_with(&alice, "tokem", NULL, 1), DO_REFUSE);
	cr_assert_eq(verdict.code, ERR_TOKEN);
	cr_assert_eq(hello_with(&alice, "toke", NULL, 1), DO_REFUSE);
	cr_assert_eq(hello_with(&alice, "tokenn", NULL, 1), DO_REFUSE);
	cr_assert_eq(session->state, SESSION_NEW);
	cr_assert_eq(hello(&alice), DO_WELCOME, "and does no harm");
}

Test(session, another_version_is_refused)
{
	cr_assert_eq(hello_with(&alice, "token", NULL, 2), DO_REFUSE);
	cr_assert_eq(verdict.code, ERR_VERSION);
	cr_assert_eq(session->state, SESSION_NEW);
}

Test(session, a_second_hello_is_refused_and_harms_nobody)
{
	hello(&alice);
	cr_assert_eq(hello(&alice), DO_REFUSE);
	cr_assert_eq(verdict.code, ERR_LIVE);
	cr_assert_eq(hello(&bob), DO_REFUSE, "with a used token");
	cr_assert_eq(verdict.code, ERR_LIVE);
	cr_assert_eq(hello_with(&bob, "token", secret, 1), DO_REFUSE, "while it lives");
	cr_assert_eq(verdict.code, ERR_LIVE);
	cr_assert_eq(session->counts.hellos, 3);
	cr_assert_eq(session->state, SESSION_LIVE);
	cr_assert(session_speaks(session, &alice));
	cr_assert_not(session_speaks(session, &bob));
}

Test(session, a_lost_one_is_resumed_with_token_and_secret)
{
	struct session_match *match;

	hello(&alice);
	match = offer_and_ready(1);
	session_lost(session);
	cr_assert_eq(session->state, SESSION_LOST);
	cr_assert_not(session_speaks(session, &alice));
	cr_assert_eq(hello(&bob), DO_REFUSE, "without the secret");
	cr_assert_eq(verdict.code, ERR_SECRET);
	cr_assert_eq(hello_with(&bob, "token", wrong, 1), DO_REFUSE);
	cr_assert_eq(verdict.code, ERR_SECRET);
	cr_assert_eq(hello_with(&bob, "token", secret, 1), DO_RESUME);
	cr_assert_eq(session->state, SESSION_LIVE);
	cr_assert(session_speaks(session, &bob));
	cr_assert_eq(session->counts.resumes, 1);
	cr_assert_eq(session->matches.count, 1, "it is still in its match");
	cr_assert_eq(
		table_find(&session->matches, &match->match, sizeof(int64_t)), match);
}

static int asked;

static bool dead(struct session *probed)
{
	asked += probed->peer.bytes[0] == 'a';
	return false;
}

Test(session, a_live_one_is_resumed_only_if_its_connection_is_found_dead)
{
	sessions.alive = dead;
	hello(&alice);
	cr_assert_eq(hello_with(&bob, "token", wrong, 1), DO_REFUSE);
	cr_assert_eq(asked, 0, "nobody is probed for a stranger");
	cr_assert_eq(hello_with(&bob, "token", secret, 1), DO_RESUME);
	cr_assert_eq(asked, 1);
	cr_assert_not(session_speaks(session, &alice));
}

Test(session, ready_is_for_a_match_that_it_is_in)
{
	hello(&alice);
	offer_and_ready(1);
	cr_assert_eq(ready(1), DO_READY, "that it came once is the match's to know");
	cr_assert_eq(ready(2), DO_FOREIGN);
	cr_assert_null(verdict.match);
	cr_assert_eq(session->counts.foreign, 1);
}

Test(session, takes_no_more_matches_than_it_said)
{
	hello(&alice);
	cr_assert(session_offer(session, 1, NULL));
	cr_assert(session_offer(session, 2, NULL));
	cr_assert_null(session_offer(session, 3, NULL));
}

Test(session, answers_are_handed_to_the_match_that_they_name)
{
	struct session_match *first, *second;

	hello(&alice);
	first = offer_and_ready(1);
	second = offer_and_ready(2);
	cr_assert_eq(answer(2, 5), DO_ANSWER);
	cr_assert_eq(verdict.match, second);
	cr_assert_eq(answer(1, 5), DO_ANSWER);
	cr_assert_eq(verdict.match, first);
	cr_assert_eq(answer(99, 1), DO_FOREIGN);
	cr_assert_eq(session->counts.foreign, 1);
	session_end(session, &first);
	cr_assert_null(first);
	cr_assert_eq(answer(1, 5), DO_FOREIGN, "no longer");
	cr_assert_null(verdict.match);
	cr_assert_eq(session->counts.foreign, 2);
	cr_assert_eq(answer(2, 5), DO_ANSWER, "the other match is untouched");
}

Test(session, a_flood_is_a_violation)
{
	hello(&alice);
	for (int i = 0; i < 4; i++)
		cr_assert_eq(answer(9, 1), DO_FOREIGN);
	cr_assert_eq(answer(9, 1), DO_VIOLATION);
	cr_assert_eq(verdict.code, ERR_FLOOD);
	cr_assert_eq(session->state, SESSION_CLOSED);
	cr_assert_eq(answer(9, 1), DO_NOTHING, "and then silence");
	cr_assert_eq(verdict.code, ERR_OVER);
}

Test(session, every_question_gives_credit_up_to_a_limit)
{
	hello(&alice);
	offer_and_ready(1);
	for (int turn = 1; turn <= 100; turn++) {
		session_asked(session);
		cr_assert_eq(answer(1, turn), DO_ANSWER);
	}
	session_asked(session);
	cr_assert_eq(session->credit, 4 * (2 + 1));
	for (int i = 0; i < 4 * (2 + 1); i++)
		cr_assert_eq(answer(9, 1), DO_FOREIGN);
	cr_assert_eq(answer(9, 1), DO_VIOLATION);
}

Test(session, bytes_that_are_no_message_are_a_violation)
{
	struct why why = {"not a map"};

	hello(&alice);
	session_malformed(session, ERR_NOT_MAP, &why, &verdict);
	cr_assert_eq(verdict.what, DO_VIOLATION);
	cr_assert_eq(verdict.code, ERR_NOT_MAP);
	cr_assert_str_eq(verdict.why.text, "not a map");
	cr_assert_eq(session->state, SESSION_CLOSED);
	session_malformed(session, ERR_NOT_MAP, &why, &verdict);
	cr_assert_eq(verdict.what, DO_NOTHING);
}

Test(session, a_message_of_the_arbiters_is_a_violation)
{
	hello(&alice);
	cr_assert_eq(
		receive(&alice, (struct message){.type = MESSAGE_WELCOME}), DO_VIOLATION);
	cr_assert_eq(verdict.code, ERR_DIRECTION);
}

Test(session, ends_with_bye)
{
	hello(&alice);
	cr_assert_eq(receive(&alice, (struct message){.type = MESSAGE_ERROR}), DO_ERROR);
	cr_assert_eq(session->state, SESSION_LIVE);
	cr_assert_eq(receive(&alice, (struct message){.type = MESSAGE_BYE}), DO_BYE);
	cr_assert_eq(session->state, SESSION_CLOSED);
	cr_assert_eq(hello(&bob), DO_REFUSE);
	cr_assert_eq(verdict.code, ERR_OVER);
	cr_assert_eq(hello(&alice), DO_REFUSE);
	cr_assert_eq(verdict.code, ERR_OVER);
}

Test(session, noise_before_hello_is_a_violation)
{
	struct why why = {"not a map"};

	session_malformed(session, ERR_NOT_MAP, &why, &verdict);
	cr_assert_eq(verdict.what, DO_VIOLATION);
	cr_assert_eq(hello(&alice), DO_REFUSE);
	cr_assert_eq(verdict.code, ERR_OVER);
}

Test(session, other_connections_of_the_bot_can_flood_it_too)
{
	hello(&alice);
	for (int i = 0; i < 4 - 1; i++)
		cr_assert_eq(hello(&bob), DO_REFUSE);
	cr_assert_eq(hello(&bob), DO_VIOLATION, "the first of alice counted too");
	cr_assert_eq(verdict.code, ERR_FLOOD);
	cr_assert_eq(session->state, SESSION_CLOSED);
}

Test(session, a_bot_may_try_again_ten_times_a_second)
{
	struct message m = {.type = MESSAGE_READY};

	for (int64_t tenth = 1; tenth < 1000; tenth++) {
		session_receive(session, &bob, &m, tenth * 100000000, &verdict);
		cr_assert_eq(verdict.what, DO_REFUSE, "%d", (int)tenth);
	}
}

Test(session, freed_sessions_are_forgotten)
{
	session_set_key(session, "ann");
	hello(&alice);
	session_offer(session, 1, NULL);
	cr_assert_eq(sessions_of_key(&sessions, text_of("ann")), session);
	session_free(&sessions, &session);
	cr_assert_null(session);
	cr_assert_null(sessions_of_key(&sessions, text_of("ann")));
}

Test(table, finds_what_was_added_and_not_what_was_removed)
{
	enum { KEYS = 5000 };
	static uint64_t keys[KEYS];
	struct table table = {0};

	for (uint64_t i = 0; i < KEYS; i++) {
		keys[i] = i * i + 7;
		table_add(&table, &keys[i], sizeof(keys[i]), &keys[i]);
	}
	for (size_t i = 0; i < KEYS; i += 3)
		cr_assert_eq(table_remove(&table, &keys[i], sizeof(keys[i])), &keys[i]);
	for (size_t i = 0; i < KEYS; i++)
		cr_assert_eq(table_find(&table, &keys[i], sizeof(keys[i])),
			i % 3 ? &keys[i] : NULL, "%zu", i);
	cr_assert_null(table_remove(&table, &keys[0], sizeof(keys[0])));
	cr_assert_eq(table.count, KEYS - (KEYS + 2) / 3);
	table_release(&table);
}

static bool alive;

static bool is_alive(struct session *probed)
{
	(void)probed;
	return alive;
}

Test(session, is_found_by_its_key)
{
	struct session *other = session_new(&sessions, "other", wrong, &limits, NULL);

	session_set_key(session, "ann");
	cr_assert_eq(sessions_of_key(&sessions, text_of("ann")), session);
	cr_assert_null(sessions_of_key(&sessions, text_of("eve")));
	cr_assert_null(sessions_of_key(&sessions, text_of("")), "a local bot has no key");
	cr_assert_neq(other, session);
}

Test(session, a_key_comes_back_without_the_secret_once_its_connection_is_dead)
{
	alive = true;
	session_set_key(session, "ann");
	sessions.alive = is_alive;
	cr_assert_eq(hello(&alice), DO_WELCOME);
	cr_assert_eq(hello(&bob), DO_REFUSE);
	cr_assert_eq(verdict.code, ERR_LIVE);
	alive = false;
	cr_assert_eq(hello_with(&bob, "token", wrong, 1), DO_REFUSE);
	cr_assert_eq(verdict.code, ERR_SECRET);
	cr_assert_eq(hello(&bob), DO_RESUME);
	cr_assert(session_speaks(session, &bob));
	cr_assert_not(session_speaks(session, &alice));
}

Test(session, a_new_session_of_a_key_stands_beside_the_one_that_is_over)
{
	struct session *next;

	session_set_key(session, "ann");
	cr_assert_eq(hello(&alice), DO_WELCOME);
	session_close(session);
	cr_assert_eq(hello(&bob), DO_REFUSE);
	cr_assert_eq(verdict.code, ERR_OVER);
	next = session_new(&sessions, "token", secret, &limits, NULL);
	session_set_key(next, "ann");
	cr_assert_eq(sessions_of_key(&sessions, text_of("ann")), next);
}
