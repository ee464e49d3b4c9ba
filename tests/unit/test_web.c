/* What lies at which path of the site, for a ladder that has not played. */
#include "arbiter/base/files.h"
#include "arbiter/ladder/directory/ladder.h"
#include "arbiter/web/site/assets.h"
#include "arbiter/web/site/documents.h"
#include "arbiter/web/site/site.h"

#include <criterion/criterion.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];
static struct site *site;

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
	site = site_open(paths, 2, true, &why);
	cr_assert(site, "%s", why.text);
}

static void close_site(void)
{
	site_close(&site);
	remove_tree(folder);
}

TestSuite(web, .init = open_site, .fini = close_site);

static int status_of(const char *path)
{
	struct http_answer answer;
	int status;

	site_answer(site, path, NULL, &answer);
	status = answer.status;
	cr_assert((answer.bytes != NULL) != (answer.file >= 0), "%s", path);
	http_answer_release(&answer);
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

	cr_assert(site_list_paths(site, 100, expect_there, &count, &why));
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
		"/api/a-ladder/live/1-0", "/viewer/template.html", "/pages/index.html",
		"/viewer/draw.js", "/.html", "/pages/",
		"/api/a-ladder/submissions/1.json"};

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

/* A path that is written in a form is of that form, with the same parts. */
Test(web, every_form_reads_what_it_writes)
{
	const struct path_parts parts = {
		.ladder = "a-ladder", .number = {12, 0}, .word = "word"};
	struct path_parts found;
	char path[PATH_SIZE];

	for (const struct document *d = documents; d->form; d++) {
		path_write(d->form, &parts, path);
		cr_assert(path_match(d->form, path, &found), "%s", path);
		if (strchr(d->form, '@'))
			cr_expect_str_eq(found.ladder, "a-ladder", "%s", path);
		if (strchr(d->form, '#'))
			cr_expect_eq(found.number[0], 12, "%s", path);
		if (strchr(d->form, '*'))
			cr_expect_str_eq(found.word, "word", "%s", path);
	}
}

/* Whatever is done with the word later. */
Test(web, a_part_of_a_path_has_no_slash_in_it)
{
	struct path_parts found;

	cr_expect(path_match("/pages/*", "/pages/a", &found));
	cr_expect_not(path_match("/pages/*", "/pages/a/b", &found));
	cr_expect_not(path_match("/pages/*", "/pages/../key", &found));
	cr_expect_not(path_match("/api/@/x/*.json", "/api/l/x/../key.json", &found));
	cr_expect_not(path_match("/api/@/x.json", "/api/l/../x.json", &found));
}

Test(web, every_document_is_made_in_one_way)
{
	for (const struct document *d = documents; d->form; d++) {
		cr_expect_eq(!!d->make + !!d->answer + !!d->stream, 1, "%s", d->form);
		cr_expect(d->make || !d->cached, "%s", d->form);
		cr_expect(!d->make || strchr(d->form, '@'), "%s", d->form);
	}
}

/* A game is added to the web by its drawing alone. */
Test(web, every_game_has_a_drawing_in_the_script_of_the_viewer)
{
	struct http_answer answer;
	char drawing[128];

	site_answer(site, "/viewer/all.js", NULL, &answer);
	cr_assert_eq(answer.status, 200);
	for (int i = 0; game_list[i]; i++) {
		snprintf(
			drawing, sizeof(drawing), "Pigpen.games.%s = ", game_list[i]->id);
		cr_expect(strstr(answer.bytes, drawing), "%s", drawing);
	}
	cr_expect(strstr(answer.bytes, "Pigpen.mount = "));
	http_answer_release(&answer);
}

/* Numbers and texts that JSON has not, and documents that could not be made. */
Test(web, whatever_is_to_be_answered_there_is_an_answer)
{
	json_t *json = json_pack("[o,o,o,o]", document_real(INFINITY),
		document_real(-INFINITY), document_real(NAN), document_text("\xc3"));
	struct http_answer answer;

	http_answer_json(&answer, 200, json);
	cr_expect_eq(answer.status, 200);
	cr_expect_str_eq(answer.bytes, "[null,null,null,\"\xef\xbf\xbd\"]");
	http_answer_release(&answer);
	http_answer_json(&answer, 200, NULL);
	cr_expect_eq(answer.status, 500);
	cr_expect(strstr(answer.bytes, "\"error\""));
	http_answer_release(&answer);
	http_answer_error(&answer, 400, "cut \xf0\x9f\x90");
	cr_expect_eq(answer.status, 400);
	cr_expect(strstr(answer.bytes, "\"error\":\"cut "), "%s", answer.bytes);
	http_answer_release(&answer);
}

Test(web, a_document_is_cached_until_the_data_change)
{
	struct document_cache cache = {0};
	char text[] = "made once";

	cr_expect_null(cache_find(&cache, "bots/1.json", 1));
	cache_put(&cache, "bots/1.json", text, 1, time_now(&time_system));
	cr_expect_str_eq(cache_find(&cache, "bots/1.json", 1), text);
	cr_expect_null(cache_find(&cache, "bots/2.json", 1));
	/* What took long is given out a while longer. */
	cache_put(&cache, "slow.json", text, 1, time_now(&time_system) - NS_PER_S);
	cr_expect_str_eq(cache_find(&cache, "slow.json", 2), text);
	cache.place[0].made -= NS_PER_S;
	cr_expect_null(cache_find(&cache, "bots/1.json", 2));
	cache_release(&cache);
	cr_expect_eq(cache.bytes, 0);
}

Test(web, a_full_cache_drops_what_was_not_asked_for_longest)
{
	struct document_cache cache = {0};
	char name[16];

	for (int i = 0; i < CACHE_DOCUMENTS_MAX + 1; i++) {
		snprintf(name, sizeof(name), "%d", i);
		cache_put(&cache, name, "text", 1, time_now(&time_system));
		cr_assert(cache_find(&cache, "0", 1), "after %d", i);
	}
	cr_expect_null(cache_find(&cache, "1", 1));
	cr_expect(cache_find(&cache, "2", 1));
	cache_release(&cache);
}
