/*
 * Remote bots, which connect, leave and come back by themselves.
 *
 *     EXPECTED ── hello ──► LIVE ── connection dead ──► LIVE, but lost
 *                           │ ▲                            │
 *                           │ └───────── hello ────────────┤
 *                           └─► ENDING ◄───────────────────┘ in no match
 *            broke the protocol, bye
 *
 * A lost bot stays in its matches, whose clocks keep running. When a session ends, a new
 * one is soon expected.
 *
 * The connection of a bot that was sent its last message (bye, or the error that ends its
 * session) is kept until the bot closes it, for at most limits.bye_ms. Sending is not
 * enough: when a connection ends, libzmq throws away what a socket with ZMQ_IMMEDIATE has
 * received and nobody has read yet, and a bot that misses its bye waits for the arbiter
 * to return.
 */
#include "arbiter/loop/loop_internal.h"

/* How often the connection of an idle bot is checked. */
#define LOOK_NS NS_PER_S
/* How often that of a leaving bot is checked. */
#define LEAVING_LOOK_NS (20 * NS_PER_MS)

bool remote_is_there(struct player *player)
{
	bool was = player->session->state == SESSION_LIVE;

	if (player_connected(player))
		return true;
	if (was)
		player_link(player, false);
	return false;
}

static bool has_left(struct loop *loop, struct player *player)
{
	return loop->hurry || loop->charge >= player->leave_by ||
	       transport_probe(loop->remote, &player->session->peer) == ERR_NO_PEER;
}

static void look_at_leaving(struct loop *loop, struct player *player)
{
	player->leaving = !has_left(loop, player);
	if (player->leaving)
		timer_set(&loop->timers, &player->timer, loop->charge + LEAVING_LOOK_NS);
	else
		loop->sweep_due = true;
}

/* libzmq reports a lost connection only when one tries to send. */
static void look(struct loop *loop, struct timer *timer)
{
	struct player *player = timer->owner;

	if (player->leaving)
		look_at_leaving(loop, player);
	if (player->state != PLAYER_LIVE)
		return;
	if (!remote_is_there(player) && !player->session->matches.count)
		player_end(player);
	else
		timer_set(&loop->timers, timer, loop->charge + LOOK_NS);
}

static void tell(struct player *player, bool online)
{
	const struct loop_client *client = player->loop->client;

	if (client && client->online)
		client->online(client->context, player->entrant, online);
}

void remote_expect(struct loop *loop, struct entrant *entrant)
{
	struct player *player = player_new(loop, entrant);

	player->state = PLAYER_EXPECTED;
	player->transport = loop->remote;
	player->timer.fire = look;
}

void remote_arrived(struct player *player)
{
	struct loop *loop = player->loop;

	timer_set(&loop->timers, &player->timer, loop_now(loop) + LOOK_NS);
	tell(player, true);
}

void remote_gone(struct player *player)
{
	tell(player, false);
}

void remote_leaves(struct player *player)
{
	struct loop *loop = player->loop;

	player->leaving = true;
	player->leave_by = loop_now(loop) + player->session->limits.bye_ms * NS_PER_MS;
	timer_set(&loop->timers, &player->timer, loop->charge + LEAVING_LOOK_NS);
}

bool loop_entrant_online(const struct entrant *entrant)
{
	for (const struct player *player = entrant->players; player;
		player = player->next)
		if (player->state == PLAYER_LIVE &&
			player->session->state == SESSION_LIVE)
			return true;
	return false;
}
