/* What a build sends to the host: whatever it is, only files, folders and links that stay
 * inside come out, of the right modes, within the limits, and nothing lands elsewhere. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>
#include "arbiter/base/files.h"
#include "arbiter/base/tree_stream.h"
#include "tests/fuzz/fuzz.h"

/* The tree lies so deep in the scratch folder that some .. stay in it. */
#define TREE_DEPTH  4
#define DEADLINE_NS (10 * NS_PER_S)
#define CONTENT_MAX 300
#define HEAD_SIZE   19

static struct tree_limits limits = {
	.bytes_max = 20000, .entries_max = 12, .path_max = 60, .depth_max = 4};

static char scratch[64], tree[128];
static int64_t bytes_found;
static int entries_found;
static bool received;

static void clean_up(void)
{
	remove_tree(scratch);
}

static void set_up(void)
{
	strcpy(scratch, "/dev/shm/pigpen-fuzz-XXXXXX");
	if (!mkdtemp(scratch))
		abort();
	snprintf(tree, sizeof(tree), "%s/1/2/3", scratch);
	if (!make_folders_for(tree))
		abort();
	atexit(clean_up);
}

/* A link of a tree that was taken leads to something in it, or in circles. */
static void look_at_link(const char *path)
{
	char real[PATH_MAX];

	if (realpath(path, real))
		assert(!strncmp(real, tree, strlen(tree)) &&
			(real[strlen(tree)] == '/' || !real[strlen(tree)]));
	else
		assert(errno == ELOOP || errno == ENOTDIR);
}

/* Everything in the scratch folder: above the tree only the way to it. */
static int look_at(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	mode_t mode = info->st_mode;

	(void)kind;
	if (place->level < TREE_DEPTH) {
		assert(S_ISDIR(mode) && strncmp(path, tree, strlen(path)) == 0);
		return 0;
	}
	entries_found++;
	assert(mode == (S_IFDIR | 0755) || mode == (S_IFREG | 0644) ||
		mode == (S_IFREG | 0755) || (S_ISLNK(mode) && limits.links));
	bytes_found += S_ISREG(mode) ? info->st_size : 0;
	assert(strlen(path) - strlen(tree) - 1 <= (size_t)limits.path_max);
	assert(place->level - TREE_DEPTH <= limits.depth_max);
	if (received && S_ISLNK(mode))
		look_at_link(path);
	return 0;
}

static void receive(int stream)
{
	struct why why = {""};

	lseek(stream, 0, SEEK_SET);
	received = tree_receive(
		stream, time_now(&time_system) + DEADLINE_NS, tree, &limits, &why);
	assert(!received || !*why.text);
	for (const char *c = why.text; *c; c++)
		assert((unsigned char)*c >= ' ' && *c != 127);
	bytes_found = entries_found = 0;
	if (nftw(scratch, look_at, 8, FTW_PHYS))
		abort();
	assert(bytes_found <= limits.bytes_max && entries_found <= limits.entries_max);
	remove_tree(tree);
}

/* A few names, so that entries meet. */
static size_t put_path(struct fuzz_input *input, char *path)
{
	static const char *const parts[] = {
		"a", "b", "c", "..", ".", "", "a/b", "b/a", "../a", "c/../", "/", "\x1b"};
	int count = fuzz_below(input, 4);

	*path = 0;
	for (int i = 0; i <= count; i++) {
		strcat(path, i ? "/" : "");
		strcat(path, parts[fuzz_below(input, sizeof(parts) / sizeof(*parts))]);
	}
	return strlen(path);
}

/* An entry whose sizes are right, mostly. */
static void put_entry(struct fuzz_input *input, int stream)
{
	static const char kinds[] = "dfxlsddffll.!";
	char path[64], content[CONTENT_MAX] = "";
	uint8_t head[HEAD_SIZE] = {(uint8_t)kinds[fuzz_below(input, sizeof(kinds))]};
	size_t path_size = put_path(input, path), size;

	size = head[0] == 'l' ? put_path(input, content)
			      : (size_t)fuzz_byte(input) % CONTENT_MAX;
	head[1] = (uint8_t)path_size;
	head[3] = (uint8_t)size;
	if (fuzz_byte(input) == 255)
		head[1 + fuzz_below(input, HEAD_SIZE - 1)] = fuzz_byte(input);
	if (write(stream, head, sizeof(head)) != sizeof(head) ||
		write(stream, path, path_size) != (ssize_t)path_size ||
		write(stream, content, size) != (ssize_t)size)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	bool raw = fuzz_below(&input, 4) == 0;
	struct fuzz_file file;
	static const uint8_t end[HEAD_SIZE] = {'.'};

	limits.links = fuzz_below(&input, 4) != 0;
	file = fuzz_file_open(input.at, raw ? input.left : 0);
	if (!*scratch)
		set_up();
	while (!raw && input.left)
		put_entry(&input, file.fd);
	if (!raw && write(file.fd, end, sizeof(end)) != sizeof(end))
		abort();
	receive(file.fd);
	fuzz_file_close(&file);
	return 0;
}
