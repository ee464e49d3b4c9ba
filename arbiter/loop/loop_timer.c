/* A binary heap of timers, the earliest on top. */
#include "arbiter/loop/loop_internal.h"
#include "protocol/memory.h"

#include <stdlib.h>

static void place(struct timers *timers, size_t i, struct timer *timer)
{
	timers->heap[i] = timer;
	timer->index = i + 1;
}

static void sift_up(struct timers *timers, size_t i)
{
	struct timer *timer = timers->heap[i];

	while (i > 0 && timers->heap[(i - 1) / 2]->at > timer->at) {
		place(timers, i, timers->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	place(timers, i, timer);
}

static void sift_down(struct timers *timers, size_t i)
{
	struct timer *timer = timers->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < timers->count &&
			timers->heap[child + 1]->at < timers->heap[child]->at)
			child++;
		if (child >= timers->count || timers->heap[child]->at >= timer->at)
			break;
		place(timers, i, timers->heap[child]);
		i = child;
	}
	place(timers, i, timer);
}

void timer_set(struct timers *timers, struct timer *timer, mono_ns at)
{
	timer_clear(timers, timer);
	if (timers->count == timers->capacity) {
		timers->capacity = timers->capacity ? 2 * timers->capacity : 64;
		timers->heap =
			xrealloc(timers->heap, timers->capacity * sizeof(*timers->heap));
	}
	timer->at = at;
	timers->heap[timers->count] = timer;
	sift_up(timers, timers->count++);
}

void timer_clear(struct timers *timers, struct timer *timer)
{
	size_t i = timer->index;
	struct timer *last;

	if (!i)
		return;
	timer->index = 0;
	last = timers->heap[--timers->count];
	if (last == timer)
		return;
	timers->heap[--i] = last;
	sift_down(timers, i);
	sift_up(timers, last->index - 1);
}

mono_ns timers_next(const struct timers *timers)
{
	return timers->count ? timers->heap[0]->at : TIME_NEVER;
}

void timers_release(struct timers *timers)
{
	free(timers->heap);
	*timers = (struct timers){0};
}
