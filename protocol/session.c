/* The sessions of an arbiter's bots. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "protocol/session.h"
#include "protocol/memory.h"

void sessions_init(struct sessions *sessions)
{
	*sessions = (struct sessions){.next_id = 1};
}

void sessions_release(struct sessions *sessions)
{
	while (sessions->count > 0) {
		struct session *session = sessions->list[sessions->count - 1];

		session_free(sessions, &session);
	}
	free(sessions->list);
	*sessions = (struct sessions){0};
}

struct session *session_new(struct sessions *sessions, const char *token,
	const uint8_t secret[SECRET_BYTES], const struct limits *limits, void *user)
{
	struct session *session = xcalloc(1, sizeof(*session));

	assert(strlen(token) > 0 && strlen(token) <= TOKEN_BYTES_MAX);
	sessions->list = xgrow(sessions->list, sessions->count, &sessions->capacity,
		sizeof(*sessions->list));
	strcpy(session->token, token);
	memcpy(session->secret, secret, SECRET_BYTES);
	session->sessions = sessions;
	session->id = sessions->next_id++;
	session->limits = *limits;
	session->matches_max = 1;
	session->credit = limits->messages;
	session->user = user;
	sessions->list[sessions->count++] = session;
	return session;
}

void session_set_key(struct session *session, const char *key)
{
	assert(strlen(key) > 0 && strlen(key) <= NAME_BYTES_MAX);
	strcpy(session->key, key);
}

struct text peer_key(const struct peer *peer)
{
	if (!peer->id_size)
		return (struct text){0};
	return (struct text){(const char *)peer->bytes + peer->id_size + 1,
		(uint32_t)(peer->size - peer->id_size - 1)};
}

bool session_speaks(const struct session *session, const struct peer *peer)
{
	return (session->state == SESSION_LIVE || session->state == SESSION_CLOSED) &&
	       session->peer.size == peer->size &&
	       memcmp(session->peer.bytes, peer->bytes, peer->size) == 0;
}

struct session *sessions_of_key(const struct sessions *sessions, struct text key)
{
	struct session *found = NULL;

	for (size_t i = 0; i < sessions->count && key.size; i++)
		if (text_is(key, sessions->list[i]->key) &&
			(!found || found->state == SESSION_CLOSED))
			found = sessions->list[i];
	return found;
}

void session_free(struct sessions *sessions, struct session **session_)
{
	struct session *session = *session_;
	size_t i = 0;

	*session_ = NULL;
	while (sessions->list[i] != session)
		i++;
	sessions->list[i] = sessions->list[--sessions->count];
	for (i = 0; i < session->matches.capacity; i++)
		free(session->matches.entries[i].value);
	table_release(&session->matches);
	free(session);
}

void session_lost(struct session *session)
{
	if (session->state == SESSION_LIVE)
		session->state = SESSION_LOST;
}

void session_close(struct session *session)
{
	session->state = SESSION_CLOSED;
}

void session_welcome(const struct session *session, struct message *message)
{
	message->type = MESSAGE_WELCOME;
	message->welcome = (struct message_welcome){
		.v = PROTOCOL_VERSION,
		.session = session->id,
		.secret = {(const char *)session->secret, SECRET_BYTES},
		.limits = session->limits,
	};
}

void session_asked(struct session *session)
{
	int64_t credit_max = session->limits.messages * (session->matches_max + 1);

	session->credit += session->limits.messages;
	if (session->credit > credit_max)
		session->credit = credit_max;
}

struct session_match *session_offer(struct session *session, int64_t match, void *user)
{
	struct session_match *entry;

	if ((int64_t)session->matches.count >= session->matches_max)
		return NULL;
	assert(!table_find(&session->matches, &match, sizeof(match)));
	entry = xcalloc(1, sizeof(*entry));
	entry->match = match;
	entry->user = user;
	table_add(&session->matches, &entry->match, sizeof(entry->match), entry);
	session_asked(session);
	return entry;
}

void session_end(struct session *session, struct session_match **match)
{
	table_remove(&session->matches, &(*match)->match, sizeof((*match)->match));
	free(*match);
	*match = NULL;
}

__attribute__((format(printf, 4, 5))) static void decide(struct verdict *verdict,
	enum session_do what, enum err code, const char *format, ...)
{
	va_list list;

	verdict->what = what;
	verdict->code = code;
	va_start(list, format);
	why_set_list(&verdict->why, format, list);
	va_end(list);
}

/* In constant time for texts of equal length, so that a stranger cannot guess a
 * token byte by byte. */
static bool same_secret(struct text given, const void *expected, size_t size)
{
	const uint8_t *b = expected;
	unsigned difference = 0;

	if (given.size != size)
		return false;
	for (size_t i = 0; i < size; i++)
		difference |= (unsigned)((uint8_t)given.bytes[i] ^ b[i]);
	return difference == 0;
}

static bool speaks(const struct message_hello *hello)
{
	for (int i = 0; i < hello->v.count; i++)
		if (hello->v.at[i] == PROTOCOL_VERSION)
			return true;
	return false;
}

/* Is the session's connection dead, so that another may take its place? */
static bool is_dead(struct session *session)
{
	if (session->state == SESSION_LIVE && session->sessions->alive &&
		!session->sessions->alive(session))
		session_lost(session);
	return session->state == SESSION_LOST;
}

/* Whether the hello may have this session: ERR_OK, or why not. */
static enum err check_hello(struct session *session, const struct message_hello *hello)
{
	if (!same_secret(hello->token, session->token, strlen(session->token)))
		return ERR_TOKEN;
	if (!speaks(hello))
		return ERR_VERSION;
	if (session->state == SESSION_CLOSED)
		return ERR_OVER;
	if (session->state == SESSION_NEW)
		return ERR_OK;
	if (hello->secret.size == 0 && *session->key)
		return is_dead(session) ? ERR_OK : ERR_LIVE;
	if (hello->secret.size == 0)
		return session->state == SESSION_LIVE ? ERR_LIVE : ERR_SECRET;
	if (!same_secret(hello->secret, session->secret, SECRET_BYTES))
		return ERR_SECRET;
	return is_dead(session) ? ERR_OK : ERR_LIVE;
}

static void take_hello(struct session *session, const struct message_hello *hello)
{
	text_copy(hello->name, session->name, sizeof(session->name));
	text_copy(hello->version, session->version, sizeof(session->version));
	text_copy(hello->lang, session->lang, sizeof(session->lang));
	session->matches_max = hello->matches;
	session->events = hello->events;
	session->batch = hello->batch;
}

/* A hello from another connection than the session's. A refusal changes nothing but
 * counts. */
static void greet(struct session *session, const struct peer *peer,
	const struct message_hello *hello, int64_t now_ns, struct verdict *verdict)
{
	enum err err = check_hello(session, hello);
	bool first;

	if (err) {
		session->counts.hellos++;
		decide(verdict, DO_REFUSE, err, "hello: %s", err_text(err));
		return;
	}
	first = session->state == SESSION_NEW;
	/* Matches that are being played keep the settings under which they began. */
	if (first || session->matches.count == 0)
		take_hello(session, hello);
	if (first)
		session->hello_ns = now_ns;
	session->received_ns = now_ns;
	session->counts.messages++;
	session->state = SESSION_LIVE;
	session->peer = *peer;
	session->credit =
		session->limits.messages * (1 + (int64_t)session->matches.count);
	if (!first)
		session->counts.resumes++;
	verdict->what = first ? DO_WELCOME : DO_RESUME;
}

static void violate(
	struct session *session, enum err code, struct verdict *verdict, const char *why)
{
	session_close(session);
	decide(verdict, DO_VIOLATION, code, "%s", why);
}

/* Passes on a message for one of the bot's matches. */
static void hand_on(struct session *session, int64_t match, enum session_do what,
	struct verdict *verdict)
{
	verdict->match = table_find(&session->matches, &match, sizeof(match));
	verdict->what = verdict->match ? what : DO_FOREIGN;
	session->counts.foreign += !verdict->match;
}

static void dispatch(
	struct session *session, const struct message *message, struct verdict *verdict)
{
	switch (message->type) {
	case MESSAGE_HELLO:
		session->counts.hellos++;
		decide(verdict, DO_REFUSE, ERR_LIVE, "hello: %s", err_text(ERR_LIVE));
		break;
	case MESSAGE_READY:
		hand_on(session, message->ready.match, DO_READY, verdict);
		break;
	case MESSAGE_ACTION:
		hand_on(session, message->action.match, DO_ANSWER, verdict);
		break;
	case MESSAGE_BYE:
		session_close(session);
		verdict->what = DO_BYE;
		break;
	case MESSAGE_ERROR:
		verdict->what = DO_ERROR;
		break;
	default:
		violate(session, ERR_DIRECTION, verdict, err_text(ERR_DIRECTION));
	}
}

/* What comes beside the session's connection is the bot's too. A little of it is an
 * honest bot that was started again; more is a flood. */
static bool is_beside_flood(struct session *session, int64_t now_ns)
{
	if (!session->first_ns)
		session->first_ns = now_ns;
	session->counts.beside++;
	return session->counts.beside >
	       session->limits.messages + (now_ns - session->first_ns) / 100000000;
}

static void receive_beside(struct session *session, const struct peer *peer,
	const struct message *message, int64_t now_ns, struct verdict *verdict)
{
	if (session->state != SESSION_CLOSED && is_beside_flood(session, now_ns))
		violate(session, ERR_FLOOD, verdict, err_text(ERR_FLOOD));
	else if (message->type == MESSAGE_HELLO)
		greet(session, peer, &message->hello, now_ns, verdict);
	else
		decide(verdict, DO_REFUSE, ERR_NO_HELLO, "%s: %s",
			message_word(message->type), err_text(ERR_NO_HELLO));
}

static void start_verdict(struct verdict *verdict, struct session *session)
{
	verdict->what = DO_NOTHING;
	verdict->code = ERR_OK;
	verdict->session = session;
	verdict->match = NULL;
}

void session_receive(struct session *session, const struct peer *peer,
	const struct message *message, int64_t now_ns, struct verdict *verdict)
{
	start_verdict(verdict, session);
	if (!session_speaks(session, peer)) {
		receive_beside(session, peer, message, now_ns, verdict);
		return;
	}
	if (session->state == SESSION_CLOSED) {
		verdict->code = ERR_OVER;
		if (message->type == MESSAGE_HELLO)
			decide(verdict, DO_REFUSE, ERR_OVER, "hello: %s",
				err_text(ERR_OVER));
		return;
	}
	session->received_ns = now_ns;
	session->counts.messages++;
	if (session->credit-- > 0)
		dispatch(session, message, verdict);
	else
		violate(session, ERR_FLOOD, verdict, err_text(ERR_FLOOD));
}

void session_malformed(struct session *session, enum err code, const struct why *why,
	struct verdict *verdict)
{
	start_verdict(verdict, session);
	verdict->code = ERR_OVER;
	if (session->state != SESSION_CLOSED)
		violate(session, code, verdict, why->text);
}
