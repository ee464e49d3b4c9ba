/* Appending records to a replay and hashing them. */
#include "arbiter/replay/writer.h"
#include "protocol/limits.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SENT_MAX       1000 /* messages in one record */
#define EVIDENCE_MAX   512  /* bytes of a bot's message kept with a fault */
#define TEXT_MAX       4096 /* bytes of a text */
#define BUFFER_INITIAL 2048

static void reserve(struct replay_writer *writer, size_t more)
{
	if (more <= writer->capacity - writer->size)
		return;
	while (writer->capacity - writer->size < more)
		writer->capacity *= 2;
	writer->data = xrealloc(writer->data, writer->capacity);
}

static void append(struct replay_writer *writer, const void *bytes, size_t size)
{
	reserve(writer, size);
	memcpy(writer->data + writer->size, bytes, size);
	writer->size += size;
}

static int pack_write(void *writer, const char *bytes, size_t size)
{
	append(writer, bytes, size);
	return 0;
}

static msgpack_packer packer_on(struct replay_writer *writer)
{
	msgpack_packer packer;

	msgpack_packer_init(&packer, writer, pack_write);
	return packer;
}

static void put_u32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void open_record(struct replay_writer *writer, enum replay_type type)
{
	uint8_t head[REPLAY_HEAD_SIZE] = {0, 0, 0, 0, (uint8_t)type};

	assert(!writer->record);
	writer->record = writer->size;
	append(writer, head, sizeof(head));
}

static void close_record(struct replay_writer *writer)
{
	uint8_t chain[REPLAY_CHAIN_SIZE];
	size_t start = writer->record, before = start - REPLAY_CHAIN_SIZE;
	size_t payload = writer->size - start - REPLAY_HEAD_SIZE;

	assert(start && payload <= REPLAY_RECORD_MAX);
	put_u32(writer->data + start, (uint32_t)payload);
	crypto_generichash(chain, sizeof(chain), writer->data + before,
		writer->size - before, NULL, 0);
	append(writer, chain, sizeof(chain));
	writer->record = 0;
}

/* The SENT record stays open while messages follow each other; its array header has
 * room for the final count. */
static void close_sent(struct replay_writer *writer)
{
	uint8_t *count;

	if (!writer->sent)
		return;
	count = writer->data + writer->record + REPLAY_HEAD_SIZE + 1;
	count[0] = (uint8_t)(writer->sent >> 8);
	count[1] = (uint8_t)writer->sent;
	writer->sent = 0;
	close_record(writer);
}

static msgpack_packer begin(struct replay_writer *writer, enum replay_type type)
{
	close_sent(writer);
	open_record(writer, type);
	return packer_on(writer);
}

void replay_writer_init(struct replay_writer *writer, struct replay_sink sink)
{
	memset(writer, 0, sizeof(*writer));
	writer->sink = sink;
	writer->fd = -1;
	writer->capacity = BUFFER_INITIAL;
	writer->data = xmalloc(writer->capacity);
	append(writer, REPLAY_MAGIC, REPLAY_MAGIC_SIZE);
}

void replay_writer_release(struct replay_writer *writer)
{
	free(writer->data);
	writer->data = NULL;
	if (writer->fd >= 0)
		close(writer->fd);
	writer->fd = -1;
}

static int file_write(void *context, const void *bytes, size_t size)
{
	const struct replay_writer *writer = context;
	const uint8_t *at = bytes;

	while (size) {
		ssize_t n = write(writer->fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

int replay_open(struct replay_writer *writer, const char *path, bool compress)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	replay_writer_init(writer, (struct replay_sink){file_write, writer});
	writer->fd = fd;
	writer->compress = compress;
	snprintf(writer->path, sizeof(writer->path), "%s", path);
	return 0;
}

int replay_writer_error(const struct replay_writer *writer)
{
	return writer->error;
}

void replay_writer_chain(
	const struct replay_writer *writer, uint8_t chain[REPLAY_CHAIN_SIZE])
{
	size_t end = writer->record ? writer->record : writer->size;

	memcpy(chain, writer->data + end - REPLAY_CHAIN_SIZE, REPLAY_CHAIN_SIZE);
}

void replay_writer_flush(struct replay_writer *writer)
{
	close_sent(writer);
	assert(!writer->record);
	if (!writer->error && writer->size > writer->written) {
		writer->error = writer->sink.write(writer->sink.context,
			writer->data + writer->written, writer->size - writer->written);
		writer->bytes += writer->size - writer->written;
	}
	memmove(writer->data, writer->data + writer->size - REPLAY_CHAIN_SIZE,
		REPLAY_CHAIN_SIZE);
	writer->size = writer->written = REPLAY_CHAIN_SIZE;
}

/*
 * Small writers for the payloads. The reader is strict, and what is written may come from
 * a bot, or from a clock that went backwards; so these make it fit: whatever the writer
 * writes, the reader accepts.
 */

/* A text that is not UTF-8 is written with its bytes escaped, a long one is cut. */
static void pack_text(msgpack_packer *packer, const char *text)
{
	char shown[TEXT_MAX + 1];
	struct text fit;

	if (!text) {
		msgpack_pack_nil(packer);
		return;
	}
	fit = utf8_text(text, TEXT_MAX);
	if (!utf8_valid(fit)) {
		utf8_show(fit, shown, sizeof(shown));
		fit = text_of(shown);
	}
	msgpack_pack_str(packer, fit.size);
	msgpack_pack_str_body(packer, fit.bytes, fit.size);
}

/* A time, a duration or a count. */
static void pack_amount(msgpack_packer *packer, int64_t value)
{
	msgpack_pack_int64(packer, value < 0             ? 0
				   : value > INTEGER_MAX ? INTEGER_MAX
							 : value);
}

static void pack_bin(msgpack_packer *packer, const void *bytes, size_t size)
{
	if (!bytes) {
		msgpack_pack_nil(packer);
		return;
	}
	msgpack_pack_bin(packer, size);
	msgpack_pack_bin_body(packer, bytes, size);
}

static void pack_key_text(msgpack_packer *packer, const char *key, const char *text)
{
	pack_text(packer, key);
	pack_text(packer, text);
}

static void pack_key_int(msgpack_packer *packer, const char *key, int64_t value)
{
	pack_text(packer, key);
	msgpack_pack_int64(packer, value);
}

static void pack_key_amount(msgpack_packer *packer, const char *key, int64_t value)
{
	pack_text(packer, key);
	pack_amount(packer, value);
}

/* A duration of the clock; a reader counts it in nanoseconds. */
static void pack_key_clock(msgpack_packer *packer, const char *key, int64_t ns)
{
	const int64_t us = ns / NS_PER_US, us_max = INTEGER_MAX / NS_PER_US;

	pack_key_amount(packer, key, us < us_max ? us : us_max);
}

static void pack_players(msgpack_packer *packer, const struct replay_header *header)
{
	pack_text(packer, "players");
	msgpack_pack_array(packer, (size_t)header->setup->seats);
	for (int i = 0; i < header->setup->seats; i++) {
		const struct replay_player *player = &header->players[i];

		msgpack_pack_map(packer, 5);
		pack_key_text(packer, "name", player->name);
		pack_key_text(packer, "version", player->version);
		pack_key_text(packer, "hash", player->hash);
		pack_key_text(packer, "lang", player->language);
		pack_text(packer, "events");
		header->setup->wants_events[i] ? msgpack_pack_true(packer)
					       : msgpack_pack_false(packer);
	}
}

static void pack_clock(msgpack_packer *packer, const struct clock_rules *clock)
{
	pack_text(packer, "clock");
	msgpack_pack_map(packer, 5);
	pack_key_text(packer, "kind", clock_kind_names[clock->kind]);
	pack_key_clock(packer, "bank", clock->bank_ns);
	pack_key_clock(packer, "inc", clock->increment_ns);
	pack_key_clock(packer, "move", clock->move_ns_max);
	pack_key_clock(packer, "wall", clock->wall_ns_max);
}

static void pack_faces(msgpack_packer *packer, const struct game *game)
{
	pack_text(packer, "faces");
	msgpack_pack_array(packer, (size_t)game->face_count);
	for (int i = 0; i < game->face_count; i++)
		pack_text(packer, game->faces[i]);
}

void replay_header(struct replay_writer *writer, const struct replay_header *header)
{
	const struct compose_setup *setup = header->setup;
	msgpack_packer packer = begin(writer, REPLAY_HEADER);

	msgpack_pack_map(&packer, header->ponder_off ? 16 : 15);
	pack_key_amount(&packer, "format", REPLAY_FORMAT);
	pack_key_amount(&packer, "match", setup->match_id);
	pack_key_text(&packer, "game", setup->game->id);
	pack_key_amount(&packer, "rules", setup->game->rules_version);
	pack_text(&packer, "options");
	game_write_options(setup->game, setup->option, &packer);
	pack_key_amount(&packer, "seats", setup->seats);
	pack_faces(&packer, setup->game);
	pack_text(&packer, "names");
	setup->names_shown ? msgpack_pack_true(&packer) : msgpack_pack_false(&packer);
	pack_players(&packer, header);
	pack_clock(&packer, &setup->clock);
	pack_key_text(&packer, "policy", header->policy);
	pack_key_amount(&packer, "retries", header->retries);
	pack_key_amount(&packer, "ready", header->ready_ns_max / NS_PER_US);
	pack_text(&packer, "commit");
	pack_bin(&packer, setup->commit, sizeof(setup->commit));
	pack_key_amount(&packer, "start", header->start_unix_s);
	if (header->ponder_off)
		pack_key_text(&packer, "ponder", "off");
	close_record(writer);
}

void replay_sent(struct replay_writer *writer, enum replay_sent kind, int seat,
	struct blob message, const uint8_t *rng, const struct compose_question *question)
{
	static const uint8_t array16[3] = {0xdc, 0, 0};
	uint8_t digest[REPLAY_DIGEST_SIZE];
	msgpack_packer packer = packer_on(writer);

	if (writer->sent == SENT_MAX)
		close_sent(writer);
	if (!writer->sent) {
		open_record(writer, REPLAY_SENT);
		append(writer, array16, sizeof(array16));
	}
	writer->sent++;
	crypto_generichash(digest, sizeof(digest), message.bytes, message.size, NULL, 0);
	msgpack_pack_array(&packer, 3 + (rng ? 1 : 0) + (question ? 3 : 0));
	msgpack_pack_int(&packer, kind);
	msgpack_pack_int(&packer, seat);
	pack_bin(&packer, digest, sizeof(digest));
	if (rng)
		pack_bin(&packer, rng, CHANCE_RNG_SIZE);
	if (question) {
		msgpack_pack_uint32(&packer, question->turn);
		pack_amount(&packer, question->bank_us);
		pack_amount(&packer, question->budget_us);
	}
}

void replay_chance(
	struct replay_writer *writer, const struct chance *request, const uint8_t *order)
{
	msgpack_packer packer = begin(writer, REPLAY_CHANCE);

	msgpack_pack_array(&packer, 3);
	msgpack_pack_int(&packer, request->kind);
	msgpack_pack_int(&packer, request->index);
	pack_bin(&packer, order, request->n);
	close_record(writer);
}

void replay_action(struct replay_writer *writer, const struct game *game,
	const struct replay_decision *decision)
{
	msgpack_packer packer = begin(writer, REPLAY_ACTION);

	msgpack_pack_array(&packer, decision->turn ? 12 : 3);
	msgpack_pack_int(&packer, decision->seat);
	msgpack_pack_int(&packer, decision->by);
	game_write_action(game, decision->action, &packer);
	if (decision->turn) {
		msgpack_pack_uint32(&packer, decision->turn);
		if (decision->choice >= 0)
			msgpack_pack_int(&packer, decision->choice);
		else
			msgpack_pack_nil(&packer);
		pack_amount(&packer, decision->sent_us);
		pack_amount(&packer, decision->received_us);
		pack_amount(&packer, decision->bank_us);
		pack_amount(&packer, decision->cpu_us);
		pack_amount(&packer, decision->lag_us);
		if (decision->note.size)
			append(writer, decision->note.bytes, decision->note.size);
		else
			msgpack_pack_nil(&packer);
		pack_text(&packer, decision->offence);
	}
	close_record(writer);
}

void replay_refusal(struct replay_writer *writer, int seat, uint32_t turn,
	const struct refusal *why, int64_t received_us, const void *answer, size_t size)
{
	msgpack_packer packer = begin(writer, REPLAY_REFUSAL);

	msgpack_pack_array(&packer, 6);
	msgpack_pack_int(&packer, seat);
	msgpack_pack_uint32(&packer, turn);
	pack_text(&packer, why->clause);
	pack_text(&packer, why->why);
	pack_amount(&packer, received_us);
	pack_bin(&packer, answer, size < EVIDENCE_MAX ? size : EVIDENCE_MAX);
	close_record(writer);
}

void replay_link(struct replay_writer *writer, int seat, int64_t time_us, bool back)
{
	msgpack_packer packer = begin(writer, REPLAY_LINK);

	msgpack_pack_array(&packer, 3);
	msgpack_pack_int(&packer, seat);
	pack_amount(&packer, time_us);
	pack_text(&packer, back ? "back" : "lost");
	close_record(writer);
}

void replay_fault(struct replay_writer *writer, const struct replay_fault *fault)
{
	size_t size = fault->bytes_size < EVIDENCE_MAX ? fault->bytes_size : EVIDENCE_MAX;
	msgpack_packer packer = begin(writer, REPLAY_FAULT);

	msgpack_pack_map(&packer, 14);
	pack_key_amount(&packer, "seat", fault->seat);
	pack_key_text(&packer, "class", fault->class_name);
	pack_key_text(&packer, "phase", fault->phase);
	pack_key_amount(&packer, "turn", fault->turn);
	pack_key_amount(&packer, "time", fault->time_us);
	pack_key_text(&packer, "why", fault->why);
	pack_key_text(&packer, "verdict", fault->verdict);
	pack_key_text(&packer, "clause", fault->clause);
	pack_text(&packer, "bytes");
	pack_bin(&packer, fault->bytes, size);
	pack_text(&packer, "exit");
	if (fault->exit_status < 0)
		msgpack_pack_nil(&packer);
	else
		msgpack_pack_int(&packer, fault->exit_status);
	pack_key_int(&packer, "budget", fault->budget_us);
	pack_key_int(&packer, "overrun", fault->overrun_us);
	pack_key_int(&packer, "lag", fault->lag_us);
	pack_key_text(&packer, "stderr", fault->stderr_tail);
	close_record(writer);
}

static void pack_numbers(
	msgpack_packer *packer, const char *key, const uint32_t *numbers, int n)
{
	pack_text(packer, key);
	msgpack_pack_array(packer, (size_t)n);
	for (int i = 0; i < n; i++)
		msgpack_pack_uint32(packer, numbers[i]);
}

static void pack_seats(msgpack_packer *packer, const char *key, uint16_t set)
{
	pack_text(packer, key);
	msgpack_pack_array(packer, (size_t)__builtin_popcount(set));
	for (int seat = 0; seat < GAME_SEATS_MAX; seat++)
		if (game_seat_in(set, seat))
			msgpack_pack_int(packer, seat);
}

void replay_result(struct replay_writer *writer, const struct game *game,
	const struct replay_outcome *outcome)
{
	msgpack_packer packer = begin(writer, REPLAY_RESULT);

	msgpack_pack_map(&packer, 6);
	pack_text(&packer, "result");
	if (outcome->result)
		game_write_result(game, outcome->result, outcome->seats, &packer);
	else
		msgpack_pack_nil(&packer);
	pack_key_text(&packer, "void", outcome->void_reason);
	pack_seats(&packer, "faulted", outcome->faulted);
	pack_numbers(&packer, "decisions", outcome->decisions, outcome->seats);
	pack_numbers(&packer, "dropped", outcome->dropped, outcome->seats);
	pack_key_amount(&packer, "time", outcome->time_us);
	close_record(writer);
}

void replay_seal(struct replay_writer *writer, const uint8_t nonce[CHANCE_NONCE_SIZE],
	const uint8_t seed[CHANCE_SEED_SIZE])
{
	msgpack_packer packer = begin(writer, REPLAY_SEAL);

	msgpack_pack_array(&packer, 2);
	pack_bin(&packer, nonce, CHANCE_NONCE_SIZE);
	pack_bin(&packer, seed, CHANCE_SEED_SIZE);
	close_record(writer);
}
