/* Files of JSON lines in a task's folder. */
#include "arbiter/base/files.h"
#include "arbiter/base/json_text.h"
#include "arbiter/ladder/slurm/task.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

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

bool task_write(const char *folder, const char *name, json_t *lines)
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
	xclose(out);
	json_decref(lines);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	ok = write_file_whole(path, text, size, 0600);
	free(text);
	return ok;
}

bool task_read_end(const char *folder, struct task_end *end)
{
	json_t *lines = task_read(folder, "end");
	const json_t *line = json_array_get(lines, 0);
	const json_t *files = json_object_get(line, "files");
	const json_t *why = json_object_get(line, "why");
	bool ok = json_is_integer(files) && (json_is_string(why) || json_is_null(why));

	if (ok) {
		end->files = (int)json_integer_value(files);
		utf8_format(end->why.text, sizeof(end->why.text), "%s",
			json_is_string(why) ? json_string_value(why) : "");
	}
	json_decref(lines);
	return ok;
}

bool task_write_end(const char *folder, const struct task_end *end)
{
	json_t *line = json_object(), *lines = json_array();

	json_object_set_new(line, "files", json_integer(end->files));
	json_object_set_new(line, "why", json_of_text(end->why.text));
	json_array_append_new(lines, line);
	return task_write(folder, "end", lines);
}
