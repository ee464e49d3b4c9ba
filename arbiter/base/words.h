/* Lists of words that end with NULL: the names of an enum, in its order. */
#ifndef ARBITER_BASE_WORDS_H
#define ARBITER_BASE_WORDS_H

#include <stddef.h>

/* Index of the word; -1 if it is not in the list or NULL. */
int word_index(const char *const *words, const char *word);
/* "wall, cpu" */
void word_list(const char *const *words, char *text, size_t size);

#endif
