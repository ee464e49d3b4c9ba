/* Files of JSON lines in a task's folder. */
#include "arbiter/base/files.h"
#include "arbiter/ladder/slurm/task.h"
#include "protocol/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool append_lines(json_t *list, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	bool ok = true;

	while (ok && (length = getline(&line, &room, file)) > 0) {
		json_t *object = json_loadb(line, (size_t)length, 0, NULL);

		ok = line[length - 1] == '\n' && json_is_object(object);
		if (object)
			json_array_append_new(list, object);
	}
	free(line);
	return ok;
}

json_t *task_read(const char *folder, const char *name)
{
	char path[PATH_MAX];
	json_t *list = json_array();
	FILE *file;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	ok = file && append_lines(list, file);
	if (file)
		fclose(file);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

bool task_write(const char *folder, const char *name, json_t *lines, mode_t mode)
{
	char path[PATH_MAX], *text = NULL;
	size_t size, i;
	FILE *out = xopen_memstream(&text, &size);
	const json_t *line;
	bool ok;

	json_array_foreach(lines, i, line)
	{
		json_dumpf(line, out, JSON_COMPACT);
		fputc('\n', out);
	}
	fclose(out);
	json_decref(lines);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	ok = write_file_whole(path, text, size, mode);
	free(text);
	return ok;
}
