/* Runs a fuzz target on the files and folders named, without a fuzzer. */
#include "tests/fuzz/fuzz.h"

#include <ftw.h>

static int runs;

/* A copy of exactly its size, so that a read beyond its end is seen. */
static int run_file(const char *path, const struct stat *info, int kind)
{
	size_t size = (size_t)info->st_size;
	FILE *file;
	uint8_t *bytes;

	if (kind != FTW_F)
		return 0;
	file = fopen(path, "rbe");
	bytes = malloc(size ? size : 1);
	if (!file || !bytes || fread(bytes, 1, size, file) != size) {
		perror(path);
		exit(2);
	}
	fclose(file);
	/* The last one named is the one that broke. */
	printf("%s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(bytes, size);
	free(bytes);
	runs++;
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (ftw(argv[i], run_file, 8)) {
			perror(argv[i]);
			return 2;
		}
	printf("%d inputs\n", runs);
	return 0;
}
