/* Bot folders: manifests, executables, hashes, and what is refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arbiter/bots/bot_spec.h"

/* A bot's folder that lasts as long as the test. */
struct folder {
	char path[64];
};

static void put(const struct folder *folder, const char *name, const char *text, int mode)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	file = fopen(path, "w");
	cr_assert(file);
	fputs(text, file);
	fclose(file);
	chmod(path, (mode_t)mode);
}

static void rename_in(const struct folder *folder, const char *from, const char *to)
{
	char old[512], new[512];

	snprintf(old, sizeof(old), "%s/%s", folder->path, from);
	snprintf(new, sizeof(new), "%s/%s", folder->path, to);
	cr_assert_eq(rename(old, new), 0);
}

static struct folder folder_new(const char *manifest)
{
	struct folder folder = {"/tmp/pigpen-test-XXXXXX"};

	cr_assert(mkdtemp(folder.path));
	put(&folder, "bot", "#!/bin/sh\n", 0755);
	if (manifest)
		put(&folder, "bot.json", manifest, 0644);
	return folder;
}

static void folder_remove(const struct folder *folder)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder->path);
	cr_assert_eq(system(command), 0);
}

Test(bots, a_manifest_is_read_whole)
{
	struct folder folder = folder_new(
		"{\"name\":\"pig\",\"version\":\"2\",\"author\":\"a\",\"language\":\"c\","
		"\"build\":[\"make\"],\"command\":[\"./"
		"bot\",\"-x\"],\"games\":[\"dirty_pig\"],"
		"\"transport\":\"stdio\",\"matches\":7,\"deterministic\":true}");
	struct bot_spec spec;
	struct why why = {""};

	cr_assert(bot_spec_load(&spec, folder.path, &why), "%s", why.text);
	cr_assert_str_eq(spec.name, "pig");
	cr_assert_str_eq(spec.version, "2");
	cr_assert_str_eq(spec.command[1], "-x");
	cr_assert_null(spec.command[2]);
	cr_assert_str_eq(spec.build[0], "make");
	cr_assert_eq(spec.transport, BOT_STDIO);
	cr_assert_eq(spec.matches, 7);
	cr_assert(spec.deterministic);
	cr_assert(bot_spec_plays(&spec, "dirty_pig"));
	cr_assert(!bot_spec_plays(&spec, "pig_pile"));
	cr_assert_eq(strlen(spec.hash), 64);
	bot_spec_release(&spec);
	folder_remove(&folder);
}

Test(bots, only_the_command_is_needed)
{
	struct folder folder = folder_new("{\"command\":\"echo $HOME\"}");
	struct bot_spec spec;
	struct why why = {""};

	cr_assert(bot_spec_load(&spec, folder.path, &why), "%s", why.text);
	cr_assert_str_eq(spec.command[0], "/bin/sh");
	cr_assert_str_eq(spec.command[2], "echo $HOME");
	cr_assert_str_eq(spec.name, strrchr(folder.path, '/') + 1);
	cr_assert_eq(spec.matches, 1);
	cr_assert(bot_spec_plays(&spec, "pig_pile"));
	bot_spec_release(&spec);
	folder_remove(&folder);
}

/* Names go to terminals, logs and replays. */
Test(bots, an_executable_of_any_name_has_a_harmless_one)
{
	struct folder folder = folder_new(NULL);
	struct bot_spec spec;
	struct why why = {""};
	char path[128], odd[128];

	snprintf(path, sizeof(path), "%s/bot", folder.path);
	snprintf(odd, sizeof(odd), "%s/\x1b[31m\xff \n.x", folder.path);
	cr_assert_eq(rename(path, odd), 0);
	cr_assert(bot_spec_load(&spec, odd, &why), "%s", why.text);
	cr_assert_str_eq(spec.name, "__31m___.x");
	bot_spec_release(&spec);
	cr_assert_eq(rename(odd, path), 0);
	folder_remove(&folder);
}

Test(bots, an_executable_is_a_bot)
{
	struct folder folder = folder_new(NULL);
	struct bot_spec spec;
	struct why why = {""};
	char path[128];

	snprintf(path, sizeof(path), "%s/bot", folder.path);
	cr_assert(bot_spec_load(&spec, path, &why), "%s", why.text);
	cr_assert_str_eq(spec.name, "bot");
	cr_assert_str_eq(spec.folder, folder.path);
	bot_spec_release(&spec);
	folder_remove(&folder);
}

Test(bots, what_is_wrong_is_named)
{
	static const struct {
		const char *manifest, *expected;
	} wrong[] = {
		{"{", "bot.json"},
		{"[]", "JSON object"},
		{"{}", "\"command\" is missing"},
		{"{\"command\":[1]}", "strings only"},
		{"{\"command\":[\"./missing\"]}", "No such file"},
		{"{\"command\":[\"./missing\"],\"build\":[\"make\"]}",
			"build the bot first: (cd "},
		{"{\"command\":[\"./bot\"],\"name\":\"../x\"}", "\"name\""},
		{"{\"command\":[\"./bot\"],\"name\":3}", "\"name\""},
		{"{\"command\":[\"./bot\"],\"matches\":0}", "\"matches\""},
		{"{\"command\":[\"./bot\"],\"transport\":\"http\"}", "\"transport\""},
		{"{\"command\":[\"./bot\"],\"games\":\"all\"}", "\"games\""},
		{"{\"command\":[\"./bot\"],\"command\":[\"./bot\"]}", "duplicate"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct folder folder = folder_new(wrong[i].manifest);
		struct bot_spec spec;
		struct why why = {""};

		cr_assert(!bot_spec_load(&spec, folder.path, &why), "%s",
			wrong[i].manifest);
		cr_assert(strstr(why.text, wrong[i].expected), "%s: %s",
			wrong[i].manifest, why.text);
		folder_remove(&folder);
	}
}

Test(bots, a_name_that_is_nothing_says_what_is_allowed)
{
	struct bot_spec spec;
	struct why why = {""};

	cr_assert(!bot_spec_load(&spec, "no-such-bot", &why));
	cr_assert(strstr(why.text, "no-such-bot") && strstr(why.text, "bot.json"), "%s",
		why.text);
}

static void hash_of(const struct folder *folder, char hash[BOT_HASH_SIZE])
{
	struct why why = {""};

	cr_assert(bot_hash(folder->path, hash, &why), "%s", why.text);
}

Test(bots, the_hash_changes_with_content_name_and_mode_only)
{
	struct folder folder = folder_new("{}"), copy = folder_new("{}");
	char before[BOT_HASH_SIZE], after[BOT_HASH_SIZE];

	hash_of(&folder, before);
	hash_of(&copy, after);
	cr_assert_str_eq(before, after, "the place does not matter");
	put(&copy, ".hidden", "x", 0644);
	hash_of(&copy, after);
	cr_assert_str_eq(before, after, "hidden files do not matter");
	put(&copy, "bot.json", "{ }", 0644);
	hash_of(&copy, after);
	cr_assert_str_neq(before, after, "content matters");
	put(&copy, "bot.json", "{}", 0755);
	hash_of(&copy, after);
	cr_assert_str_neq(before, after, "the mode matters");
	put(&copy, "bot.json", "{}", 0644);
	hash_of(&copy, after);
	cr_assert_str_eq(before, after, "all is as it was");
	/* It stays the first of the two. */
	rename_in(&copy, "bot", "boa");
	hash_of(&copy, after);
	cr_assert_str_neq(before, after, "names matter");
	rename_in(&copy, "boa", "bot");
	put(&copy, "empty", "", 0644);
	hash_of(&copy, after);
	cr_assert_str_neq(before, after, "empty files matter");
	folder_remove(&folder);
	folder_remove(&copy);
}

static void link_in(const struct folder *folder, const char *target, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	unlink(path);
	cr_assert_eq(symlink(target, path), 0);
}

Test(bots, the_hash_follows_no_links_and_opens_no_pipes)
{
	struct folder folder = folder_new("{}"), other = folder_new("{}");
	char before[BOT_HASH_SIZE], after[BOT_HASH_SIZE], path[512];

	link_in(&folder, other.path, "folder");
	snprintf(path, sizeof(path), "%s/bot", other.path);
	link_in(&folder, path, "file");
	link_in(&folder, "/proc/kmsg", "endless");
	link_in(&folder, "nowhere", "broken");
	snprintf(path, sizeof(path), "%s/pipe", folder.path);
	cr_assert_eq(mkfifo(path, 0600), 0);
	hash_of(&folder, before);
	put(&other, "bot", "something else", 0755);
	hash_of(&folder, after);
	cr_assert_str_eq(before, after, "what links lead to does not matter");
	link_in(&folder, "elsewhere", "broken");
	hash_of(&folder, after);
	cr_assert_str_neq(before, after, "what links say matters");
	folder_remove(&folder);
	folder_remove(&other);
}

static void expect_no_manifest(const struct folder *folder, const char *expected)
{
	struct bot_spec spec;
	struct why why = {""};

	cr_assert_not(bot_spec_load(&spec, folder->path, &why));
	cr_assert(strstr(why.text, expected), "%s", why.text);
}

Test(bots, a_manifest_is_a_small_regular_file)
{
	struct folder folder = folder_new("{\"command\":[\"./bot\"]}");
	char path[512], large[BOT_MANIFEST_MAX + 2];

	rename_in(&folder, "bot.json", "other.json");
	link_in(&folder, "other.json", "bot.json");
	expect_no_manifest(&folder, "bot.json is a link");
	link_in(&folder, "/etc/passwd", "bot.json");
	expect_no_manifest(&folder, "bot.json is a link");
	snprintf(path, sizeof(path), "%s/bot.json", folder.path);
	unlink(path);
	cr_assert_eq(mkfifo(path, 0600), 0);
	expect_no_manifest(&folder, "not a regular file");
	unlink(path);
	memset(large, ' ', sizeof(large));
	memcpy(large, "{}", 2);
	large[sizeof(large) - 1] = 0;
	put(&folder, "bot.json", large, 0644);
	expect_no_manifest(&folder, "65536 bytes at most");
	folder_remove(&folder);
}

Test(bots, a_manifest_does_not_find_out_what_the_host_has)
{
	static const char *const commands[] = {"/etc/shadow", "/no/such/file",
		"../../etc/shadow", "./x/../../y", "x/.."};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		char manifest[128];
		struct folder folder;
		struct bot_spec spec;
		struct why why = {""};

		snprintf(manifest, sizeof(manifest), "{\"command\":[\"%s\"]}",
			commands[i]);
		folder = folder_new(manifest);
		cr_assert(bot_spec_load(&spec, folder.path, &why), "%s", why.text);
		bot_spec_release(&spec);
		folder_remove(&folder);
	}
}
