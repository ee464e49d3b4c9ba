/* Deadlines and places of connections. */
#include "arbiter/web/server/server_guests.h"
#include "protocol/memory.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_BYTES 8 /* of IPv6; more can be had for the asking */

struct guest {
	int socket;
	struct in6_addr address; /* IPv4 is mapped */
	bool own_machine;
	bool sent_off;
	enum guest_state state;
	uint64_t answer; /* bytes */
	mono_ns since;
	struct guest *next;
};

/* For the whole of a state; where it is crowded. 0: no deadline, as the number of these
 * is limited by others. */
static const struct {
	int64_t usual_s, crowded_s;
} deadlines[] = {
	[GUEST_ASKING] = {10, 1},
	[GUEST_SENDING] = {300, 300},
	[GUEST_READING] = {600, 10},
	[GUEST_FOLLOWING] = {0, 0},
};

void guests_init(struct guests *guests, const struct time_source *time)
{
	*guests = (struct guests){.time = time};
	pthread_mutex_init(&guests->mutex, NULL);
}

void guests_release(struct guests *guests)
{
	pthread_mutex_destroy(&guests->mutex);
}

/* Returns whether it is one of this machine's own. */
static bool read_address(const struct sockaddr *from, struct in6_addr *address)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)from;

	*address = (struct in6_addr){0};
	if (from->sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
		memcpy(address, &six->sin6_addr, ADDRESS_BYTES);
		return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
	}
	if (from->sa_family == AF_INET6)
		*address = six->sin6_addr;
	else
		memcpy(address->s6_addr + 12, &four->sin_addr, 4);
	address->s6_addr[10] = address->s6_addr[11] = 0xff;
	return address->s6_addr[12] == 127;
}

static int count_address(const struct guests *guests, const struct guest *like)
{
	int count = 0;

	for (const struct guest *g = guests->first; g; g = g->next)
		count += !memcmp(&g->address, &like->address, sizeof(g->address));
	return count;
}

static void drop_answer(struct guests *guests, struct guest *guest)
{
	guests->answers -= guest->answer;
	guest->answer = 0;
}

static void send_off(struct guests *guests, struct guest *guest)
{
	if (!guest->sent_off)
		shutdown(guest->socket, SHUT_RDWR);
	guest->sent_off = true;
	drop_answer(guests, guest);
}

struct guest *guests_come(
	struct guests *guests, int socket, const struct sockaddr *address)
{
	struct guest *guest = xcalloc(1, sizeof(*guest));

	guest->socket = socket;
	guest->since = time_now(guests->time);
	guest->own_machine = read_address(address, &guest->address);
	pthread_mutex_lock(&guests->mutex);
	guest->next = guests->first;
	guests->first = guest;
	guests->count++;
	if (!guest->own_machine && count_address(guests, guest) > GUESTS_ADDRESS_MAX)
		send_off(guests, guest);
	pthread_mutex_unlock(&guests->mutex);
	return guest;
}

/* NULL: nobody else holds an answer. */
static struct guest *find_longest_reader(
	const struct guests *guests, const struct guest *but)
{
	struct guest *found = NULL;

	for (struct guest *g = guests->first; g; g = g->next)
		if (g != but && g->answer && (!found || g->since < found->since))
			found = g;
	return found;
}

void guests_answer(struct guests *guests, struct guest *guest, uint64_t bytes)
{
	struct guest *reader;

	guests_enter(guests, guest, GUEST_READING);
	pthread_mutex_lock(&guests->mutex);
	if (!guest->sent_off) {
		guest->answer = bytes;
		guests->answers += bytes;
	}
	while (guests->answers > GUESTS_ANSWERS_MAX &&
		(reader = find_longest_reader(guests, guest)))
		send_off(guests, reader);
	pthread_mutex_unlock(&guests->mutex);
}

void guests_enter(struct guests *guests, struct guest *guest, enum guest_state state)
{
	pthread_mutex_lock(&guests->mutex);
	guest->state = state;
	guest->since = time_now(guests->time);
	pthread_mutex_unlock(&guests->mutex);
}

void guests_leave(struct guests *guests, struct guest **guest)
{
	struct guest **at = &guests->first;

	if (!*guest)
		return;
	pthread_mutex_lock(&guests->mutex);
	while (*at != *guest)
		at = &(*at)->next;
	*at = (*guest)->next;
	guests->count--;
	drop_answer(guests, *guest);
	pthread_mutex_unlock(&guests->mutex);
	free(*guest);
	*guest = NULL;
}

static bool is_crowded(const struct guests *guests, const struct guest *guest)
{
	return guests->count >= GUESTS_CROWDED ||
	       (!guest->own_machine &&
		       count_address(guests, guest) >= GUESTS_ADDRESS_CROWD);
}

static bool is_late(const struct guests *guests, const struct guest *guest, mono_ns now)
{
	int64_t usual_s = deadlines[guest->state].usual_s;
	int64_t crowded_s = deadlines[guest->state].crowded_s;
	mono_ns spent = now - guest->since;

	if (!usual_s || spent < crowded_s * NS_PER_S)
		return false;
	return spent >= usual_s * NS_PER_S || is_crowded(guests, guest);
}

void guests_look(struct guests *guests)
{
	mono_ns now = time_now(guests->time);

	pthread_mutex_lock(&guests->mutex);
	for (struct guest *g = guests->first; g; g = g->next)
		if (is_late(guests, g, now))
			send_off(guests, g);
	pthread_mutex_unlock(&guests->mutex);
}
