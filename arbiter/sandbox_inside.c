/*
 * `pigpen inside UID MEMORY PROCESSES DESCRIPTORS DISK CPU play|build COMMAND…`: the
 * first program in the sandbox. It takes the user, sets the limits, loads the filter and
 * becomes the command. Nothing of it is left for the command to use.
 */
#include "arbiter/cmd.h"
#include "arbiter/sandbox.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { UID = 1, MEMORY, PROCESSES, DESCRIPTORS, DISK, CPU, PURPOSE, COMMAND };

static const struct {
	int word;
	__rlimit_resource_t resource;
} limits[] = {
	{MEMORY, RLIMIT_DATA},
	{PROCESSES, RLIMIT_NPROC},
	{DESCRIPTORS, RLIMIT_NOFILE},
	{DISK, RLIMIT_FSIZE},
	{CPU, RLIMIT_CPU},
};

static int take_user(const char *word)
{
	uid_t uid = (uid_t)strtoul(word, NULL, 10);

	if (!uid)
		return 0;
	return setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)
		       ? errno
		       : 0;
}

static int set_limits(char *const *argv)
{
	struct rlimit core = {0, 0};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		rlim_t value = strtoull(argv[limits[i].word], NULL, 10);
		struct rlimit limit = {value, value};

		if (value && setrlimit(limits[i].resource, &limit))
			return errno;
	}
	return setrlimit(RLIMIT_CORE, &core) ? errno : 0;
}

int cmd_inside(int argc, char **argv)
{
	int err;

	if (argc <= COMMAND)
		return user_error("`inside` is how the sandbox starts a bot; it is of no "
				  "use by itself");
	err = take_user(argv[UID]);
	if (!err)
		err = set_limits(argv);
	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = errno;
	if (!err)
		err = sandbox_filter_load(!strcmp(argv[PURPOSE], "build"));
	if (err) {
		user_error("the sandbox cannot be closed: %s", strerror(err));
		return 126;
	}
	execvp(argv[COMMAND], argv + COMMAND);
	user_error("'%s' cannot be run in the sandbox: %s%s", argv[COMMAND],
		strerror(errno),
		errno == EACCES ? "; everybody must be allowed to read and execute it "
				  "(chmod -R a+rX)"
				: "");
	return 127;
}
