/* Computing a patch that turns one JSON value into another. */
#include "arbiter/tools/json_patch.h"

#include <stdbool.h>
#include <stdio.h>

static void set(json_t **object, const char *key, json_t *value)
{
	if (!*object)
		*object = json_object();
	json_object_set_new(*object, key, value);
}

static json_t *patch_object(json_t *from, json_t *to)
{
	json_t *patch = NULL, *value;
	const char *key;

	json_object_foreach(to, key, value)
	{
		json_t *change = json_patch(json_object_get(from, key), value);

		if (change)
			set(&patch, key, change);
	}
	return patch;
}

static json_t *patch_entries(json_t *from, json_t *to)
{
	json_t *patch = NULL, *value;
	size_t i;

	json_array_foreach(to, i, value)
	{
		json_t *change = json_patch(json_array_get(from, i), value);
		char key[24];

		if (!change)
			continue;
		snprintf(key, sizeof(key), "%zu", i);
		set(&patch, key, change);
	}
	return patch;
}

static size_t common_prefix(json_t *from, json_t *to)
{
	size_t n = 0;

	while (n < json_array_size(from) && n < json_array_size(to) &&
		json_equal(json_array_get(from, n), json_array_get(to, n)))
		n++;
	return n;
}

static json_t *patch_tail(json_t *from, json_t *to)
{
	size_t same = common_prefix(from, to), size = json_array_size(to);
	json_t *patch, *added;

	if (same < 3)
		return json_incref(to);
	patch = json_object();
	added = json_array();
	if (same < json_array_size(from))
		json_object_set_new(patch, "-",
			json_integer((json_int_t)(json_array_size(from) - same)));
	for (size_t i = same; i < size; i++)
		json_array_append(added, json_array_get(to, i));
	if (size > same)
		json_object_set(patch, "+", added);
	json_decref(added);
	return patch;
}

/* Is it shorter to name the entries that differ than to write them all? */
static bool few_differ(json_t *from, json_t *to)
{
	json_t *first = json_array_get(to, 0), *value;
	size_t differ = 0, i;

	if (json_array_size(from) != json_array_size(to))
		return false;
	if (json_is_array(first) || json_is_object(first))
		return true;
	json_array_foreach(to, i, value) differ +=
		!json_equal(json_array_get(from, i), value);
	return 2 * differ < json_array_size(to);
}

static json_t *patch_array(json_t *from, json_t *to)
{
	if (json_equal(from, to))
		return NULL;
	return few_differ(from, to) ? patch_entries(from, to) : patch_tail(from, to);
}

json_t *json_patch(json_t *from, json_t *to)
{
	if (json_is_object(from) && json_is_object(to))
		return patch_object(from, to);
	if (json_is_array(from) && json_is_array(to))
		return patch_array(from, to);
	return json_equal(from, to) ? NULL : json_incref(to);
}
