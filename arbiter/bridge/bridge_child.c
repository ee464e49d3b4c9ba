/* The child behind the bridge: its process group, and lines to and from it. */
#include "arbiter/bridge/bridge_child.h"
#include "protocol/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int bridge_child_start(struct bridge_child *child, char *const *command)
{
	int err;

	*child = (struct bridge_child){.process = {.argv = command,
					       .input = CHILD_PIPE,
					       .output = CHILD_PIPE,
					       .own_group = true}};
	err = child_start(&child->process);
	if (err)
		return err;
	child->group = child->process.pid;
	lines_init(&child->lines, child->process.output_fd, BRIDGE_LINE_BYTES_MAX);
	return 0;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void bridge_child_release(struct bridge_child *child)
{
	if (child->group > 0)
		kill(-child->group, SIGKILL);
	if (child->process.pid > 0)
		child_wait(&child->process);
	child_close(&child->process);
	free(child->queue);
	lines_release(&child->lines);
	*child = (struct bridge_child){0};
}

static void append(struct bridge_child *child, const char *bytes, size_t size)
{
	if (child->start) {
		memmove(child->queue, child->queue + child->start, child->queued);
		child->start = 0;
	}
	if (child->queued + size > child->capacity) {
		child->capacity = 2 * (child->queued + size);
		child->queue = xrealloc(child->queue, child->capacity);
	}
	memcpy(child->queue + child->queued, bytes, size);
	child->queued += size;
}

bool bridge_child_tell(struct bridge_child *child, const char *line)
{
	append(child, line, strlen(line));
	append(child, "\n", 1);
	return child->queued <= BRIDGE_QUEUE_BYTES_MAX;
}

bool bridge_child_has_queue(const struct bridge_child *child)
{
	return child->process.input_fd >= 0 && child->queued > 0;
}

void bridge_child_flush(struct bridge_child *child)
{
	while (bridge_child_has_queue(child)) {
		ssize_t n = write(child->process.input_fd, child->queue + child->start,
			child->queued);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) {
			child->deaf = true;
			close_end(&child->process.input_fd);
			return;
		}
		child->start += (size_t)n;
		child->queued -= (size_t)n;
	}
}

void bridge_child_hush(struct bridge_child *child)
{
	bridge_child_flush(child);
	if (!bridge_child_has_queue(child))
		close_end(&child->process.input_fd);
}

char *bridge_child_line(struct bridge_child *child, size_t *size)
{
	char *line = lines_next(&child->lines, size);

	if (!line && child->process.output_fd >= 0) {
		lines_fill(&child->lines);
		line = lines_next(&child->lines, size);
	}
	if (child->lines.ended)
		close_end(&child->process.output_fd);
	child->count += line != NULL;
	return line;
}

void bridge_child_reap(struct bridge_child *child)
{
	child->exited = child->exited || child_ended(&child->process, &child->status);
}
