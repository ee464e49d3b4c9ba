/* Archives that a stranger might send. */
#include "arbiter/ladder/directory/ladder.h"
#include "arbiter/ladder/submit/unpack.h"
#include "arbiter/base/files.h"

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], tree[80], file[80];
static struct why why;
static struct unpack_limits limits;

static void set_up(void)
{
	strcpy(folder, "/tmp/pigpen-unpack-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	snprintf(tree, sizeof(tree), "%s/tree", folder);
	snprintf(file, sizeof(file), "%s/archive", folder);
	cr_assert_eq(mkdir(tree, 0755), 0);
	limits = unpack_limits_default;
}

static void tear_down(void)
{
	remove_tree(folder);
}

TestSuite(unpack, .init = set_up, .fini = tear_down);

static struct archive *begin(int (*format)(struct archive *), int filters)
{
	struct archive *archive = archive_write_new();

	cr_assert_eq(format(archive), ARCHIVE_OK);
	for (int i = 0; i < filters; i++)
		cr_assert_eq(archive_write_add_filter_gzip(archive), ARCHIVE_OK);
	cr_assert_eq(archive_write_open_filename(archive, file), ARCHIVE_OK);
	return archive;
}

static void finish(struct archive *archive)
{
	cr_assert_eq(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
}

/* An entry of `size` zeros; `link` is what a link points at. */
static void put(struct archive *archive, const char *path, mode_t mode, int64_t size,
	const char *link, bool hard)
{
	static const char zeros[65536];
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, path);
	archive_entry_set_mode(entry, mode);
	archive_entry_set_size(entry, size);
	if (link && hard)
		archive_entry_set_hardlink(entry, link);
	else if (link)
		archive_entry_set_symlink(entry, link);
	cr_assert_geq(archive_write_header(archive, entry), ARCHIVE_WARN, "%s",
		archive_error_string(archive));
	for (int64_t left = size; left > 0;) {
		la_ssize_t n = archive_write_data(archive, zeros,
			left < (int64_t)sizeof(zeros) ? (size_t)left : sizeof(zeros));

		cr_assert_gt(n, 0);
		left -= n;
	}
	archive_entry_free(entry);
}

static void put_file(struct archive *archive, const char *path)
{
	put(archive, path, S_IFREG | 0644, 5, NULL, false);
}

static bool unpack(void)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool ok;

	cr_assert_geq(fd, 0);
	*why.text = 0;
	ok = unpack_here(fd, tree, &limits, &why);
	close(fd);
	return ok;
}

static int entries_of(const char *path)
{
	struct dirent **list;
	int n = scandir(path, &list, NULL, NULL);

	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return n - 2;
}

static void clear_tree(void)
{
	remove_tree(tree);
	cr_assert_eq(mkdir(tree, 0755), 0);
}

/* It is refused with that word, and nothing lies outside of the tree. */
static void expect_refused(const char *word)
{
	cr_assert_not(unpack(), "taken, though it should be refused with '%s'", word);
	cr_assert_not_null(strstr(why.text, word), "refused with: %s", why.text);
	cr_assert_eq(entries_of(folder), 2);
	clear_tree();
}

static void expect_one_refused(
	const char *path, mode_t mode, const char *link, bool hard, const char *word)
{
	struct archive *archive = begin(archive_write_set_format_gnutar, 0);

	put_file(archive, "bot.json");
	put(archive, path, mode, 0, link, hard);
	finish(archive);
	expect_refused(word);
}

static bool is_there(const char *path, mode_t mode)
{
	char whole[400];
	struct stat info;

	snprintf(whole, sizeof(whole), "%s/%s", tree, path);
	return lstat(whole, &info) == 0 && info.st_mode == mode;
}

Test(unpack, what_people_pack_is_taken)
{
	int (*const formats[])(struct archive *) = {archive_write_set_format_ustar,
		archive_write_set_format_pax_restricted, archive_write_set_format_gnutar,
		archive_write_set_format_zip};

	for (int i = 0; i < 8; i++) {
		bool tar = i % 4 != 3;
		struct archive *archive = begin(formats[i % 4], tar ? i / 4 : 0);

		put(archive, "mybot/", S_IFDIR | 02777, 0, NULL, false);
		put_file(archive, "./mybot//bot.json");
		put(archive, "mybot/deep/er/run", S_IFREG | 0751, 70000, NULL, false);
		put_file(archive, "mybot/Grüße.txt");
		finish(archive);
		cr_assert(unpack(), "format %d: %s", i, why.text);
		cr_assert(is_there("mybot/bot.json", S_IFREG | 0644));
		cr_assert(is_there("mybot/deep/er/run", S_IFREG | 0755));
		cr_assert(is_there("mybot/deep", S_IFDIR | 0755));
		remove_tree(tree);
		mkdir(tree, 0755);
	}
}

Test(unpack, every_compression_is_taken)
{
	int (*const filters[])(struct archive *) = {archive_write_add_filter_gzip,
		archive_write_add_filter_bzip2, archive_write_add_filter_xz,
		archive_write_add_filter_zstd};

	for (int i = 0; i < 4; i++) {
		struct archive *archive = archive_write_new();
		char name[32];

		archive_write_set_format_ustar(archive);
		cr_assert_eq(filters[i](archive), ARCHIVE_OK);
		cr_assert_eq(archive_write_open_filename(archive, file), ARCHIVE_OK);
		snprintf(name, sizeof(name), "file%d", i);
		put_file(archive, name);
		finish(archive);
		cr_assert(unpack(), "filter %d: %s", i, why.text);
		cr_assert(is_there(name, S_IFREG | 0644));
	}
}

Test(unpack, paths_that_lead_out_are_refused)
{
	expect_one_refused("../out", S_IFREG | 0644, NULL, false, "leads out");
	expect_one_refused("a/../../out", S_IFREG | 0644, NULL, false, "leads out");
	expect_one_refused("a/..", S_IFDIR | 0755, NULL, false, "leads out");
	expect_one_refused(
		"/tmp/pigpen-out", S_IFREG | 0644, NULL, false, "absolute path");
	expect_one_refused("..\\out", S_IFREG | 0644, NULL, false, "backslashes");
	expect_one_refused("a\nb", S_IFREG | 0644, NULL, false, "control characters");
}

Test(unpack, all_but_files_and_folders_is_refused)
{
	expect_one_refused("link", S_IFLNK | 0777, "/etc/passwd", false, "is a link");
	expect_one_refused("inner", S_IFLNK | 0777, "bot.json", false, "is a link");
	expect_one_refused("hard", S_IFREG | 0644, "bot.json", true, "is a link");
	expect_one_refused("hard", S_IFREG | 0644, "/etc/passwd", true, "is a link");
	expect_one_refused("device", S_IFCHR | 0666, NULL, false, "neither a file");
	expect_one_refused("disk", S_IFBLK | 0666, NULL, false, "neither a file");
	expect_one_refused("pipe", S_IFIFO | 0666, NULL, false, "neither a file");
	expect_one_refused("root", S_IFREG | 04755, NULL, false, "setuid");
	expect_one_refused("group", S_IFREG | 02755, NULL, false, "setgid");
}

Test(unpack, a_link_in_a_zip_is_refused)
{
	struct archive *archive = begin(archive_write_set_format_zip, 0);

	put_file(archive, "bot.json");
	put(archive, "link", S_IFLNK | 0777, 0, "/etc/passwd", false);
	finish(archive);
	expect_refused("is a link");
}

Test(unpack, duplicates_are_refused)
{
	expect_one_refused("bot.json", S_IFREG | 0644, NULL, false, "occurs twice");
	expect_one_refused("./bot.json", S_IFREG | 0644, NULL, false, "occurs twice");
	expect_one_refused("bot.json", S_IFDIR | 0755, NULL, false, "occurs twice");
	expect_one_refused("bot.json/inner", S_IFREG | 0644, NULL, false, "occurs twice");
}

Test(unpack, what_is_too_long_or_too_deep_is_refused)
{
	char path[600] = "";

	memset(path, 'x', 201);
	expect_one_refused(path, S_IFREG | 0644, NULL, false, "200 bytes");
	*path = 0;
	for (int i = 0; i < 17; i++)
		strcat(path, "d/");
	expect_one_refused(path, S_IFDIR | 0755, NULL, false, "16 deep");
}

Test(unpack, too_many_entries_are_refused)
{
	struct archive *archive = begin(archive_write_set_format_ustar, 1);
	char path[32];

	limits.entries_max = 20;
	for (int i = 0; i < 21; i++) {
		snprintf(path, sizeof(path), "file%d", i);
		put_file(archive, path);
	}
	finish(archive);
	expect_refused("more than 20 files");
}

Test(unpack, folders_that_are_not_named_count_too)
{
	struct archive *archive = begin(archive_write_set_format_ustar, 1);
	char path[64];

	limits.entries_max = 20;
	for (int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "a%d/b/c/file", i);
		put_file(archive, path);
	}
	finish(archive);
	expect_refused("more than 20 files");
}

Test(unpack, a_bomb_is_stopped)
{
	struct archive *archive = begin(archive_write_set_format_ustar, 1);
	struct stat info;

	limits.bytes_max = 1 << 20;
	put(archive, "small", S_IFREG | 0644, 600000, NULL, false);
	put(archive, "bomb", S_IFREG | 0644, 600000, NULL, false);
	finish(archive);
	cr_assert_eq(stat(file, &info), 0);
	cr_assert_lt(info.st_size, 10000);
	expect_refused("more than 1048576 bytes");
}

Test(unpack, a_file_that_is_too_large_is_not_opened)
{
	struct archive *archive = begin(archive_write_set_format_ustar, 0);

	limits.packed_bytes_max = 1000;
	put_file(archive, "bot.json");
	finish(archive);
	expect_refused("more than 1000 bytes");
}

Test(unpack, shells_in_shells_are_refused)
{
	struct archive *archive = begin(archive_write_set_format_ustar, 2);

	put_file(archive, "bot.json");
	finish(archive);
	expect_refused("more than once");
}

static size_t read_archive(char *bytes, size_t room)
{
	FILE *in = fopen(file, "re");
	size_t size = fread(bytes, 1, room, in);

	fclose(in);
	cr_assert_lt(size, room);
	return size;
}

static void write_archive(const char *bytes, size_t size)
{
	FILE *out = fopen(file, "we");

	cr_assert_eq(fwrite(bytes, 1, size, out), size);
	fclose(out);
}

static void make_sample(int (*format)(struct archive *), int filters)
{
	struct archive *archive = begin(format, filters);

	put_file(archive, "bot/bot.json");
	put(archive, "bot/run", S_IFREG | 0755, 3000, NULL, false);
	finish(archive);
}

/* The directory of a zip names sizes that need not be true. */
Test(unpack, a_bomb_that_lies_about_its_size_is_stopped)
{
	struct archive *archive = begin(archive_write_set_format_zip, 0);
	char bytes[65536];
	size_t size, found = 0;

	limits.bytes_max = 1 << 20;
	put(archive, "bomb", S_IFREG | 0644, 4 << 20, NULL, false);
	finish(archive);
	size = read_archive(bytes, sizeof(bytes));
	for (size_t at = 0; at + 28 < size; at++) {
		bool local = !memcmp(bytes + at, "PK\3\4", 4);
		bool central = !memcmp(bytes + at, "PK\1\2", 4);

		if (local || central)
			memcpy(bytes + at + (local ? 22 : 24), "\x10\0\0", 4);
		found += central;
	}
	cr_assert_eq(found, 1);
	write_archive(bytes, size);
	expect_refused("more than 1048576 bytes");
}

/* Within a header, and within the data of a file. */
Test(unpack, a_plain_tar_that_was_cut_short_is_refused)
{
	static const size_t cuts[] = {1124, 1700, 2600};
	char bytes[65536];

	make_sample(archive_write_set_format_ustar, 0);
	read_archive(bytes, sizeof(bytes));
	for (int i = 0; i < 3; i++) {
		write_archive(bytes, cuts[i]);
		expect_refused("cut short");
	}
}

Test(unpack, what_was_cut_short_is_refused)
{
	char bytes[65536];
	size_t size;

	make_sample(archive_write_set_format_ustar, 1);
	size = read_archive(bytes, sizeof(bytes));
	for (size_t cut = 0; cut < size - 1; cut++) {
		write_archive(bytes, cut);
		cr_assert_not(unpack(), "taken with %zu of %zu bytes", cut, size);
		clear_tree();
	}
}

Test(unpack, what_is_no_archive_is_refused)
{
	write_archive("", 0);
	expect_refused("not a supported archive");
	write_archive("hello, world\n", 13);
	expect_refused("not a supported archive");
}

/* Formats that libarchive could read, but nobody needs. */
Test(unpack, other_formats_are_refused)
{
	make_sample(archive_write_set_format_7zip, 0);
	expect_refused("not a supported archive");
	make_sample(archive_write_set_format_cpio, 0);
	expect_refused("not a supported archive");
	/* It begins with zeros, as a tar does that has come to its end. */
	make_sample(archive_write_set_format_iso9660, 0);
	expect_refused("it is empty");
}

Test(unpack, an_encrypted_zip_is_refused)
{
	struct archive *archive = archive_write_new();

	archive_write_set_format_zip(archive);
	if (archive_write_set_options(archive, "zip:encryption=zipcrypt"))
		cr_skip_test("libarchive was built without encryption");
	archive_write_set_passphrase(archive, "secret");
	cr_assert_eq(archive_write_open_filename(archive, file), ARCHIVE_OK);
	put_file(archive, "bot.json");
	finish(archive);
	expect_refused("encrypted");
}

/* Flags and methods of the local headers and of the directory, each bit by itself. */
Test(unpack, odd_flags_in_a_zip_do_no_harm)
{
	char bytes[65536], changed[65536];
	size_t size;

	make_sample(archive_write_set_format_zip, 0);
	size = read_archive(bytes, sizeof(bytes));
	for (size_t at = 0; at + 12 < size; at++) {
		bool local = !memcmp(bytes + at, "PK\3\4", 4);
		bool central = !memcmp(bytes + at, "PK\1\2", 4);

		for (int bit = 0; (local || central) && bit < 32; bit++) {
			size_t from = at + (local ? 6 : 8) + (size_t)bit / 8;

			memcpy(changed, bytes, size);
			changed[from] = (char)(changed[from] ^ 1 << bit % 8);
			write_archive(changed, size);
			unpack();
			cr_assert_eq(entries_of(folder), 2);
			clear_tree();
		}
	}
}

/* Whatever the bytes: an answer, and nothing outside of the tree. */
Test(unpack, random_damage_does_no_harm)
{
	int (*const formats[])(struct archive *) = {archive_write_set_format_pax,
		archive_write_set_format_gnutar, archive_write_set_format_zip};
	char bytes[65536], changed[65536];
	unsigned seed = 1;

	for (int f = 0; f < 3; f++) {
		size_t size;

		make_sample(formats[f], 0);
		size = read_archive(bytes, sizeof(bytes));
		for (int i = 0; i < 200; i++) {
			memcpy(changed, bytes, size);
			for (int k = 0; k < 6; k++) {
				seed = seed * 1103515245 + 12345;
				changed[(seed >> 8) % size] = (char)(seed >> 24);
			}
			write_archive(changed, size);
			unpack();
			cr_assert_eq(entries_of(folder), 2);
			clear_tree();
		}
	}
}
