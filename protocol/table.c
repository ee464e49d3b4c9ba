/* A hash table with open addressing. */
#include <stdlib.h>
#include <string.h>
#include "protocol/table.h"
#include "protocol/memory.h"

#define CAPACITY_FIRST 16

/* FNV-1a, mixed once more because the low bits choose the place. */
static uint64_t hash_of(const void *key, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (const uint8_t *at = key, *end = at + size; at < end; at++)
		hash = (hash ^ *at) * 0x100000001b3;
	return hash ^ hash >> 29;
}

static void put(struct table *table, struct table_entry entry)
{
	size_t i = entry.hash & (table->capacity - 1);

	while (table->entries[i].value)
		i = (i + 1) & (table->capacity - 1);
	table->entries[i] = entry;
}

static void grow(struct table *table)
{
	struct table old = *table;

	table->capacity = old.capacity ? 2 * old.capacity : CAPACITY_FIRST;
	table->entries = xcalloc(table->capacity, sizeof(*table->entries));
	for (size_t i = 0; i < old.capacity; i++)
		if (old.entries[i].value)
			put(table, old.entries[i]);
	free(old.entries);
}

/* The place of a key, or of the free entry where the search ended. */
static size_t seek(const struct table *table, const void *key, size_t size)
{
	uint64_t hash = hash_of(key, size);
	size_t i = hash & (table->capacity - 1);

	for (; table->entries[i].value; i = (i + 1) & (table->capacity - 1)) {
		const struct table_entry *entry = &table->entries[i];

		if (entry->hash == hash && entry->size == size &&
			memcmp(entry->key, key, size) == 0)
			break;
	}
	return i;
}

void table_release(struct table *table)
{
	free(table->entries);
	*table = (struct table){0};
}

void *table_find(const struct table *table, const void *key, size_t size)
{
	return table->count ? table->entries[seek(table, key, size)].value : NULL;
}

void table_add(struct table *table, const void *key, size_t size, void *value)
{
	if (2 * (table->count + 1) > table->capacity)
		grow(table);
	put(table, (struct table_entry){key, size, hash_of(key, size), value});
	table->count++;
}

/* Closes the gap at `hole`: entries after it that a search would no longer reach
 * move up. */
static void close_gap(struct table *table, size_t hole)
{
	size_t mask = table->capacity - 1;

	for (size_t i = (hole + 1) & mask; table->entries[i].value; i = (i + 1) & mask) {
		size_t home = table->entries[i].hash & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		table->entries[hole] = table->entries[i];
		hole = i;
	}
	table->entries[hole] = (struct table_entry){0};
}

void *table_remove(struct table *table, const void *key, size_t size)
{
	size_t i;
	void *value;

	if (table->count == 0)
		return NULL;
	i = seek(table, key, size);
	value = table->entries[i].value;
	if (value) {
		table->count--;
		close_gap(table, i);
	}
	return value;
}
