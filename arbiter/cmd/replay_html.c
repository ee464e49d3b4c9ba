/* `pigpen replay html FILE`: writes a page that shows a match in the browser. */
#include "arbiter/cmd/replay.h"
#include "arbiter/tools/viewer_data.h"
#include "arbiter/web/site/assets.h"
#include "protocol/memory.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { KEY_SEAT = 256 };

struct html_options {
	int viewer;
	const char *file, *output;
	int status;
};

static const struct argp_option argp_options[] = {
	{"output", 'o', "FILE", 0,
		"write to FILE (- is standard output) instead of a file named after the "
		"replay in the current folder",
		0},
	{"seat", KEY_SEAT, "N", 0,
		"put nothing into the page that this seat did not know", 0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct html_options *options = state->input;

	switch (key) {
	case KEY_SEAT:
		if (!replay_number("seat", text, 0, GAME_SEATS_MAX - 1, &options->viewer))
			options->status = EXIT_USER;
		return 0;
	case 'o':
		options->output = text;
		return 0;
	}
	return replay_parse_file(key, text, state, &options->file);
}

static const struct argp argp = {argp_options, parse, "FILE",
	"Writes a match as one page that opens in any browser, without a network.\v"
	"Examples:\n"
	"  pigpen replay html FILE\n"
	"  pigpen replay html FILE --seat 2 -o page.html",
	NULL, NULL, NULL};

static void write_asset(const char *name, FILE *out)
{
	const struct asset *asset = asset_find(name);

	fwrite(asset->start, 1, asset_size(asset), out);
}

/* Writes the template up to a mark such as @DATA@, which must be there; returns what
 * follows it. */
static const char *write_until(const char *from, const char *mark, FILE *out)
{
	const char *at = strstr(from, mark);

	fwrite(from, 1, (size_t)(at - from), out);
	return at + strlen(mark);
}

/* Writes the data deflated and in base64, a tenth of its size; browsers decode it. */
static void write_data(const char *data, size_t size, FILE *out)
{
	uLongf packed_size = compressBound(size);
	Bytef *packed = xmalloc(packed_size);
	size_t text_size;
	char *text;

	/* The buffer is large enough, so this can only fail for lack of memory. */
	if (compress2(packed, &packed_size, (const Bytef *)data, size, 9) != Z_OK)
		abort();
	text_size =
		sodium_base64_encoded_len(packed_size, sodium_base64_VARIANT_ORIGINAL);
	text = xmalloc(text_size);
	sodium_bin2base64(
		text, text_size, packed, packed_size, sodium_base64_VARIANT_ORIGINAL);
	fputs(text, out);
	free(text);
	free(packed);
}

static void write_page(const char *data, size_t size, FILE *out)
{
	const char *at = asset_find("viewer/template.html")->start;

	at = write_until(at, "@STYLE@", out);
	write_asset("viewer/viewer.css", out);
	at = write_until(at, "@DATA@", out);
	write_data(data, size, out);
	at = write_until(at, "@SCRIPT@", out);
	write_asset("pages/dom.js", out);
	assets_write_viewer(out);
	fputs(at, out);
}

/* "a/b/name.replay" or "a/b/name.replay.zst" becomes "name.html". */
static void page_name(const char *file, char *name, size_t size)
{
	const char *base = strrchr(file, '/');
	const char *end;

	base = base ? base + 1 : file;
	end = strstr(base, ".replay");
	snprintf(name, size, "%.*s.html",
		(int)(end ? (size_t)(end - base) : strlen(base)), base);
}

static int write_file(const struct html_options *options, const char *data, size_t size)
{
	char name[NAME_MAX + 1];
	const char *path = options->output;
	FILE *out = stdout;
	bool failed;

	if (!path) {
		page_name(options->file, name, sizeof(name));
		path = name;
	}
	if (strcmp(path, "-") && !(out = fopen(path, "we")))
		return user_error("cannot write %s: %s", path, strerror(errno));
	write_page(data, size, out);
	failed = fflush(out) || ferror(out);
	if (out != stdout)
		failed |= fclose(out) != 0;
	if (failed)
		return user_error("cannot write %s: %s", path, strerror(errno));
	if (!options->output)
		printf("%s\n", path);
	return EXIT_OK;
}

int cmd_replay_html(int argc, char **argv)
{
	struct html_options options = {.viewer = OMNISCIENT};
	enum playback_status status;
	struct why why;
	char *data = NULL;
	size_t size = 0;
	FILE *memory;
	int exit_status;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options) || options.status)
		return EXIT_USER;
	memory = xopen_memstream(&data, &size);
	status = viewer_data_write(options.file, options.viewer, true, memory, &why);
	fclose(memory);
	exit_status = size ? write_file(&options, data, size) : EXIT_OK;
	free(data);
	return exit_status ? exit_status : replay_exit(options.file, status, why.text);
}
