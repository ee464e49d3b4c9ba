/* The thread that runs all matches with a person in them, from its start to its end. */
#include "arbiter/base/files.h"
#include "arbiter/web/play/play_internal.h"
#include "protocol/memory.h"

#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LOOK_MS 250 /* between two looks at the replays */

/* An absolute path, since matches run in their own folders. */
static bool find_folder(struct play *play, struct why *why)
{
	const char *given = play->options.folder, *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	char here[PATH_MAX / 2] = "";
	int n;

	if (given && *given != '/' && !getcwd(here, sizeof(here)))
		return why_set(why, "the current folder: %s", strerror(errno));
	if (given)
		n = snprintf(play->folder, sizeof(play->folder), "%s%s%s", here,
			*here ? "/" : "", given);
	else if (state && *state == '/')
		n = snprintf(
			play->folder, sizeof(play->folder), "%s/pigpen/played", state);
	else
		n = snprintf(play->folder, sizeof(play->folder),
			"%s/.local/state/pigpen/played", home ? home : "");
	/* The default folder is made when somebody plays. */
	if (n < (int)sizeof(play->folder) &&
		(!given || (make_folders(play->folder, 0700) &&
				   !access(play->folder, W_OK))))
		return true;
	return why_set(why,
		"%s: %s; name a folder for the matches of people with --played",
		play->folder, strerror(errno));
}

struct play *play_new(const struct play_options *options, struct why *why)
{
	struct play *play = xcalloc(1, sizeof(*play));

	play->options = *options;
	play->alarm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (play->alarm < 0)
		why_set(why, "an eventfd cannot be created: %s", strerror(errno));
	if (play->alarm < 0 || !find_folder(play, why)) {
		if (play->alarm >= 0)
			close(play->alarm);
		free(play);
		return NULL;
	}
	for (int i = 0; i < PLAY_PLACES_MAX; i++)
		play_match_init(&play->match[i]);
	play->samples = play_samples(&play->sample_count);
	pthread_mutex_init(&play->mutex, NULL);
	site_offer_play(options->site);
	return play;
}

void play_wake(struct play *play)
{
	eventfd_write(play->alarm, 1);
}

/* Waits until a match under way has something to read, or until the next look is due. */
static void wait_for_matches(struct play *play)
{
	struct pollfd polled[1 + 2 * PLAY_PLACES_MAX] = {{play->alarm, POLLIN, 0}};
	nfds_t n = 1;
	bool busy = false;
	eventfd_t wakes;

	for (int i = 0; i < PLAY_PLACES_MAX; i++) {
		const struct play_match *match = &play->match[i];

		if (match->state != PLAY_RUNNING)
			continue;
		busy = true;
		polled[n++] = (struct pollfd){match->listener, POLLIN, 0};
		polled[n++] = (struct pollfd){match->link, POLLIN, 0};
	}
	pthread_mutex_unlock(&play->mutex);
	poll(polled, n, busy ? LOOK_MS : -1);
	eventfd_read(play->alarm, &wakes);
	pthread_mutex_lock(&play->mutex);
}

static void *work(void *context)
{
	struct play *play = context;

	pthread_mutex_lock(&play->mutex);
	while (!play->ending) {
		bool news = false;

		for (int i = 0; i < PLAY_PLACES_MAX; i++)
			news |= play_match_work(&play->match[i], play->options.idle_s);
		if (news) {
			pthread_mutex_unlock(&play->mutex);
			server_wake(play->server);
			pthread_mutex_lock(&play->mutex);
			continue;
		}
		wait_for_matches(play);
	}
	/* Tells all of them first, then waits for each. */
	for (int i = 0; i < PLAY_PLACES_MAX; i++)
		if (play->match[i].state == PLAY_RUNNING)
			play_match_leave(&play->match[i]);
	for (int i = 0; i < PLAY_PLACES_MAX; i++)
		play_match_kill(&play->match[i]);
	pthread_mutex_unlock(&play->mutex);
	return NULL;
}

bool play_start(struct play *play, struct server *server, struct why *why)
{
	play->server = server;
	play->started = !pthread_create(&play->worker, NULL, work, play);
	return play->started ||
	       why_set(why, "the thread that runs people's matches cannot be started");
}

void play_stop(struct play *play)
{
	if (!play || !play->started)
		return;
	pthread_mutex_lock(&play->mutex);
	play->ending = true;
	pthread_mutex_unlock(&play->mutex);
	play_wake(play);
	pthread_join(play->worker, NULL);
	play->started = false;
}

void play_free(struct play **play)
{
	if (!*play)
		return;
	for (int i = 0; i < PLAY_PLACES_MAX; i++)
		play_match_release(&(*play)->match[i]);
	close((*play)->alarm);
	pthread_mutex_destroy(&(*play)->mutex);
	free((*play)->samples);
	free(*play);
	*play = NULL;
}

struct play_match *play_find(struct play *play, const char *id)
{
	struct play_match *found = NULL;

	for (int i = 0; play_is_id(id) && i < PLAY_PLACES_MAX; i++)
		if (!sodium_memcmp(play->match[i].id, id, PLAY_ID_SIZE) &&
			play->match[i].state != PLAY_FREE)
			found = &play->match[i];
	return found;
}
