/* All paths of the site, for whoever wants to write it down. */
#include "arbiter/web/assets.h"
#include "arbiter/web/web_internal.h"
#include "protocol/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
	void (*each)(void *context, const char *path);
	void *context;
};

static void __attribute__((format(printf, 2, 3)))
visit(const struct walk *walk, const char *format, ...)
{
	char path[WEB_PATH_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	walk->each(walk->context, path);
}

static bool only_served(const char *name)
{
	static const char *const names[] = {"pages/live.html", "pages/play.html",
		"pages/submit.html", "pages/submission.html", NULL};

	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* A page lies at the top, everything else where it lies in the source. */
static void visit_assets(const struct walk *walk, bool live)
{
	for (const struct asset *asset = assets; asset->name; asset++) {
		bool page = !strncmp(asset->name, "pages/", 6);

		if (strcmp(asset->type, "text/html"))
			visit(walk, "/%s", asset->name);
		else if (page && (live || !only_served(asset->name)))
			visit(walk, "/%s", asset->name + 6);
	}
}

static bool visit_list(
	const struct walk *walk, struct web_ladder *ladder, struct web_list list)
{
	char name[64];
	int64_t total;

	pthread_mutex_lock(&ladder->mutex);
	total = web_list_total(ladder, list);
	pthread_mutex_unlock(&ladder->mutex);
	if (list.entrant)
		snprintf(name, sizeof(name), "bot-%lld", (long long)list.entrant);
	else
		snprintf(name, sizeof(name), "all");
	for (int64_t page = 0; !page || page * WEB_LIST_SIZE < total; page++)
		visit(walk, "/api/%s/lists/%s%s/%lld.json", ladder->name, name,
			list.faulted ? "-faulted" : "", (long long)page);
	return total >= 0;
}

/* Numbers of the rows, two for each if there are two columns; the caller frees. */
static int64_t *numbers(struct web_ladder *ladder, const char *sql, int64_t limit, int *n)
{
	int64_t *list = NULL;
	sqlite3_stmt *s;

	*n = 0;
	pthread_mutex_lock(&ladder->mutex);
	s = web_query(ladder, sql);
	if (s)
		sqlite3_bind_int64(s, 1, limit);
	while (s && sqlite3_step(s) == SQLITE_ROW) {
		list = xrealloc(list, ((size_t)*n + 2) * sizeof(*list));
		for (int column = 0; column < sqlite3_column_count(s); column++)
			list[(*n)++] = sqlite3_column_int64(s, column);
	}
	sqlite3_finalize(s);
	pthread_mutex_unlock(&ladder->mutex);
	return list;
}

static bool visit_ladder(
	const struct walk *walk, struct web_ladder *ladder, int64_t matches)
{
	int n;
	int64_t *list = numbers(ladder, "SELECT id FROM entrants LIMIT ?", -1, &n);
	bool ok = visit_list(walk, ladder, (struct web_list){0, false}) &&
		  visit_list(walk, ladder, (struct web_list){0, true});

	visit(walk, "/api/%s/standings.json", ladder->name);
	visit(walk, "/api/%s/matrix.json", ladder->name);
	visit(walk, "/api/%s/history.json", ladder->name);
	for (int i = 0; ok && i < n; i++) {
		visit(walk, "/api/%s/bots/%lld.json", ladder->name, (long long)list[i]);
		ok = visit_list(walk, ladder, (struct web_list){list[i], false}) &&
		     visit_list(walk, ladder, (struct web_list){list[i], true});
	}
	free(list);
	list = numbers(ladder,
		"SELECT set_id,rotation FROM matches"
		" ORDER BY set_id DESC,rotation DESC LIMIT ?",
		matches, &n);
	for (int i = 0; ok && i < n; i += 2) {
		const char *forms[] = {".json", "/viewer.json", "/replay"};

		for (int form = 0; form < 3; form++)
			visit(walk, "/api/%s/matches/%lld-%lld%s", ladder->name,
				(long long)list[i], (long long)list[i + 1], forms[form]);
	}
	free(list);
	return ok;
}

bool web_each_path(struct web *web, int64_t matches,
	void (*each)(void *context, const char *path), void *context, struct why *why)
{
	const struct walk walk = {each, context};

	visit_assets(&walk, web->live);
	visit(&walk, "/api/ladders.json");
	for (int i = 0; i < web->count; i++)
		if (!visit_ladder(&walk, &web->ladder[i], matches))
			return why_set(why, "%s: the database cannot be read",
				web->ladder[i].ladder.path);
	return true;
}
