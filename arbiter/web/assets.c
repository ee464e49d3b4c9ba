#include "arbiter/web/assets.h"

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

/* Scripts in the order in which a page loads them. */
#define ASSETS(A)                                                                        \
	A(viewer_html, "viewer/template.html", "text/html")                              \
	A(viewer_css, "viewer/viewer.css", "text/css")                                   \
	A(viewer_table, "viewer/table.js", "text/javascript")                            \
	A(viewer_draw, "viewer/draw.js", "text/javascript")                              \
	A(viewer_trick_table, "viewer/trick_table.js", "text/javascript")                \
	A(viewer_dirty_pig, "viewer/dirty_pig.js", "text/javascript")                    \
	A(viewer_galloping_pigs, "viewer/galloping_pigs.js", "text/javascript")          \
	A(viewer_pig_it_hog_it, "viewer/pig_it_hog_it.js", "text/javascript")            \
	A(viewer_pig_pile, "viewer/pig_pile.js", "text/javascript")                      \
	A(viewer_tennessee_pig, "viewer/tennessee_pig.js", "text/javascript")            \
	A(viewer_viewer, "viewer/viewer.js", "text/javascript")                          \
	A(page_index_html, "pages/index.html", "text/html")                              \
	A(page_history_html, "pages/history.html", "text/html")                          \
	A(page_matrix_html, "pages/matrix.html", "text/html")                            \
	A(page_bot_html, "pages/bot.html", "text/html")                                  \
	A(page_matches_html, "pages/matches.html", "text/html")                          \
	A(page_match_html, "pages/match.html", "text/html")                              \
	A(page_live_html, "pages/live.html", "text/html")                                \
	A(page_live, "pages/live.js", "text/javascript")                                 \
	A(page_submit_html, "pages/submit.html", "text/html")                            \
	A(page_submission_html, "pages/submission.html", "text/html")                    \
	A(page_submit, "pages/submit.js", "text/javascript")                             \
	A(page_submission, "pages/submission.js", "text/javascript")                     \
	A(page_play_html, "pages/play.html", "text/html")                                \
	A(page_play_moves, "pages/play_moves.js", "text/javascript")                     \
	A(page_play, "pages/play.js", "text/javascript")                                 \
	A(page_play_css, "pages/play.css", "text/css")                                   \
	A(page_css, "pages/site.css", "text/css")                                        \
	A(page_icon, "pages/icon.svg", "image/svg+xml")                                  \
	A(page_common, "pages/common.js", "text/javascript")                             \
	A(page_standings, "pages/standings.js", "text/javascript")                       \
	A(page_history, "pages/history.js", "text/javascript")                           \
	A(page_matrix, "pages/matrix.js", "text/javascript")                             \
	A(page_bot, "pages/bot.js", "text/javascript")                                   \
	A(page_matches, "pages/matches.js", "text/javascript")                           \
	A(page_match, "pages/match.js", "text/javascript")

#define EMBED_ONE(symbol, file, type) EMBED(symbol, file)
ASSETS(EMBED_ONE)

#define LIST_ONE(symbol, file, type) {file, type, asset_##symbol, asset_##symbol##_end},
const struct asset assets[] = {ASSETS(LIST_ONE){0}};

const struct asset *asset_find(const char *name)
{
	for (const struct asset *asset = assets; asset->name; asset++)
		if (!strcmp(asset->name, name))
			return asset;
	return NULL;
}
