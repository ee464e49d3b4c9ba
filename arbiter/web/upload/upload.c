/* Receives archives, and starts the process that checks them. */
#include "arbiter/web/upload/upload.h"
#include "arbiter/base/child.h"
#include "arbiter/ladder/directory/owner.h"
#include "arbiter/ladder/submit/submission_queue.h"
#include "arbiter/ladder/submit/unpack.h"
#include "arbiter/web/site/site_ladder.h"
#include "protocol/memory.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define LOOK_S  5  /* between two looks at the queues */
#define PAUSE_S 60 /* after something went wrong */
#define SUFFIX  "/submit"

struct upload {
	struct site *site;
	pthread_t checker;
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t change;
	bool news, ending;
	struct child child; /* its pid is 0 if there is none */
};

/* Waits until a child has ended, but leaves it there: nobody else can get its number
 * until it is taken. */
static void await_end(pid_t pid)
{
	while (waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT) < 0 &&
		errno == EINTR)
		continue;
}

/* Starts the check of a ladder's queue and waits for it; true if it succeeded. */
static bool check(struct upload *upload, char *path)
{
	char *argv[] = {"pigpen", "ladder", "admit", path, NULL};
	struct child *child = &upload->child;
	int status = -1;
	bool started;

	pthread_mutex_lock(&upload->mutex);
	*child = (struct child){
		.argv = argv, .self = true, .input = CHILD_NULL, .output = CHILD_NULL};
	started = !upload->ending && child_start(child) == 0;
	pthread_mutex_unlock(&upload->mutex);
	if (!started)
		return false;
	await_end(child->pid);
	pthread_mutex_lock(&upload->mutex);
	status = child_wait(child);
	pthread_mutex_unlock(&upload->mutex);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Waits for an upload or for some seconds; false: the server is stopping. */
static bool rest(struct upload *upload, int seconds, bool wake_for_news)
{
	struct timespec until;
	bool on;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	pthread_mutex_lock(&upload->mutex);
	while (!upload->ending && !(wake_for_news && upload->news) &&
		pthread_cond_timedwait(&upload->change, &upload->mutex, &until) == 0)
		;
	upload->news = false;
	on = !upload->ending;
	pthread_mutex_unlock(&upload->mutex);
	return on;
}

static void *check_queues(void *context)
{
	struct upload *upload = context;
	bool ok;

	do {
		ok = true;
		for (int i = 0; i < site_ladder_count(upload->site); i++) {
			struct ladder *ladder = &site_ladder_at(upload->site, i)->ladder;

			if (submission_waiting(ladder))
				ok &= check(upload, ladder->path);
		}
	} while (rest(upload, ok ? LOOK_S : PAUSE_S, ok));
	return NULL;
}

struct upload *upload_start(struct site *site, struct why *why)
{
	struct upload *upload = xcalloc(1, sizeof(*upload));

	upload->site = site;
	pthread_mutex_init(&upload->mutex, NULL);
	pthread_cond_init(&upload->change, NULL);
	if (pthread_create(&upload->checker, NULL, check_queues, upload)) {
		why_set(why, "the thread that checks submissions cannot be started");
		free(upload);
		return NULL;
	}
	site_offer_upload(site);
	return upload;
}

void upload_stop(struct upload **upload)
{
	if (!*upload)
		return;
	pthread_mutex_lock(&(*upload)->mutex);
	(*upload)->ending = true;
	if ((*upload)->child.pid > 0)
		kill((*upload)->child.pid, SIGKILL);
	pthread_cond_signal(&(*upload)->change);
	pthread_mutex_unlock(&(*upload)->mutex);
	pthread_join((*upload)->checker, NULL);
	pthread_mutex_destroy(&(*upload)->mutex);
	pthread_cond_destroy(&(*upload)->change);
	free(*upload);
	*upload = NULL;
}

/* "L/submit" and a token of that ladder; NULL: it is answered already. */
static struct site_ladder *find_ladder(struct upload *upload,
	const struct server_request *request, char owner[OWNER_NAME_SIZE],
	struct http_answer *answer)
{
	const char *suffix = strchr(request->rest, '/');
	struct site_ladder *ladder = site_find_ladder(upload->site, request->rest);

	if (!ladder || !suffix || strcmp(suffix, SUFFIX))
		http_answer_error(answer, 405, "only GET and HEAD are allowed here");
	else if (!request->token)
		http_answer_error(answer, 401,
			"send the token that the host gave you: Authorization: Bearer TOKEN");
	else if (!token_owner(&ladder->ladder, request->token, owner))
		http_answer_error(answer, 401,
			"this ladder does not know the token, or it was revoked");
	else
		return ladder;
	return NULL;
}

static int status_of(enum submission_answer room)
{
	return room == SUBMISSION_TOO_MANY ? 429 : 503;
}

/* Runs before the body is received, so that strangers cannot fill the disk. */
static bool admit(
	void *context, const struct server_request *request, struct http_answer *answer)
{
	struct why why;
	char owner[OWNER_NAME_SIZE];
	struct site_ladder *ladder = find_ladder(context, request, owner, answer);
	enum submission_answer room;

	if (!ladder)
		return false;
	room = submission_room(&ladder->ladder, owner, &why);
	if (room != SUBMISSION_QUEUED)
		http_answer_error(answer, status_of(room), why.text);
	return room == SUBMISSION_QUEUED;
}

static void take(
	void *context, const struct server_request *request, struct http_answer *answer)
{
	struct upload *upload = context;
	struct why why;
	char owner[OWNER_NAME_SIZE], id[SUBMISSION_ID_SIZE];
	struct site_ladder *ladder = find_ladder(upload, request, owner, answer);
	enum submission_answer taken;

	if (!ladder)
		return;
	pthread_mutex_lock(&upload->mutex);
	taken = submission_add(
		&ladder->ladder, owner, request->file, (int64_t)request->size, id, &why);
	upload->news |= taken == SUBMISSION_QUEUED;
	pthread_cond_signal(&upload->change);
	pthread_mutex_unlock(&upload->mutex);
	if (taken == SUBMISSION_QUEUED)
		http_answer_json(answer, 202, json_pack("{s:s}", "id", id));
	else
		http_answer_error(answer, status_of(taken), why.text);
}

struct server_route upload_route(struct upload *upload)
{
	return (struct server_route){.method = "POST",
		.path = "/api/",
		.body_max = UNPACK_PACKED_BYTES_MAX,
		.context = upload,
		.admit = admit,
		.answer = take};
}
