/* The folder with the matches of people: old ones make room for new ones. */
#include "arbiter/base/files.h"
#include "arbiter/web/play/play_internal.h"
#include "protocol/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct old_match {
	char id[PLAY_ID_SIZE];
	int64_t changed_ns;
};

bool play_is_id(const char *text)
{
	return strlen(text) == PLAY_ID_SIZE - 1 &&
	       strspn(text, "0123456789abcdef") == PLAY_ID_SIZE - 1;
}

static int by_age(const void *a, const void *b)
{
	const struct old_match *x = a, *y = b;

	return x->changed_ns < y->changed_ns ? -1 : x->changed_ns > y->changed_ns;
}

/* All matches that may be removed; the caller frees the list. */
static struct old_match *list_old(struct play *play, int *count)
{
	DIR *folder = opendir(play->folder);
	struct old_match *list = NULL;
	struct dirent *entry;
	struct stat about;

	*count = 0;
	while (folder && (entry = readdir(folder))) {
		const struct play_match *match;

		if (!play_is_id(entry->d_name) ||
			fstatat(dirfd(folder), entry->d_name, &about, 0))
			continue;
		match = play_find(play, entry->d_name);
		if (match && match->state != PLAY_OVER)
			continue;
		list = xrealloc(list, ((size_t)*count + 1) * sizeof(*list));
		strcpy(list[*count].id, entry->d_name);
		list[(*count)++].changed_ns =
			about.st_mtim.tv_sec * NS_PER_S + about.st_mtim.tv_nsec;
	}
	if (folder)
		closedir(folder);
	return list;
}

void play_folder_tidy(struct play *play)
{
	int count;
	struct old_match *list = list_old(play, &count);
	char path[PATH_MAX];

	if (list)
		qsort(list, (size_t)count, sizeof(*list), by_age);
	for (int i = 0; i <= count - PLAY_FOLDERS_MAX; i++)
		if (snprintf(path, sizeof(path), "%s/%s", play->folder, list[i].id) <
			(int)sizeof(path))
			remove_tree(path);
	free(list);
}
