/* The pages themselves, with their scripts and styles. */
#include "arbiter/web/site/assets.h"
#include "arbiter/web/site/documents.h"
#include "protocol/memory.h"

#include <stdio.h>

static void answer_asset(const char *folder, const char *name, const char *ending,
	bool page, struct http_answer *answer)
{
	char path[PATH_SIZE + 16];
	const struct asset *asset;

	snprintf(path, sizeof(path), "%s%s%s", folder, name, ending);
	asset = asset_find(path);
	if (asset && asset_is_page(asset) == page)
		http_answer_bytes(
			answer, asset_type(asset), asset->start, asset_size(asset));
	else
		http_answer_missing(answer);
}

void answer_index(const struct document_request *request, struct http_answer *answer)
{
	(void)request;
	answer_asset(ASSET_PAGES, "index", ".html", true, answer);
}

/* Pages are at the top of the site. */
void answer_page(const struct document_request *request, struct http_answer *answer)
{
	answer_asset(ASSET_PAGES, request->parts.word, ".html", true, answer);
}

/* Everything else has the same path as in the source. */
void answer_page_file(const struct document_request *request, struct http_answer *answer)
{
	answer_asset(ASSET_PAGES, request->parts.word, "", false, answer);
}

void answer_viewer_style(
	const struct document_request *request, struct http_answer *answer)
{
	(void)request;
	answer_asset("viewer/", "viewer", ".css", false, answer);
}

/* All scripts of the viewer as one, so that no page has a list of games. */
void answer_viewer_script(
	const struct document_request *request, struct http_answer *answer)
{
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	(void)request;
	assets_write_viewer(out);
	xclose(out);
	http_answer_text(answer, 200, "text/javascript", text);
}
