#include "arbiter/web/submit.h"
#include "arbiter/ladder/directory/owner.h"
#include "arbiter/ladder/submit/submission_queue.h"
#include "arbiter/ladder/submit/unpack.h"
#include "arbiter/web/web_internal.h"
#include "protocol/memory.h"
#include "arbiter/base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_S  5  /* between two looks at the queues */
#define PAUSE_S 60 /* after something went wrong */
#define SUFFIX  "submit"

struct submit {
	struct web *web;
	pthread_t checker;
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t change;
	bool news, ending;
	pid_t child; /* 0: none */
};

/* As of a process that was just started, and gone with this one. */
_Noreturn static void become_checker(char *const *argv, pid_t parent)
{
	sigset_t none;
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	close_range(3, ~0u, 0);
	execv(argv[0], argv);
	_exit(127);
}

/* Has a ladder's queue checked; true if that was done. */
static bool check(struct submit *submit, const char *path)
{
	char *argv[] = {(char *)program_path(), "ladder", "admit", (char *)path, NULL};
	pid_t parent = getpid(), child = -1;
	int status = -1;

	pthread_mutex_lock(&submit->mutex);
	if (!submit->ending)
		child = fork();
	if (child == 0)
		become_checker(argv, parent);
	submit->child = child > 0 ? child : 0;
	pthread_mutex_unlock(&submit->mutex);
	if (child < 0)
		return false;
	/* It stays a zombie until nobody can mean it any more by its number. */
	waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT);
	pthread_mutex_lock(&submit->mutex);
	submit->child = 0;
	waitpid(child, &status, 0);
	pthread_mutex_unlock(&submit->mutex);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Waits for news or for some seconds; false: it is over. */
static bool rest(struct submit *submit, int seconds, bool wake_for_news)
{
	struct timespec until;
	bool on;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	pthread_mutex_lock(&submit->mutex);
	while (!submit->ending && !(wake_for_news && submit->news) &&
		pthread_cond_timedwait(&submit->change, &submit->mutex, &until) == 0)
		;
	submit->news = false;
	on = !submit->ending;
	pthread_mutex_unlock(&submit->mutex);
	return on;
}

static void *check_queues(void *context)
{
	struct submit *submit = context;
	struct web *web = submit->web;
	bool ok;

	do {
		ok = true;
		for (int i = 0; i < web->count; i++)
			if (submission_waiting(&web->ladder[i].ladder))
				ok &= check(submit, web->ladder[i].ladder.path);
	} while (rest(submit, ok ? LOOK_S : PAUSE_S, ok));
	return NULL;
}

struct submit *submit_start(struct web *web)
{
	struct submit *submit = xcalloc(1, sizeof(*submit));

	submit->web = web;
	web_offer_submit(web);
	pthread_mutex_init(&submit->mutex, NULL);
	pthread_cond_init(&submit->change, NULL);
	if (pthread_create(&submit->checker, NULL, check_queues, submit))
		abort();
	return submit;
}

void submit_stop(struct submit **submit)
{
	if (!*submit)
		return;
	pthread_mutex_lock(&(*submit)->mutex);
	(*submit)->ending = true;
	if ((*submit)->child)
		kill((*submit)->child, SIGKILL);
	pthread_cond_signal(&(*submit)->change);
	pthread_mutex_unlock(&(*submit)->mutex);
	pthread_join((*submit)->checker, NULL);
	pthread_mutex_destroy(&(*submit)->mutex);
	pthread_cond_destroy(&(*submit)->change);
	free(*submit);
	*submit = NULL;
}

/* "L/submit" and a token of that ladder; NULL with an answer. */
static struct web_ladder *settle(struct submit *submit,
	const struct server_request *request, char owner[OWNER_NAME_SIZE],
	struct web_answer *answer)
{
	const char *rest_of_path;
	struct web_ladder *ladder =
		web_find_ladder(submit->web, request->rest, &rest_of_path);

	if (!ladder || strcmp(rest_of_path, SUFFIX)) {
		server_answer_error(answer, 405, "this can only be read");
		return NULL;
	}
	if (!request->token)
		server_answer_error(answer, 401,
			"send the token that the host gave you: Authorization: Bearer "
			"TOKEN");
	else if (!token_owner(&ladder->ladder, request->token, owner))
		server_answer_error(answer, 401,
			"this ladder does not know the token, or it was revoked");
	else
		return ladder;
	return NULL;
}

static int status_of(enum submission_answer room)
{
	return room == SUBMISSION_TOO_MANY ? 429 : 503;
}

/* Before the body is sent: strangers shall not fill the disk. */
static bool admit(
	void *context, const struct server_request *request, struct web_answer *answer)
{
	struct why why;
	char owner[OWNER_NAME_SIZE];
	struct web_ladder *ladder = settle(context, request, owner, answer);
	enum submission_answer room;

	if (!ladder)
		return false;
	room = submission_room(&ladder->ladder, owner, &why);
	if (room != SUBMISSION_QUEUED)
		server_answer_error(answer, status_of(room), why.text);
	return room == SUBMISSION_QUEUED;
}

static void take(
	void *context, const struct server_request *request, struct web_answer *answer)
{
	struct submit *submit = context;
	struct why why;
	char owner[OWNER_NAME_SIZE], id[SUBMISSION_ID_SIZE];
	struct web_ladder *ladder = settle(submit, request, owner, answer);
	enum submission_answer taken;

	if (!ladder)
		return;
	pthread_mutex_lock(&submit->mutex);
	taken = submission_add(
		&ladder->ladder, owner, request->file, (int64_t)request->size, id, &why);
	submit->news |= taken == SUBMISSION_QUEUED;
	pthread_cond_signal(&submit->change);
	pthread_mutex_unlock(&submit->mutex);
	if (taken == SUBMISSION_QUEUED)
		server_answer_json(answer, 202, json_pack("{s:s}", "id", id));
	else
		server_answer_error(answer, status_of(taken), why.text);
}

int submit_routes(struct submit *submit, struct server_route *routes, int count)
{
	routes[count++] = (struct server_route){.method = "POST",
		.path = "/api/",
		.body_max = UNPACK_PACKED_BYTES_MAX,
		.context = submit,
		.admit = admit,
		.answer = take};
	return count;
}
