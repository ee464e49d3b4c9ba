/*
 * A hash table from short byte keys to pointers, for peers and matches.
 *
 * The key's bytes belong to the entry's owner and must stay where they are while
 * the entry is in the table. Open addressing; grows by doubling.
 */
#ifndef PROTOCOL_TABLE_H
#define PROTOCOL_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_entry {
	const void *key;
	size_t size;
	uint64_t hash;
	void *value; /* NULL: free */
};

/* All zero is an empty table. */
struct table {
	struct table_entry *entries;
	size_t capacity; /* 0 or a power of two */
	size_t count;
};

void table_release(struct table *table);
void *table_find(const struct table *table, const void *key, size_t size);
/* The key must not be there already; value is not NULL. */
void table_add(struct table *table, const void *key, size_t size, void *value);
/* Returns the value that was there, or NULL. */
void *table_remove(struct table *table, const void *key, size_t size);

#endif
