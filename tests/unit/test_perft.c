/* The perft tables of the specs, counted again as far as it is quick. */
#include "tests/unit/each_game.h"
#include "tests/unit/variants.h"
#include "arbiter/tools/perft.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NODES_MAX = 200000 };

static char *next_cell(char **line)
{
	char *cell = strsep(line, "|");

	if (!cell)
		return NULL;
	cell += strspn(cell, " ");
	cell[strcspn(cell, " \n")] = 0;
	return cell;
}

/* `| 3 | deal=dealt | 4 | 16 | … |`; returns the number of counts compared. */
static int check_row(const struct game *game, char *line)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t seed[CHANCE_SEED_SIZE];
	int16_t option[GAME_OPTIONS_MAX];
	struct variant variant = {.game = game->id};
	char *cell;
	int depth = 0;

	next_cell(&line);
	variant.seats = atoi(next_cell(&line));
	variant.options = next_cell(&line);
	if (!strcmp(variant.options, "default"))
		variant.options = "";
	cr_assert(variant_options(game, &variant, option));
	chance_seed_from_text("pigpen", seed);
	perft_start(game, variant.seats, option, seed, state);
	while ((cell = next_cell(&line)) && *cell) {
		uint64_t nodes = strtoull(cell, NULL, 10);

		if (nodes > NODES_MAX)
			break;
		depth++;
		cr_expect_eq(perft_count(game, state, seed, depth), nodes,
			"%s, %d seats, '%s', depth %d: not %" PRIu64 " sequences",
			game->id, variant.seats, variant.options, depth, nodes);
	}
	return depth;
}

static void run(const struct game *game)
{
	char path[128], *line = NULL;
	bool perft = false;
	int compared = 0;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "specs/games/%s.md", game->id);
	file = fopen(path, "r");
	cr_assert(file);
	while (getline(&line, &size, file) >= 0) {
		if (!strncmp(line, "## ", 3))
			perft = !strncmp(line, "## Perft", 8);
		if (perft && !strncmp(line, "| ", 2) && strncmp(line, "| seats", 7))
			compared += check_row(game, line);
	}
	free(line);
	fclose(file);
	cr_assert_gt(compared, 5, "%s has no perft table; `make perft-tables` writes it",
		path);
}

EACH_GAME(perft, run)
