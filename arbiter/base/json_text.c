/* Untrusted text as JSON strings, and JSON values as text. */
#include "arbiter/base/json_text.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"

#include <stdlib.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

json_t *json_of_bytes(const char *bytes, size_t size)
{
	char *text;
	size_t length;
	FILE *out = xopen_memstream(&text, &length);
	json_t *json;

	while (size) {
		size_t good = utf8_valid_size((struct text){bytes, (uint32_t)size});

		fwrite(bytes, 1, good, out);
		if (good < size) {
			fputs(REPLACEMENT, out);
			good++;
		}
		bytes += good;
		size -= good;
	}
	xclose(out);
	json = json_stringn_nocheck(text, length);
	free(text);
	return json;
}

json_t *json_of_text(const char *text)
{
	return *text ? json_of_bytes(text, strlen(text)) : json_null();
}

char *json_to_text(const json_t *json, size_t flags)
{
	char *text = json_dumps(json, flags | JSON_ENCODE_ANY);

	/* All strings are UTF-8, so this can only fail for lack of memory. */
	return text ? text : xasprintf("null");
}
