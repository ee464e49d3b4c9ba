/* The replay writer: records, chain, errors, compressed files, syncing. */
#include <criterion/criterion.h>
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include "arbiter/replay/writer.h"

struct memory {
	uint8_t bytes[1 << 16];
	size_t size;
	int writes, error;
};

static int keep(void *context, const void *bytes, size_t size)
{
	struct memory *memory = context;

	if (memory->error)
		return memory->error;
	memcpy(memory->bytes + memory->size, bytes, size);
	memory->size += size;
	memory->writes++;
	return 0;
}

static struct compose_setup setup(void)
{
	struct compose_setup setup = {
		.game = game_list[0], .seats = game_list[0]->seats_min, .match_id = 5};

	game_defaults(setup.game, setup.option);
	return setup;
}

static void write_header(struct replay_writer *writer)
{
	static const struct replay_player players[GAME_SEATS_MAX];
	struct compose_setup s = setup();

	replay_header(
		writer, &(struct replay_header){
				.setup = &s, .players = players, .policy = "forfeit"});
}

static void write_chance(struct replay_writer *writer)
{
	struct chance request = {.kind = CHANCE_DEAL, .n = 3, .index = 1};

	replay_chance(writer, &request, (const uint8_t[]){2, 0, 1});
}

static void write_sent(struct replay_writer *writer, int seat)
{
	struct blob message = {(const uint8_t *)"hello", 5};

	replay_sent(writer, SENT_EVENT, seat, message, NULL, NULL);
}

static uint32_t u32(const uint8_t *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Walks the records with code of its own; fills their types, returns their number. */
static int walk(const uint8_t *bytes, size_t size, uint8_t *types)
{
	size_t at = REPLAY_MAGIC_SIZE;
	int n = 0;

	cr_assert_geq(size, REPLAY_MAGIC_SIZE);
	cr_assert_arr_eq(bytes, REPLAY_MAGIC, REPLAY_MAGIC_SIZE);
	while (at < size) {
		uint32_t payload = u32(bytes + at);
		uint8_t chain[REPLAY_CHAIN_SIZE];

		cr_assert_leq(at + 5 + payload + 16, size);
		types[n++] = bytes[at + 4];
		crypto_generichash(
			chain, sizeof(chain), bytes + at - 16, 16 + 5 + payload, NULL, 0);
		at += 5 + payload;
		cr_assert_arr_eq(bytes + at, chain, sizeof(chain));
		at += sizeof(chain);
	}
	return n;
}

Test(replay_writer, records_are_chained_from_the_magic_on)
{
	static struct memory memory;
	struct replay_writer writer;
	uint8_t types[16], chain[16];

	replay_writer_init(&writer, (struct replay_sink){keep, &memory});
	write_header(&writer);
	write_chance(&writer);
	replay_writer_flush(&writer);
	replay_link(&writer, 1, 1000, true);
	replay_writer_flush(&writer);
	cr_assert_eq(memory.writes, 2);
	cr_assert_eq(walk(memory.bytes, memory.size, types), 3);
	cr_assert_eq(types[0], REPLAY_HEADER);
	cr_assert_eq(types[1], REPLAY_CHANCE);
	cr_assert_eq(types[2], REPLAY_LINK);
	replay_writer_chain(&writer, chain);
	cr_assert_arr_eq(chain, memory.bytes + memory.size - 16, 16);
	replay_writer_release(&writer);
}

Test(replay_writer, messages_that_follow_each_other_share_a_record)
{
	static struct memory memory;
	struct replay_writer writer;
	uint8_t types[16], digest[16];
	const uint8_t *payload = memory.bytes + REPLAY_MAGIC_SIZE + REPLAY_HEAD_SIZE;

	replay_writer_init(&writer, (struct replay_sink){keep, &memory});
	write_sent(&writer, 0);
	write_sent(&writer, 1);
	write_chance(&writer);
	write_sent(&writer, 2);
	replay_writer_flush(&writer);
	cr_assert_eq(walk(memory.bytes, memory.size, types), 3);
	cr_assert_arr_eq(
		types, ((uint8_t[]){REPLAY_SENT, REPLAY_CHANCE, REPLAY_SENT}), 3);
	crypto_generichash(digest, 16, (const uint8_t *)"hello", 5, NULL, 0);
	cr_assert_arr_eq(
		payload, ((uint8_t[]){0xdc, 0, 2, 0x93, SENT_EVENT, 0, 0xc4, 16}), 8);
	cr_assert_arr_eq(payload + 8, digest, 16);
	replay_writer_release(&writer);
}

Test(replay_writer, many_messages_do_not_overflow_a_record)
{
	static struct memory memory;
	struct replay_writer writer;
	uint8_t types[16];

	replay_writer_init(&writer, (struct replay_sink){keep, &memory});
	for (int i = 0; i < 2500; i++)
		write_sent(&writer, i % 4);
	replay_writer_flush(&writer);
	cr_assert_eq(walk(memory.bytes, memory.size, types), 3);
	replay_writer_release(&writer);
}

Test(replay_writer, an_error_is_remembered_and_nothing_follows_it)
{
	static struct memory memory;
	struct replay_writer writer;

	replay_writer_init(&writer, (struct replay_sink){keep, &memory});
	memory.error = ENOSPC;
	write_chance(&writer);
	replay_writer_flush(&writer);
	memory.error = 0;
	write_chance(&writer);
	replay_writer_flush(&writer);
	cr_assert_eq(replay_writer_error(&writer), ENOSPC);
	cr_assert_eq(memory.size, 0);
	replay_writer_release(&writer);
}

static size_t read_file(const char *path, uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "rb");
	size_t n;

	cr_assert(file, "%s", path);
	n = fread(bytes, 1, size, file);
	fclose(file);
	return n;
}

static void temporary(char path[64])
{
	strcpy(path, "/tmp/pigpen-test-XXXXXX");
	close(mkstemp(path));
	unlink(path);
}

Test(replay_writer, files_are_private_new_and_whole_after_each_flush)
{
	static uint8_t bytes[4096];
	struct replay_writer writer, second;
	struct stat info;
	uint8_t types[16];
	char path[64];

	temporary(path);
	cr_assert_eq(replay_open(&writer, path, false), 0);
	cr_assert_eq(replay_open(&second, path, false), EEXIST);
	write_chance(&writer);
	replay_writer_flush(&writer);
	write_chance(&writer);
	cr_assert_eq(walk(bytes, read_file(path, bytes, sizeof(bytes)), types), 1);
	cr_assert_eq(stat(path, &info), 0);
	cr_assert_eq(info.st_mode & 0777, 0600);
	cr_assert_eq(replay_close(&writer), 0);
	cr_assert_eq(walk(bytes, read_file(path, bytes, sizeof(bytes)), types), 2);
	unlink(path);
}

Test(replay_writer, a_finished_file_is_replaced_by_its_compressed_form)
{
	static uint8_t packed[1 << 16], bytes[1 << 18];
	struct replay_writer writer;
	uint8_t types[4000];
	char path[64];
	size_t size;

	temporary(path);
	cr_assert_eq(replay_open(&writer, path, true), 0);
	for (int i = 0; i < 3000; i++)
		write_chance(&writer);
	cr_assert_eq(replay_close(&writer), 0);
	cr_assert_eq(access(path, F_OK), 0, "it stays until the other has a name");
	replay_sync_names(&(struct replay_writer *){&writer}, 1);
	cr_assert_eq(replay_writer_error(&writer), 0);
	cr_assert_neq(access(path, F_OK), 0);
	cr_assert_eq(strcmp(writer.path + strlen(writer.path) - 4, ".zst"), 0);
	size = read_file(writer.path, packed, sizeof(packed));
	size = ZSTD_decompress(bytes, sizeof(bytes), packed, size);
	cr_assert(!ZSTD_isError(size));
	cr_assert_eq(walk(bytes, size, types), 3000);
	unlink(writer.path);
}

/* fsync refuses a pipe, which stands for a disk that fails for one file. */
Test(replay_writer, files_synced_together_are_whole_and_keep_their_own_errors)
{
	struct replay_writer writer[20], *list[20];
	char path[20][64];
	int ends[2];

	for (int i = 0; i < 20; i++) {
		snprintf(
			path[i], sizeof(path[i]), "build/sync-%d-%d.replay", getpid(), i);
		cr_assert_eq(replay_open(&writer[i], path[i], false), 0);
		write_header(&writer[i]);
		list[i] = &writer[i];
	}
	cr_assert_eq(pipe(ends), 0);
	cr_assert_geq(dup2(ends[1], writer[7].fd), 0);
	replay_sync(list, 20);
	for (int i = 0; i < 20; i++) {
		struct stat info;

		cr_assert_eq(replay_close(&writer[i]), i == 7 ? EINVAL : 0, "%d", i);
		cr_assert_eq(stat(path[i], &info), 0);
		cr_assert_eq(info.st_size, i == 7 ? 0 : (off_t)writer[i].bytes);
		unlink(path[i]);
	}
}
