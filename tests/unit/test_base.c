/* The base that everybody stands on: cuts of texts, lines, children, trees. */
#include "arbiter/base/child.h"
#include "arbiter/base/files.h"
#include "arbiter/base/json_text.h"
#include "arbiter/base/lines.h"
#include "arbiter/base/words.h"
#include "arbiter/base/temporary.h"
#include "arbiter/base/terminal.h"
#include "protocol/utf8.h"
#include "protocol/why.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIXED "aä€😀zß한𝄞" /* characters of one to four bytes */
#define DEPTH 1200

static struct text text_of_size(const char *bytes, size_t size)
{
	return (struct text){bytes, (uint32_t)size};
}

/* The longest valid beginning of at most `max` bytes, found the slow way. */
static size_t longest(const char *text, size_t max)
{
	size_t size = strlen(text);

	size = size < max ? size : max;
	while (!utf8_valid(text_of_size(text, size)))
		size--;
	return size;
}

Test(utf8, is_cut_at_every_byte_between_characters)
{
	for (size_t max = 0; max <= strlen(MIXED) + 1; max++) {
		size_t wanted = longest(MIXED, max);
		char cut[64];

		cr_expect_eq(utf8_cut(MIXED, strlen(MIXED), max), wanted, "%zu", max);
		cr_expect_eq(utf8_text(MIXED, max).size, wanted, "%zu", max);
		utf8_format(cut, max + 1, "%s", MIXED);
		cr_expect_eq(strlen(cut), wanted, "format, %zu", max);
		cr_expect_eq(memcmp(cut, MIXED, wanted), 0, "format, %zu", max);
		utf8_show(text_of(MIXED), cut, max + 1);
		cr_expect_eq(strlen(cut), wanted, "show, %zu", max);
		cr_expect_eq(memcmp(cut, MIXED, wanted), 0, "show, %zu", max);
	}
}

Test(utf8, what_is_none_stays_within_its_bytes)
{
	/* On the heap and without an end, so that a sanitizer sees one byte too many. */
	static const char *const bad[] = {"\xc2", "\xe2\x82", "\xf0\x9f\x98",
		"\x80\x80\x80", "\xff\xfe", "a\xed\xa0\x80", "\xc0\xaf",
		"\xf5\x80\x80\x80", "\x1b[2J", "\x7f", "\xc2\x9b"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		size_t size = strlen(bad[i]);
		char *bytes = memcpy(malloc(size), bad[i], size), shown[64];

		for (size_t max = 0; max <= size; max++)
			cr_expect_leq(utf8_cut(bytes, size, max), max);
		cr_expect_leq(utf8_valid_size(text_of_size(bytes, size)), size);
		utf8_show(text_of_size(bytes, size), shown, sizeof(shown));
		cr_expect(utf8_valid(text_of(shown)));
		for (const char *c = shown; *c; c++)
			cr_expect((unsigned char)*c >= 0x20 && *c != 0x7f, "%zu", i);
		free(bytes);
	}
}

Test(utf8, escapes_are_whole_or_left_out)
{
	char shown[16];

	utf8_show(text_of("a\n\x1b\x9f"), shown, sizeof(shown));
	cr_expect_str_eq(shown, "a\\n\\x1b\\x9f");
	utf8_show(text_of("a\n\x1b\x9f"), shown, 7);
	cr_expect_str_eq(shown, "a\\n");
	utf8_show(text_of("a\n\x1b"), shown, 1);
	cr_expect_str_eq(shown, "");
}

Test(utf8, what_steers_a_terminal_is_shown_as_in_json)
{
	char shown[64];

	utf8_show(text_of("\x7f\xc2\x9b\xe2\x80\xae\xe2\x80\xa6"), shown, sizeof(shown));
	cr_expect_str_eq(shown, "\\u007f\\u009b\\u202e…");
	utf8_show(text_of("\x7f\x7f"), shown, 12);
	cr_expect_str_eq(shown, "\\u007f");
}

/* Reads what the printing of two parts to a guarded stream sends. */
static void printed(const char *text, size_t first, char *sent, size_t size)
{
	int ends[2];
	FILE *stream;
	ssize_t n;

	cr_assert_eq(pipe(ends), 0);
	stream = terminal_open(ends[1]);
	setvbuf(stream, NULL, _IONBF, 0);
	fwrite(text, 1, first, stream);
	fwrite(text + first, 1, strlen(text) - first, stream);
	cr_assert_eq(fclose(stream), 0);
	n = read(ends[0], sent, size - 1);
	sent[n > 0 ? n : 0] = 0;
	close(ends[0]);
}

Test(terminal, nothing_that_is_printed_steers_it_wherever_it_is_split)
{
	static const char text[] =
		"a\tb\n€😀\x1b[2J\r\xc2\x9b\xff\xe2\x80\xae\xf0\x9f\xe2";
	static const char wanted[] = "a\tb\n€😀\\x1b[2J\\x0d\\u009b\\xff\\u202e"
				     "\\xf0\\x9f\\xe2";
	char sent[256], *shown = terminal_text(text);

	cr_expect_str_eq(shown, wanted);
	free(shown);
	for (size_t first = 0; first <= strlen(text); first++) {
		printed(text, first, sent, sizeof(sent));
		cr_expect_str_eq(sent, wanted, "split at %zu: %s", first, sent);
	}
}

Test(terminal, a_stream_that_cannot_be_written_to_says_so)
{
	FILE *stream = terminal_open(open("/dev/full", O_WRONLY | O_CLOEXEC));

	fputs("something", stream);
	cr_expect_eq(fflush(stream), EOF);
	cr_expect_eq(errno, ENOSPC);
	fclose(stream);
}

/* Without "." and "..". */
static int entries_of(const char *path)
{
	DIR *folder = opendir(path);
	int n = 0;

	while (readdir(folder))
		n++;
	closedir(folder);
	return n - 2;
}

/* A process that needs a folder while others clear up, and that is killed. */
static void need_folder(void)
{
	char path[TEMPORARY_PATH_SIZE], file[TEMPORARY_PATH_SIZE + 8];
	struct why why;

	if (!temporary_folder(path, 0700, &why))
		_exit(1);
	snprintf(file, sizeof(file), "%s/file", path);
	close(open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	usleep(2000);
	_exit(access(file, F_OK) ? 2 : 0);
}

Test(temporary, folders_stay_while_their_process_lives_and_go_later)
{
	char base[] = "/tmp/pigpen-base-XXXXXX", path[TEMPORARY_PATH_SIZE];
	struct why why;
	int status;

	cr_assert(mkdtemp(base));
	setenv("XDG_RUNTIME_DIR", base, 1);
	for (int i = 0; i < 120; i++) {
		if (fork() == 0)
			need_folder();
		if (i < 8)
			continue;
		wait(&status);
		cr_expect_eq(status, 0, "a folder was taken away: %x", status);
	}
	while (wait(&status) > 0)
		cr_expect_eq(status, 0, "a folder was taken away: %x", status);
	cr_assert_gt(entries_of(base), 0, "nobody left anything");
	cr_assert(temporary_folder(path, 0755, &why), "%s", why.text);
	cr_expect_eq(entries_of(base), 1, "only our own is left");
	temporary_remove();
	cr_expect_eq(rmdir(base), 0);
}

Test(temporary, folders_of_others_and_links_are_left_alone)
{
	char base[] = "/tmp/pigpen-base-XXXXXX", path[TEMPORARY_PATH_SIZE];
	char link[64], target[64], file[80], other[64];
	struct why why;

	cr_assert(mkdtemp(base));
	snprintf(target, sizeof(target), "%s/target", base);
	snprintf(file, sizeof(file), "%s/file", target);
	snprintf(link, sizeof(link), "%s/pigpen-tmp-aaaaaa", base);
	snprintf(other, sizeof(other), "%s/pigpen-tmp-bbbbbb", base);
	cr_assert_eq(mkdir(target, 0700), 0);
	cr_assert_eq(mkdir(file, 0700), 0);
	cr_assert_eq(symlink(target, link), 0);
	cr_assert_eq(mkdir(other, 0700), 0);
	if (geteuid() == 0)
		cr_assert_eq(chown(other, 12345, 12345), 0);
	setenv("XDG_RUNTIME_DIR", base, 1);
	cr_assert(temporary_folder(path, 0700, &why), "%s", why.text);
	temporary_remove();
	cr_expect_eq(access(file, F_OK), 0, "what a link leads to");
	cr_expect_eq(access(link, F_OK), 0, "a link");
	cr_expect(geteuid() != 0 || access(other, F_OK) == 0, "another user's");
	cr_expect(remove_tree(base));
}

Test(why, is_a_sentence_that_may_be_too_long)
{
	struct why why = {"there"};
	char *half;

	cr_expect_not(why_set(NULL, "nobody asks"));
	cr_expect_not(why_before(NULL, "nobody asks"));
	cr_expect_not(why_before(&why, "%s: ", "here"));
	cr_expect_str_eq(why.text, "here: there");
	half = calloc(1, WHY_SIZE);
	while (strlen(half) + 4 < WHY_SIZE)
		strcat(half, "€");
	for (int shift = 0; shift < 3; shift++) {
		why_set(&why, "%s%s", half, half);
		why_before(&why, "%.*s", shift, "ab");
		cr_expect_gt(strlen(why.text), WHY_SIZE - 4);
		cr_expect(utf8_valid(text_of(why.text)), "%d", shift);
	}
	free(half);
}

Test(words, are_found_and_listed)
{
	static const char *const words[] = {"wall", "cpu", NULL}, *const none[] = {NULL};
	char list[16];

	cr_expect_eq(word_index(words, "cpu"), 1);
	cr_expect_eq(word_index(words, "cp"), -1);
	cr_expect_eq(word_index(words, NULL), -1);
	cr_expect_eq(word_index(none, "cpu"), -1);
	word_list(words, list, sizeof(list));
	cr_expect_str_eq(list, "wall, cpu");
	word_list(words, list, 7);
	cr_expect_str_eq(list, "wall, ");
	word_list(none, list, sizeof(list));
	cr_expect_str_eq(list, "");
}

static void becomes(const char *bytes, size_t size, const char *wanted)
{
	json_t *json = json_of_bytes(bytes, size);
	char *text = json_to_text(json, JSON_ENSURE_ASCII);

	cr_expect_str_eq(text, wanted);
	free(text);
	json_decref(json);
}

Test(json_text, takes_any_bytes)
{
	json_t *null = json_of_text("");

	becomes("", 0, "\"\"");
	becomes("a\0b", 3, "\"a\\u0000b\"");
	becomes("\xc3", 1, "\"\\uFFFD\"");
	becomes("\xe2\x82x", 3, "\"\\uFFFD\\uFFFDx\"");
	becomes("\xed\xa0\x80", 3, "\"\\uFFFD\\uFFFD\\uFFFD\"");
	becomes("ä\xff", 3, "\"\\u00E4\\uFFFD\"");
	cr_expect(json_is_null(null));
	json_decref(null);
}

/* A pipe whose reading end does not block. */
static void open_pipe(int ends[2])
{
	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

static void put(int fd, char byte, size_t count, const char *end)
{
	char *bytes = memset(malloc(count), byte, count);

	cr_assert(write_all(fd, bytes, count) && write_all(fd, end, strlen(end)));
	free(bytes);
}

Test(lines, may_be_as_long_as_their_limit)
{
	struct lines lines;
	char *line;
	size_t size;
	int ends[2];

	open_pipe(ends);
	lines_init(&lines, ends[0], 1000);
	put(ends[1], 'a', 1000, "\n\nhalf");
	lines_fill(&lines);
	cr_assert(lines_next(&lines, &size));
	cr_expect_eq(size, 1000);
	cr_assert(lines_next(&lines, &size));
	cr_expect_eq(size, 0, "an empty line is one");
	cr_expect_null(lines_next(&lines, &size));
	cr_expect_eq(lines_rest(&lines), 4);
	cr_expect_not(lines.ended);
	put(ends[1], 'b', 996, "\n");
	lines_fill(&lines);
	line = lines_next(&lines, &size);
	cr_assert(line);
	cr_expect_eq(strncmp(line, "halfb", 5), 0);
	cr_expect_eq(size, 1000);
	close(ends[1]);
	lines_fill(&lines);
	cr_expect(lines.ended && !lines.too_long);
	lines_release(&lines);
	close(ends[0]);
}

/* `later` ends what comes after the line, which need not have an end by itself. */
static void too_long(size_t count, const char *end, const char *later)
{
	struct lines lines;
	size_t size;
	int ends[2];

	open_pipe(ends);
	lines_init(&lines, ends[0], 1000);
	put(ends[1], 'a', 3, "\n");
	put(ends[1], 'b', count, end);
	lines_fill(&lines);
	cr_assert(lines_next(&lines, &size), "the line before it is whole");
	cr_expect_eq(size, 3);
	cr_expect_null(lines_next(&lines, &size));
	put(ends[1], 'c', 1, later);
	lines_fill(&lines);
	cr_expect_null(lines_next(&lines, &size));
	cr_expect(lines.ended && lines.too_long, "%zu", count);
	lines_release(&lines);
	close(ends[0]);
	close(ends[1]);
}

Test(lines, beyond_the_limit_are_the_end)
{
	too_long(1001, "\n", "\n");
	too_long(1001, "", "\n");
	too_long(1001, "", "");
	too_long(50000, "", "\n");
	too_long(50000, "", "");
}

Test(lines, that_are_no_objects_end_the_stream)
{
	struct lines lines;
	int ends[2];
	json_t *object;

	open_pipe(ends);
	lines_init(&lines, ends[0], 1000);
	cr_assert(lines_write_json(ends[1], json_pack("{s:s}", "a", "1\n2")));
	cr_assert(write_all(ends[1], "[]\n{}\n", 6));
	lines_fill(&lines);
	object = lines_next_json(&lines);
	cr_assert_str_eq(json_string_value(json_object_get(object, "a")), "1\n2");
	json_decref(object);
	cr_expect_null(lines_next_json(&lines));
	cr_expect(lines.ended);
	cr_expect_null(lines_next_json(&lines), "and nothing after it");
	lines_release(&lines);
	close(ends[0]);
	close(ends[1]);
}

static int count_descriptors(void)
{
	return entries_of("/proc/self/fd");
}

static void cannot_start(char *program, const char *folder, int wanted)
{
	char *argv[] = {program, NULL};
	struct child child = {.argv = argv,
		.input = CHILD_PIPE,
		.output = CHILD_PIPE,
		.error = CHILD_PIPE,
		.folder = folder};
	int before = count_descriptors();

	cr_expect_eq(child_start(&child), wanted, "%s", program);
	cr_expect_eq(count_descriptors(), before, "%s leaves descriptors", program);
	cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1);
	cr_expect_eq(errno, ECHILD, "%s leaves a process", program);
}

Test(child, that_cannot_be_executed_leaves_nothing)
{
	cannot_start("/no/such/program", NULL, ENOENT);
	cannot_start("no-such-program-on-path", NULL, ENOENT);
	cannot_start("/dev/null", NULL, EACCES);
	cannot_start("/bin/true", "/no/such/folder", ENOENT);
}

Test(child, keeps_the_beginning_of_a_long_output)
{
	char *argv[] = {
		"sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x; exit 3", NULL};
	char output[10], text[64];
	struct child child = {.argv = argv};
	int status;

	cr_assert_eq(child_run(&child, output, sizeof(output), &status), 0);
	cr_expect_str_eq(output, "xxxxxxxxx");
	child_status_text(status, text, sizeof(text));
	cr_expect_str_eq(text, "exited with status 3");
}

Test(child, has_no_descriptor_but_its_own)
{
	char *argv[] = {"sh", "-c", "ls /proc/self/fd | wc -l; echo wrong >&2", NULL};
	struct child child = {.argv = argv, .input = CHILD_NULL, .error = CHILD_OUTPUT};
	int extra = dup2(STDIN_FILENO, 77), status;
	char output[64];

	cr_assert_eq(extra, 77);
	cr_assert_eq(child_run(&child, output, sizeof(output), &status), 0);
	/* The three streams, and the folder that ls reads. */
	cr_expect_str_eq(output, "4\nwrong\n");
	cr_expect_eq(status, 0);
	close(extra);
}

static char folder[64];

static void make_place(void)
{
	strcpy(folder, "/tmp/pigpen-base-XXXXXX");
	cr_assert(mkdtemp(folder));
}

static void in_place(const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", folder, name);
}

/* Folders in folders, a path far longer than PATH_MAX, and a file in every tenth. */
static void dig(int depth)
{
	int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < depth; i++) {
		int next, file;

		cr_assert_eq(mkdirat(at, "a-folder", 0755), 0);
		next = openat(at, "a-folder", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		cr_assert_geq(next, 0);
		close(at);
		at = next;
		if (i % 10)
			continue;
		file = openat(at, "lifted-7", O_WRONLY | O_CREAT | O_CLOEXEC, 0400);
		cr_assert_geq(file, 0);
		close(file);
	}
	close(at);
}

Test(files, a_tree_is_removed_however_deep_it_is)
{
	int before = count_descriptors();

	make_place();
	dig(DEPTH);
	cr_assert(remove_tree(folder));
	cr_expect_eq(access(folder, F_OK), -1);
	cr_expect_eq(count_descriptors(), before);
	cr_expect(remove_tree(folder), "nothing is left of nothing");
}

Test(files, a_link_is_removed_and_not_what_it_points_at)
{
	char kept[128], link[128], tree[128];

	make_place();
	in_place("kept", kept);
	in_place("tree", tree);
	in_place("tree/sub/link", link);
	cr_assert(write_file_whole(kept, "x", 1, 0600));
	cr_assert(make_folders_for(link));
	cr_assert_eq(symlink(folder, link), 0);
	cr_assert(remove_tree(tree));
	cr_assert_eq(access(kept, F_OK), 0);
	cr_assert_eq(symlink(folder, tree), 0);
	cr_assert(remove_tree(tree));
	cr_assert_eq(access(kept, F_OK), 0);
	cr_assert(remove_tree(folder));
}

/* Runs as a user who may not do everything; 0 if it went well. */
static int as_nobody(void (*act)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
			_exit(1);
		act();
		_exit(access(folder, F_OK) == 0 ? 2 : 0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void close_and_remove(void)
{
	char path[128];

	in_place("a/b/c/d/file", path);
	if (!make_folders_for(path) || !write_file_whole(path, "x", 1, 0400))
		_exit(3);
	/* From the innermost to the outermost, each closed to everybody. */
	for (char *slash;
		(slash = strrchr(path, '/')) && strlen(path) > strlen(folder) + 1;) {
		*slash = 0;
		chmod(path, 0);
	}
	remove_tree(folder);
}

Test(files, a_tree_is_removed_though_its_folders_are_closed_to_their_owner)
{
	make_place();
	chmod(folder, 0777);
	cr_expect_eq(as_nobody(close_and_remove), geteuid() ? 0 : 2 << 8,
		"root's folder in /tmp stays, if it is root's");
	cr_expect_eq(entries_of(folder), geteuid() ? -1 : 0, "but nothing in it does");
	cr_assert(remove_tree(folder));
}

/* As on a disk with room for two bytes. */
static void fail_to_write(const char *path)
{
	struct rlimit before, two;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	two = (struct rlimit){2, before.rlim_max};
	setrlimit(RLIMIT_FSIZE, &two);
	cr_expect_not(write_file_whole(path, "third", 5, 0600));
	setrlimit(RLIMIT_FSIZE, &before);
}

Test(files, a_file_is_written_whole_or_not_at_all)
{
	char path[128], text[8] = "";
	int fd, old;

	make_place();
	in_place("file", path);
	cr_assert(write_file_whole(path, "first", 5, 0600));
	old = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert(write_file_whole(path, "2nd", 3, 0600));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	cr_expect_eq(read(fd, text, sizeof(text)), 3);
	cr_expect_str_eq(text, "2nd");
	close(fd);
	cr_expect_eq(read(old, text, sizeof(text)), 5, "who reads sees one of the two");
	cr_expect_eq(memcmp(text, "first", 5), 0);
	close(old);
	cr_expect_eq(entries_of(folder), 1, "and nothing is left beside it");
	fail_to_write(path);
	memset(text, 0, sizeof(text));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	cr_expect_eq(read(fd, text, sizeof(text)), 3);
	cr_expect_str_eq(text, "2nd", "a write that failed has changed nothing");
	close(fd);
	in_place("no/such/folder", path);
	cr_expect_not(write_file_whole(path, "x", 1, 0600));
	cr_expect_eq(errno, ENOENT);
	cr_assert(remove_tree(folder));
}
