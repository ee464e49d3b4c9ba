/* Looking up and listing the words of an enum. */
#include "arbiter/base/words.h"
#include "protocol/utf8.h"

int word_index(const char *const *words, const char *word)
{
	for (int i = 0; word && words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

void word_list(const char *const *words, char *text, size_t size)
{
	*text = 0;
	for (int i = 0; words[i]; i++) {
		size_t used = strlen(text);

		utf8_format(text + used, size - used, "%s%s", i ? ", " : "", words[i]);
	}
}
