/*
 * Allocation that either succeeds or ends the process with a line on stderr. Nobody else
 * calls malloc() and checks the result.
 *
 * There is nothing sensible to do without memory. A worker that ends is replaced, and its
 * matches are played again; sizes that come from outside have limits of their own.
 */
#ifndef PROTOCOL_MEMORY_H
#define PROTOCOL_MEMORY_H

#include <stddef.h>
#include <stdio.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *memory, size_t size);
void *xreallocarray(void *memory, size_t count, size_t size);
char *xstrdup(const char *text);
/* At most `size` bytes of the text, and a NUL. */
char *xstrndup(const char *text, size_t size);
/* A formatted string; the caller frees it. */
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A stream whose text is the caller's to free once it is closed with xclose(). */
FILE *xopen_memstream(char **text, size_t *size);
void xclose(FILE *memory);

/*
 * Room for one more entry in a list that grows by doubling:
 *
 *     list = xgrow(list, count, &capacity, sizeof(*list));
 *     list[count++] = entry;
 */
void *xgrow(void *list, size_t count, size_t *capacity, size_t size);

#endif
