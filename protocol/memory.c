/* Allocation that either succeeds or ends the process. */
#include "protocol/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GROW_FIRST 8

static void *there(void *memory)
{
	if (memory)
		return memory;
	fputs("out of memory\n", stderr);
	abort();
}

void *xmalloc(size_t size)
{
	return there(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return there(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *memory, size_t size)
{
	return there(realloc(memory, size ? size : 1));
}

void *xreallocarray(void *memory, size_t count, size_t size)
{
	return there(reallocarray(memory, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
	return there(strdup(text));
}

char *xstrndup(const char *text, size_t size)
{
	return there(strndup(text, size));
}

char *xasprintf(const char *format, ...)
{
	char *text = NULL;
	va_list list;
	int length;

	va_start(list, format);
	length = vasprintf(&text, format, list);
	va_end(list);
	return there(length < 0 ? NULL : text);
}

FILE *xopen_memstream(char **text, size_t *size)
{
	return there(open_memstream(text, size));
}

void xclose(FILE *memory)
{
	/* The text is complete only if the last of it could be stored. */
	there(fclose(memory) ? NULL : (void *)memory);
}

void *xgrow(void *list, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return list;
	*capacity = *capacity ? *capacity * 2 : GROW_FIRST;
	return xreallocarray(list, *capacity, size);
}
