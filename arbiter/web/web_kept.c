/* Documents that were made, for whoever asks for the same again. */
#include "arbiter/web/web_internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t web_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

bool web_is_fresh(
	struct web_ladder *ladder, int64_t version, int64_t made_ns, int64_t cost_ns)
{
	return version == web_number(ladder, "PRAGMA data_version") ||
	       web_now_ns() - made_ns <= WEB_REST_FACTOR * cost_ns;
}

static void drop(struct web_ladder *ladder, struct web_kept *kept)
{
	if (kept->text)
		ladder->kept_bytes -= strlen(kept->text);
	free(kept->text);
	*kept = (struct web_kept){0};
}

static struct web_kept *find(struct web_ladder *ladder, const char *name)
{
	for (int i = 0; i < WEB_KEPT_MAX; i++)
		if (ladder->kept[i].text && !strcmp(ladder->kept[i].name, name))
			return &ladder->kept[i];
	return NULL;
}

const char *web_kept_text(struct web_ladder *ladder, const char *name)
{
	struct web_kept *kept = find(ladder, name);

	if (!kept || !web_is_fresh(ladder, kept->version, kept->made_ns, kept->cost_ns))
		return NULL;
	kept->used_ns = web_now_ns();
	return kept->text;
}

/* A free place, or else that of what was not asked for longest. */
static struct web_kept *find_place(struct web_ladder *ladder)
{
	struct web_kept *oldest = &ladder->kept[0];

	for (int i = 0; i < WEB_KEPT_MAX; i++) {
		struct web_kept *kept = &ladder->kept[i];

		if (!kept->text)
			return kept;
		if (kept->used_ns < oldest->used_ns)
			oldest = kept;
	}
	return oldest;
}

static void drop_oldest(struct web_ladder *ladder)
{
	struct web_kept *oldest = NULL;

	for (int i = 0; i < WEB_KEPT_MAX; i++)
		if (ladder->kept[i].text &&
			(!oldest || ladder->kept[i].used_ns < oldest->used_ns))
			oldest = &ladder->kept[i];
	if (oldest)
		drop(ladder, oldest);
}

void web_keep(struct web_ladder *ladder, const char *name, const char *text,
	int64_t version, int64_t start_ns)
{
	struct web_kept *place = find(ladder, name);
	size_t size = strlen(text);

	if (place)
		drop(ladder, place);
	if (strlen(name) >= sizeof(place->name) || size > WEB_KEPT_BYTES)
		return;
	while (ladder->kept_bytes + size > WEB_KEPT_BYTES)
		drop_oldest(ladder);
	place = find_place(ladder);
	drop(ladder, place);
	*place = (struct web_kept){.text = strdup(text),
		.version = version,
		.made_ns = web_now_ns(),
		.used_ns = web_now_ns()};
	if (!place->text)
		abort();
	place->cost_ns = place->made_ns - start_ns;
	strcpy(place->name, name);
	ladder->kept_bytes += size;
}

void web_kept_release(struct web_ladder *ladder)
{
	for (int i = 0; i < WEB_KEPT_MAX; i++)
		drop(ladder, &ladder->kept[i]);
}
