/*
 * Remote bots: they come, go and come back by themselves.
 *
 *     EXPECTED ── hello ──► LIVE ── connection dead ──► LIVE, but lost
 *                           │ ▲                            │
 *                           │ └───────── hello ────────────┤
 *                           └─► ENDING ◄───────────────────┘ in no match
 *            broke the protocol, bye
 *
 * Whoever is lost stays in its matches, whose clocks go on. Beside one that ends there is
 * soon another that is expected.
 */
#include "arbiter/loop/loop_internal.h"

/* How often a bot that has nothing to do is looked after. */
#define LOOK_NS NS_PER_S

bool remote_is_there(struct player *player)
{
	bool was = player->session->state == SESSION_LIVE;

	if (player_connected(player))
		return true;
	if (was)
		player_link(player, false);
	return false;
}

/* libzmq tells of a lost connection only when one tries to send. */
static void look(struct loop *loop, struct timer *timer)
{
	struct player *player = timer->owner;

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

bool loop_entrant_online(const struct entrant *entrant)
{
	for (const struct player *player = entrant->players; player;
		player = player->next)
		if (player->state == PLAYER_LIVE &&
			player->session->state == SESSION_LIVE)
			return true;
	return false;
}
