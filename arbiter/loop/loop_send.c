/* Sending to bots, flush by flush, and starting the clocks of those asked. */
#include "arbiter/loop/loop_internal.h"
#include "protocol/memory.h"

#include <string.h>

static void grow(void **list, size_t *capacity, size_t needed, size_t item)
{
	if (needed <= *capacity)
		return;
	*capacity = *capacity ? *capacity : 16;
	while (*capacity < needed)
		*capacity *= 2;
	*list = xrealloc(*list, *capacity * item);
}

static void mark_dirty(struct player *player)
{
	if (player->dirty)
		return;
	player->dirty = true;
	player->next_dirty = player->loop->dirty;
	player->loop->dirty = player;
}

void player_send(struct player *player, struct blob message)
{
	struct buffer *out = &player->out;

	if (player->exit_due || player->process.exited)
		return;
	grow((void **)&out->bytes, &out->capacity, out->size + message.size, 1);
	memcpy(out->bytes + out->size, message.bytes, message.size);
	out->size += message.size;
	grow((void **)&player->sizes, &player->size_capacity, player->size_count + 1,
		sizeof(*player->sizes));
	player->sizes[player->size_count++] = message.size;
	mark_dirty(player);
}

void player_send_message(struct player *player, const struct message *message)
{
	uint8_t bytes[4096];
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));

	if (codec_encode(message, &buffer) == ERR_OK)
		player_send(player, blob_since(&buffer, 0));
}

void player_ask(struct player *player, struct seat *seat)
{
	grow((void **)&player->asked, &player->asked_capacity, player->asked_count + 1,
		sizeof(*player->asked));
	player->asked[player->asked_count++] = seat;
	mark_dirty(player);
}

void player_unask(struct player *player, const struct seat *seat)
{
	size_t kept = 0;

	for (size_t i = 0; i < player->asked_count; i++)
		if (player->asked[i] != seat)
			player->asked[kept++] = player->asked[i];
	player->asked_count = kept;
}

/* The messages of the next frame: as many as fit if the bot takes batches, else one. */
static size_t next_frame(const struct player *player, size_t *index)
{
	size_t size = player->sizes[(*index)++];

	while (player->session->batch && *index < player->size_count &&
		size + player->sizes[*index] <= ARBITER_FRAME_BYTES_MAX)
		size += player->sizes[(*index)++];
	return size;
}

/* False: the connection is dead or the bot does not read. */
static enum err send_frames(struct player *player)
{
	const uint8_t *at = player->out.bytes;
	size_t index = 0;
	enum err err = ERR_OK;

	while (index < player->size_count && err == ERR_OK) {
		size_t size = next_frame(player, &index);

		err = transport_send(player->transport, &player->session->peer, at, size);
		at += size;
		player->loop->numbers.frames_out++;
	}
	player->loop->numbers.messages_out += player->size_count;
	player->out.size = 0;
	player->size_count = 0;
	return err;
}

static void start_clocks(struct player *player)
{
	mono_ns now = loop_now(player->loop);

	if (player->asked_count)
		player->cpu_ns = process_cpu_ns(&player->process);
	for (size_t i = 0; i < player->asked_count; i++) {
		struct seat *seat = player->asked[i];
		enum clock_kind kind = seat->running->config.setup.clock.kind;

		if (!match_awaits(&seat->running->match, seat->number))
			continue;
		seat->late_ns = player->loop->late_ns;
		seat->starved_ns = sentinel_late_ns(&player->loop->sentinel, now);
		seat->cpu_ns = player_cpu_ns(player, kind);
		seat->deadline = match_asked(&seat->running->match, seat->number, now);
		timer_set(&player->loop->timers, &seat->timer, seat->deadline);
		output_mark(&player->output, seat->running->config.setup.match_id,
			seat->running->match.seat[seat->number].turn);
	}
	if (player->asked_count && !player->loop->sentinel_timer.index)
		timer_set(&player->loop->timers, &player->loop->sentinel_timer, now);
	player->asked_count = 0;
}

void player_rest(struct player *player)
{
	if (player->loop->options.ponder_off)
		mark_dirty(player);
}

/* Is there anything for the bot to do? */
static bool is_to_act(const struct player *player)
{
	const struct table *matches = &player->session->matches;

	if (player->state != PLAYER_LIVE || player->exit_due)
		return true;
	for (size_t i = 0; i < matches->capacity; i++) {
		const struct session_match *entry = matches->entries[i].value;
		const struct seat *seat = entry ? entry->user : NULL;

		if (seat && match_awaits(&seat->running->match, seat->number))
			return true;
	}
	return false;
}

static void flush(struct player *player)
{
	enum err err = ERR_OK;
	bool still = player->loop->options.ponder_off && !is_to_act(player);

	/* Continued before the question is sent, so that it loses no time. */
	if (!still)
		process_freeze(&player->process, false);
	/* A closed session still gets its farewell. */
	if (player->session->state == SESSION_LIVE ||
		player->session->state == SESSION_CLOSED)
		err = send_frames(player);
	player->out.size = 0;
	player->size_count = 0;
	start_clocks(player);
	if (still)
		process_freeze(&player->process, true);
	if (err == ERR_NO_PEER) {
		session_lost(player->session);
		player_link(player, false);
	} else if (err == ERR_AGAIN && player->state == PLAYER_LIVE) {
		player_fault(player, FAULT_DISCONNECT,
			"does not read what is sent to it; read the socket in a loop",
			NULL, (struct blob){NULL, 0});
	}
}

void players_flush(struct loop *loop)
{
	while (loop->dirty) {
		struct player *player = loop->dirty;

		loop->dirty = player->next_dirty;
		player->dirty = false;
		flush(player);
	}
}
