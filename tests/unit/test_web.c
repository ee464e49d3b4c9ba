/* What lies at which path of the page, for a ladder that has not played. */
#include "arbiter/ladder/directory/ladder.h"
#include "arbiter/web/web.h"
#include "arbiter/base/files.h"

#include <criterion/criterion.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];
static struct web *web;

static void open_site(void)
{
	struct why why;
	char other[96], *paths[] = {folder, other};
	struct ladder_settings config;

	cr_assert(sodium_init() >= 0);
	strcpy(folder, "/tmp/pigpen-web-XXXXXX");
	cr_assert(mkdtemp(folder));
	ladder_settings_init(&config, game_find("dirty_pig"));
	snprintf(other, sizeof(other), "%s/a ladder", folder);
	cr_assert(ladder_create(folder, &config, &why), "%s", why.text);
	cr_assert(ladder_create(other, &config, &why), "%s", why.text);
	web = web_open(paths, 2, true, &why);
	cr_assert(web, "%s", why.text);
}

static void close_site(void)
{
	web_close(&web);
	remove_tree(folder);
}

TestSuite(web, .init = open_site, .fini = close_site);

static int status_of(const char *path)
{
	struct web_answer answer;
	int status;

	web_answer(web, path, NULL, &answer);
	status = answer.status;
	cr_assert((answer.bytes != NULL) != (answer.file >= 0), "%s", path);
	web_answer_release(&answer);
	return status;
}

static void expect_there(void *count, const char *path)
{
	cr_expect_eq(status_of(path), 200, "%s", path);
	++*(int *)count;
}

Test(web, every_path_that_is_named_is_there)
{
	struct why why;
	int count = 0;

	cr_assert(web_each_path(web, 100, expect_there, &count, &why));
	cr_assert_gt(count, 20);
}

Test(web, names_of_folders_become_safe_in_an_address)
{
	cr_expect_eq(status_of("/api/a-ladder/standings.json"), 200);
	cr_expect_eq(status_of("/api/a ladder/standings.json"), 404);
}

Test(web, nothing_else_is_there)
{
	static const char *const paths[] = {"", "x", "/x", "/api", "/api/", "/api//",
		"/api/a-ladder", "/api/a-ladder/", "/api/a-ladder/key", "/../key",
		"/api/a-ladder/../key", "/api/a-ladder/bots/1.json",
		"/api/a-ladder/bots/.json", "/api/a-ladder/bots/-1.json",
		"/api/a-ladder/bots/9999999999999999999999.json",
		"/api/a-ladder/matches/1-0.json", "/api/a-ladder/matches/1-0/viewer.json",
		"/api/a-ladder/matches/1-0/replay", "/api/a-ladder/matches/1-99.json",
		"/api/a-ladder/lists/all/1.json", "/api/a-ladder/lists/all/00.json",
		"/api/a-ladder/lists/bot-0/0.json", "/api/a-ladder/lists/all/0.jsonx",
		"/api/a-ladder/live/1-0", "/viewer/template.html", "/pages/index.html"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		cr_expect_eq(status_of(paths[i]), 404, "%s", paths[i]);
}

/* Pieces of real paths in any order, for the sanitizers to watch. */
Test(web, any_path_is_answered)
{
	static const char *const pieces[] = {"/", "api", "a-ladder", "lists", "bot-",
		"all", "-faulted", "matches", "1-0", ".json", "viewer", "standings",
		"99999999999", "..", "\xff", "%", "live", "pages", "index.html", "-",
		"0"};
	char path[2048];

	for (uint32_t round = 0; round < 3000; round++) {
		int n = 1 + (int)randombytes_uniform(round % 50 ? 12 : 120), status;

		strcpy(path, "/");
		while (n--)
			strcat(path, pieces[randombytes_uniform(
					     sizeof(pieces) / sizeof(*pieces))]);
		status = status_of(path);
		cr_assert(status == 200 || status == 404, "%d %s", status, path);
	}
}
