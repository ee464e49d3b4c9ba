/* The files that browsers get, as bytes of the program. */
#include "arbiter/web/site/assets.h"
#include "games/game.h"

#include <string.h>

/* The assembler copies the file into the object; paths are from the root. */
#define EMBED(symbol, file)                                                              \
	__asm__(".pushsection .rodata\n"                                                 \
		".global asset_" #symbol "\n"                                            \
		"asset_" #symbol ":\n"                                                   \
		".incbin \"arbiter/web/" file "\"\n"                                     \
		".global asset_" #symbol "_end\n"                                        \
		"asset_" #symbol "_end:\n"                                               \
		".byte 0\n"                                                              \
		".popsection\n");                                                        \
	extern const char asset_##symbol[], asset_##symbol##_end[];

/* Written by the Makefile: ASSET(viewer_draw_js, "viewer/draw.js") for each file. */
#define ASSET(symbol, file) EMBED(symbol, file)
#include ASSETS_LIST
#undef ASSET

#define ASSET(symbol, file) {file, asset_##symbol, asset_##symbol##_end},
const struct asset assets[] = {
#include ASSETS_LIST
	{0}};

const struct asset *asset_find(const char *name)
{
	for (const struct asset *asset = assets; asset->name; asset++)
		if (!strcmp(asset->name, name))
			return asset;
	return NULL;
}

const char *asset_type(const struct asset *asset)
{
	static const char *const types[][2] = {{".html", "text/html"},
		{".css", "text/css"}, {".js", "text/javascript"},
		{".svg", "image/svg+xml"}};
	const char *ending = strrchr(asset->name, '.');

	for (size_t i = 0; ending && i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i][0], ending))
			return types[i][1];
	return "application/octet-stream";
}

bool asset_is_page(const struct asset *asset)
{
	return !strncmp(asset->name, ASSET_PAGES, strlen(ASSET_PAGES)) &&
	       !strcmp(asset_type(asset), "text/html");
}

static void write_script(const char *name, FILE *out)
{
	char path[128];
	const struct asset *asset;

	snprintf(path, sizeof(path), "viewer/%s.js", name);
	asset = asset_find(path);
	/* A game without a drawing is shown as text. */
	if (asset)
		fwrite(asset->start, 1, asset_size(asset), out);
}

void assets_write_viewer(FILE *out)
{
	static const char *const before[] = {
		"table", "draw", "trick_table", "event_log", "card_offer", NULL};

	for (int i = 0; before[i]; i++)
		write_script(before[i], out);
	for (int i = 0; game_list[i]; i++)
		write_script(game_list[i]->id, out);
	write_script("viewer", out);
}
