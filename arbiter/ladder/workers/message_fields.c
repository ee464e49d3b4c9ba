/* Reading the fields of a message strictly. */
#include "arbiter/ladder/workers/message_fields.h"
#include "arbiter/base/words.h"
#include "protocol/utf8.h"

#include <stdio.h>
#include <string.h>
#include <sodium.h>

void field_refuse(struct message_fields *fields, const char *name, const char *wanted)
{
	if (fields->ok)
		why_set(fields->why, "%s: \"%s\" must be %s", fields->message, name,
			wanted);
	fields->ok = false;
}

void fields_only(struct message_fields *fields, const char *const *names)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)fields->object, name, value)
	{
		if (!fields->ok || word_index(names, name) >= 0)
			continue;
		why_set(fields->why, "%s: \"%s\" is not a field of this message",
			fields->message, name);
		fields->ok = false;
	}
}

bool field_given(const struct message_fields *fields, const char *name)
{
	const json_t *value = json_object_get(fields->object, name);

	return value && !json_is_null(value);
}

int64_t field_integer(
	struct message_fields *fields, const char *name, int64_t min, int64_t max)
{
	const json_t *value = json_object_get(fields->object, name);
	json_int_t number = json_integer_value(value);
	char wanted[96];

	if (json_is_integer(value) && number >= min && number <= max)
		return number;
	snprintf(wanted, sizeof(wanted), "an integer from %lld to %lld", (long long)min,
		(long long)max);
	field_refuse(fields, name, wanted);
	return 0;
}

double field_number(struct message_fields *fields, const char *name)
{
	const json_t *value = json_object_get(fields->object, name);

	if (!json_is_number(value))
		field_refuse(fields, name, "a number");
	return json_number_value(value);
}

bool field_boolean(struct message_fields *fields, const char *name)
{
	const json_t *value = json_object_get(fields->object, name);

	if (!json_is_boolean(value))
		field_refuse(fields, name, "true or false");
	return json_is_true(value);
}

void field_text(struct message_fields *fields, const char *name, char *text, size_t size)
{
	const json_t *value = json_object_get(fields->object, name);
	size_t length = json_string_length(value);
	char wanted[64];

	*text = 0;
	if (json_is_string(value) && length < size &&
		strlen(json_string_value(value)) == length) {
		memcpy(text, json_string_value(value), length + 1);
		return;
	}
	snprintf(wanted, sizeof(wanted), "a string of at most %zu bytes", size - 1);
	field_refuse(fields, name, wanted);
}

void field_prose(struct message_fields *fields, const char *name, char *text, size_t size)
{
	const json_t *value = json_object_get(fields->object, name);

	*text = 0;
	if (json_is_string(value))
		utf8_format(text, size, "%s", json_string_value(value));
	else if (!json_is_null(value))
		field_refuse(fields, name, "a string or null");
}

void field_hex(
	struct message_fields *fields, const char *name, uint8_t *bytes, size_t size)
{
	const json_t *value = json_object_get(fields->object, name);
	const char *text = json_string_value(value);
	char wanted[64];

	if (text && json_string_length(value) == 2 * size &&
		sodium_hex2bin(bytes, size, text, 2 * size, NULL, NULL, NULL) == 0)
		return;
	snprintf(wanted, sizeof(wanted), "a string of %zu hex digits", 2 * size);
	field_refuse(fields, name, wanted);
}

int field_list(
	struct message_fields *fields, const char *name, int max, const json_t **list)
{
	char wanted[64];
	size_t size;

	*list = json_object_get(fields->object, name);
	size = json_array_size(*list);
	if (size >= 1 && size <= (size_t)max)
		return (int)size;
	snprintf(wanted, sizeof(wanted), "a list of 1 to %d entries", max);
	field_refuse(fields, name, wanted);
	return 0;
}
