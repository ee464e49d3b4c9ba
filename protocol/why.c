/* Messages that say why something did not work. */
#include "protocol/why.h"
#include "protocol/utf8.h"

bool why_set_list(struct why *why, const char *format, va_list list)
{
	if (why)
		utf8_format_list(why->text, sizeof(why->text), format, list);
	return false;
}

bool why_set(struct why *why, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	why_set_list(why, format, list);
	va_end(list);
	return false;
}

bool why_before(struct why *why, const char *format, ...)
{
	char words[WHY_SIZE], sentence[WHY_SIZE];
	va_list list;

	if (!why)
		return false;
	va_start(list, format);
	utf8_format_list(words, sizeof(words), format, list);
	va_end(list);
	strcpy(sentence, why->text);
	return why_set(why, "%s%s", words, sentence);
}
