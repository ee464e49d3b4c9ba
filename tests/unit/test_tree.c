/* Trees that somebody else has put together: walked, copied, sent through a pipe and made
 * anew, whatever they hold. */
#include "arbiter/base/files.h"
#include "arbiter/base/tree.h"
#include "arbiter/base/tree_stream.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE_NS (60 * NS_PER_S)

static char folder[64];
static struct why why;
static struct tree_limits limits;

static void set_up(void)
{
	strcpy(folder, "/tmp/pigpen-tree-XXXXXX");
	cr_assert(mkdtemp(folder));
	*why.text = 0;
	limits = (struct tree_limits){.bytes_max = 1000,
		.entries_max = 20,
		.path_max = 60,
		.depth_max = 4,
		.links = true};
}

static void tear_down(void)
{
	cr_expect(remove_tree(folder));
}

TestSuite(tree, .init = set_up, .fini = tear_down);

static const char *in(const char *name)
{
	static char path[4][160];
	static int next;
	char *one = path[next++ % 4];

	snprintf(one, sizeof(path[0]), "%s/%s", folder, name);
	return one;
}

static void put(const char *name, const char *text, mode_t mode)
{
	cr_assert(make_folders_for(in(name)));
	cr_assert(write_file_whole(in(name), text, strlen(text), mode));
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

Test(tree, is_copied_without_hidden_files)
{
	struct stat info;

	umask(077);
	put("from/sub/tool", "#!", 0700);
	put("from/.hidden", "x", 0600);
	put("from/__pycache__/x", "x", 0600);
	cr_assert(tree_copy(in("from"), in("to"), &why), "%s", why.text);
	cr_assert_eq(stat(in("to/sub/tool"), &info), 0);
	cr_expect_eq(info.st_size, 2);
	cr_expect_eq(info.st_mode & 07777, 0755, "whatever the umask is");
	cr_assert_eq(stat(in("to/sub"), &info), 0);
	cr_expect_eq(info.st_mode & 07777, 0755);
	cr_expect_eq(entries_of(in("to")), 1);
}

Test(tree, with_links_or_pipes_is_not_copied)
{
	put("from/sub/file", "x", 0600);
	cr_assert_eq(symlink("/etc/passwd", in("from/sub/link")), 0);
	cr_expect_not(tree_copy(in("from"), in("to"), &why));
	cr_expect(strstr(why.text, "sub/link: it is a symbolic link"), "%s", why.text);
	cr_assert_eq(unlink(in("from/sub/link")), 0);
	cr_assert_eq(mkfifo(in("from/sub/pipe"), 0600), 0);
	cr_expect_not(tree_copy(in("from"), in("again"), &why));
	cr_expect(strstr(why.text, "sub/pipe: it is neither a file nor a folder"), "%s",
		why.text);
}

Test(tree, opens_only_regular_files_and_never_waits)
{
	size_t size;
	char *text;

	put("file", "hello", 0600);
	cr_assert_eq(symlink("file", in("link")), 0);
	cr_assert_eq(mkfifo(in("pipe"), 0600), 0);
	cr_expect_lt(open_file(AT_FDCWD, in("link")), 0);
	cr_expect_eq(errno, ELOOP);
	cr_expect_lt(open_file(AT_FDCWD, in("pipe")), 0);
	cr_expect_eq(errno, EINVAL);
	cr_expect_lt(open_file(AT_FDCWD, folder), 0);
	cr_expect_eq(errno, EINVAL);
	cr_expect_lt(open_file(AT_FDCWD, "/dev/zero"), 0);
	cr_expect_eq(errno, EINVAL);
	text = read_file_whole(AT_FDCWD, in("file"), 5, &size);
	cr_assert_str_eq(text, "hello");
	free(text);
	cr_expect_null(read_file_whole(AT_FDCWD, in("file"), 4, &size));
	cr_expect_eq(errno, EFBIG);
}

Test(tree, is_measured_in_whole_blocks)
{
	int64_t bytes;

	put("from/sub/file", "x", 0600);
	put("from/.hidden", "x", 0600);
	cr_assert_eq(symlink("/", in("from/link")), 0);
	cr_assert(tree_measure(in("from"), &bytes, &why));
	cr_expect_eq(bytes, 4 * 4096);
}

/* A stream that was written to a file in memory, and is received into made/. */
static int begin(void)
{
	int stream = memfd_create("stream", MFD_CLOEXEC);

	cr_assert_geq(stream, 0);
	return stream;
}

static void entry(int stream, enum tree_kind kind, const char *path, const char *content)
{
	size_t path_size = strlen(path), size = strlen(content);
	uint8_t head[19] = {(uint8_t)kind, (uint8_t)path_size, (uint8_t)(path_size >> 8),
		(uint8_t)size, (uint8_t)(size >> 8)};

	cr_assert(write_all(stream, head, sizeof(head)));
	cr_assert(write_all(stream, path, path_size));
	cr_assert(write_all(stream, content, size));
}

static bool receive(int stream)
{
	bool ok;

	remove_tree(in("made"));
	*why.text = 0;
	lseek(stream, 0, SEEK_SET);
	ok = tree_receive(
		stream, time_now(&time_system) + PATIENCE_NS, in("made"), &limits, &why);
	close(stream);
	return ok;
}

/* One entry after some good ones is refused with that word, and nothing lies outside. */
static void refuses(
	enum tree_kind kind, const char *path, const char *content, const char *word)
{
	int stream = begin();

	entry(stream, TREE_FOLDER, "sub", "");
	entry(stream, TREE_FILE, "sub/file", "hello");
	entry(stream, TREE_LINK, "sub/up", "..");
	entry(stream, kind, path, content);
	entry(stream, TREE_END, "", "");
	cr_expect_not(receive(stream), "'%s' is taken", path);
	cr_expect(strstr(why.text, word), "'%s' is refused with: %s", path, why.text);
	cr_expect_eq(entries_of(folder), 1);
}

Test(tree, is_sent_and_made_anew)
{
	const struct timespec times[] = {{1, 2}, {1234567890, 123456789}};
	struct stat info;
	char target[64] = "";
	int stream = begin();

	umask(077);
	put("from/sub/.hidden", "hello", 0600);
	put("from/tool", "#!", 0700);
	cr_assert_eq(utimensat(AT_FDCWD, in("from/tool"), times, 0), 0);
	cr_assert_eq(symlink("sub/.hidden", in("from/inner")), 0);
	cr_assert(tree_send(stream, in("from")));
	cr_assert(receive(stream), "%s", why.text);
	cr_assert_eq(stat(in("made/sub/.hidden"), &info), 0);
	cr_expect_eq(info.st_mode, S_IFREG | 0644, "whatever the umask is");
	cr_expect_eq(info.st_size, 5);
	cr_assert_eq(stat(in("made/sub"), &info), 0);
	cr_expect_eq(info.st_mode, S_IFDIR | 0755);
	cr_assert_eq(stat(in("made/tool"), &info), 0);
	cr_expect_eq(info.st_mode, S_IFREG | 0755);
	cr_expect_eq(info.st_mtim.tv_sec, 1234567890, "make goes by it");
	cr_expect_eq(info.st_mtim.tv_nsec, 123456789);
	cr_expect_eq(readlink(in("made/inner"), target, sizeof(target)), 11);
	cr_expect_str_eq(target, "sub/.hidden");
}

Test(tree, a_stream_leads_nowhere_else)
{
	static const char *const paths[] = {"", "/", "/x", "..", ".", "../x", "sub/../x",
		"sub/..", "./x", "sub//x", "sub/", "sub/."};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		refuses(TREE_FILE, paths[i], "x", "not a path that it may have");
		refuses(TREE_FOLDER, paths[i], "", "not a path that it may have");
		refuses(TREE_LINK, paths[i], "sub", "not a path that it may have");
	}
	refuses(TREE_FILE, "sub/up/x", "x", "'sub/up/x': ");
	refuses(TREE_FOLDER, "sub/up/x", "", "'sub/up/x': ");
	refuses(TREE_FILE, "sub/up", "x", "File exists");
	refuses(TREE_FILE, "sub/file", "x", "File exists");
	refuses(TREE_FOLDER, "sub", "", "File exists");
	refuses(TREE_FILE, "sub/file/x", "x", "Not a directory");
	refuses(TREE_FILE, "new/x", "x", "No such file");
	refuses(TREE_FILE, "\x1b[2J/x", "x", "'\\x1b[2J/x': ");
}

Test(tree, a_stream_holds_links_that_stay_inside)
{
	static const struct {
		const char *path, *target;
	} good[] = {{"a", "sub"}, {"b", "sub/file"}, {"sub/c", "file"},
		{"sub/d", "../sub"}, {"sub/e", ".."}, {"f", "./sub"}, {"g", "a"},
		{"h", "h"}, {"sub/i", "../sub/file"}};
	int stream = begin();

	entry(stream, TREE_FOLDER, "sub", "");
	entry(stream, TREE_FILE, "sub/file", "hello");
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		entry(stream, TREE_LINK, good[i].path, good[i].target);
	entry(stream, TREE_END, "", "");
	cr_assert(receive(stream), "%s", why.text);
	refuses(TREE_LINK, "a", "/etc/passwd", "an absolute path");
	refuses(TREE_LINK, "a", "..", "leads out");
	refuses(TREE_LINK, "a", "../made", "leads out");
	refuses(TREE_LINK, "sub/a", "../../x", "leads out");
	refuses(TREE_LINK, "a", "sub/../..", "not only at its beginning");
	refuses(TREE_LINK, "a", "sub/up/..", "not only at its beginning");
	refuses(TREE_LINK, "a", "sub/up/sub", "behind another link");
	refuses(TREE_LINK, "a", "nowhere", "not there");
	limits.links = false;
	refuses(TREE_LINK, "a", "sub", "is a link");
}

Test(tree, a_stream_has_limits)
{
	char large[1200] = "";

	memset(large, 'x', sizeof(large) - 1);
	refuses(TREE_FILE, "a", large, "more than 1000 bytes");
	large[996] = 0;
	refuses(TREE_FILE, "a", large, "more than 1000 bytes");
	large[61] = 0;
	refuses(TREE_FILE, large, "", "more than 60 bytes");
	refuses(TREE_SPECIAL, "pipe", "", "neither a file nor a folder");
	refuses((enum tree_kind)'?', "a", "", "neither a file nor a folder");
	refuses(TREE_FAILURE, "", "no \x1b[1mcompiler", "no \\x1b[1mcompiler");
	limits.entries_max = 3;
	refuses(TREE_FILE, "a", "", "more than 3 files and folders");
	limits.depth_max = 0;
	refuses(TREE_FILE, "a", "", "at most 0 deep");
}

Test(tree, a_stream_that_is_cut_short_at_any_byte_is_not_taken)
{
	int whole = begin();
	off_t size;

	entry(whole, TREE_FOLDER, "sub", "");
	entry(whole, TREE_FILE, "sub/file", "hello");
	entry(whole, TREE_END, "", "");
	size = lseek(whole, 0, SEEK_END);
	for (off_t n = 0; n < size; n++) {
		int part = begin();

		cr_assert_eq(
			copy_file_range(whole, &(off_t){0}, part, NULL, (size_t)n, 0), n);
		cr_expect_not(receive(part), "%lld bytes are enough", (long long)n);
		cr_expect_str_eq(why.text, "", "the caller knows more");
	}
	cr_expect(receive(whole));
}

Test(tree, a_stream_that_stands_still_is_left_at_the_deadline)
{
	int pair[2];

	cr_assert_eq(pipe2(pair, O_CLOEXEC | O_NONBLOCK), 0);
	entry(pair[1], TREE_FILE, "a", "hello");
	cr_expect_not(tree_receive(pair[0], time_now(&time_system) + 50 * NS_PER_MS,
		in("made"), &limits, &why));
	cr_expect_str_eq(why.text, "", "the caller knows more");
	close(pair[0]);
	close(pair[1]);
}

/* As deep as a walk goes, and one deeper. */
Test(tree, that_is_too_deep_is_not_walked)
{
	char path[160 + 2 * TREE_DEPTH_MAX];
	int64_t bytes;

	snprintf(path, sizeof(path), "%s", in("from"));
	cr_assert_eq(mkdir(path, 0755), 0);
	for (int i = 0; i < TREE_DEPTH_MAX; i++) {
		strcat(path, "/d");
		cr_assert_eq(mkdir(path, 0755), 0);
	}
	cr_expect(tree_measure(in("from"), &bytes, &why), "%s", why.text);
	strcat(path, "/d");
	cr_assert_eq(mkdir(path, 0755), 0);
	cr_expect_not(tree_measure(in("from"), &bytes, &why));
	cr_expect(strstr(why.text, "nested too deeply"), "%s", why.text);
}
