/* Archives that a stranger sent, raw or a tar whose headers the target puts together:
 * whatever they hold, only files and folders of the right modes come out, within the
 * limits, and nothing lands outside of the folder. */
#include <fcntl.h>
#include <ftw.h>
#include <locale.h>
#include <sys/stat.h>
#include "arbiter/ladder/directory/ladder.h"
#include "arbiter/ladder/submit/unpack.h"
#include "tests/fuzz/fuzz.h"
#include "arbiter/base/files.h"

#define TAR_BLOCK 512
/* The tree lies so deep in the scratch folder that some .. stay in it. */
#define TREE_DEPTH 4

static const struct unpack_limits limits = {.packed_bytes_max = 16384,
	.bytes_max = 20000,
	.entries_max = 12,
	.path_max = 60,
	.depth_max = 4};

static char scratch[64], tree[128];
static int64_t bytes_found;
static int entries_found;

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
	for (char *c = tree + strlen(scratch) + 1; (c = strchr(c, '/')); c++) {
		*c = 0;
		if (mkdir(tree, 0755))
			abort();
		*c = '/';
	}
	umask(022);
	setlocale(LC_CTYPE, "C.UTF-8");
	atexit(clean_up);
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
		mode == (S_IFREG | 0755));
	bytes_found += S_ISREG(mode) ? info->st_size : 0;
	assert(strlen(path) - strlen(tree) - 1 <= (size_t)limits.path_max);
	assert(place->level - TREE_DEPTH < limits.depth_max);
	return 0;
}

static void unpack(int archive)
{
	struct why why = {""};
	bool ok;

	if (mkdir(tree, 0755))
		abort();
	lseek(archive, 0, SEEK_SET);
	ok = unpack_here(archive, tree, &limits, &why);
	assert(ok == !*why.text);
	for (const char *c = why.text; *c; c++)
		assert((unsigned char)*c >= ' ' && *c != 127);
	bytes_found = entries_found = 0;
	if (nftw(scratch, look_at, 8, FTW_PHYS))
		abort();
	assert(bytes_found <= limits.bytes_max && entries_found <= limits.entries_max);
	remove_tree(tree);
}

static void fill(struct fuzz_input *input, char *place, size_t size)
{
	size_t length = (size_t)fuzz_below(input, (int)size + 1);

	for (size_t i = 0; i < length; i++)
		place[i] = (char)fuzz_byte(input);
}

static void put_octal(uint8_t *place, size_t size, unsigned value)
{
	snprintf((char *)place, size, "%0*o", (int)size - 1, value);
}

/* One entry of a ustar archive with a right checksum, and as many blocks of data as it
 * says, mostly. */
static void put_entry(struct fuzz_input *input, int archive)
{
	static const char kinds[] = "00005512346gxLKVS7";
	uint8_t block[TAR_BLOCK] = {0}, data[TAR_BLOCK] = {0};
	unsigned sum = 0, blocks;

	fill(input, (char *)block, 100);
	block[156] = (uint8_t)kinds[fuzz_below(input, sizeof(kinds))];
	put_octal(block + 100, 8, fuzz_byte(input) | (unsigned)fuzz_byte(input) << 8);
	blocks = (unsigned)fuzz_below(input, 4);
	put_octal(block + 124, 12, blocks * TAR_BLOCK - (blocks ? fuzz_byte(input) : 0));
	put_octal(block + 136, 12, 0);
	fill(input, (char *)block + 157, 100);
	memcpy(block + 257, "ustar\00000", 8);
	fill(input, (char *)block + 345, 60);
	memset(block + 148, ' ', 8);
	for (int i = 0; i < TAR_BLOCK; i++)
		sum += block[i];
	put_octal(block + 148, 7, sum);
	fill(input, (char *)data, 64);
	blocks += fuzz_byte(input) == 255;
	if (write(archive, block, TAR_BLOCK) != TAR_BLOCK)
		abort();
	for (unsigned i = 0; i < blocks; i++)
		if (write(archive, data, TAR_BLOCK) != TAR_BLOCK)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	bool raw = fuzz_below(&input, 2) == 0;
	struct fuzz_file file = fuzz_file_open(input.at, raw ? input.left : 0);
	static const uint8_t end[2 * TAR_BLOCK];

	if (!*scratch)
		set_up();
	if (!raw) {
		while (input.left)
			put_entry(&input, file.fd);
		if (write(file.fd, end, sizeof(end)) != sizeof(end))
			abort();
	}
	unpack(file.fd);
	fuzz_file_close(&file);
	return 0;
}
