/*
 * The system calls that a bot may not make.
 *
 * A list of what is refused, not of what is allowed: bots come in every language, and a
 * runtime that makes a new harmless call must not crash. The namespaces and the bot's own
 * user already keep it away from everything else; the filter takes away the remaining
 * ways of breaking out of them (new namespaces, mounts, other processes' memory, kernel
 * interfaces with a history of holes), for talking to others (sockets other than Unix
 * ones, locks and watches on files that several bots can see), and for taking memory that
 * no limit counts.
 *
 * Refused calls fail with an errno, so that a library can fall back to something else.
 */
#include "arbiter/process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define CLONE_NAMESPACES                                                                 \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |   \
		CLONE_NEWPID | CLONE_NEWNET)

/* By name, because not every architecture has every call. */
static const char *const refused[] = {
	/* other processes */
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise",
	"pidfd_getfd", "kcmp",
	/* mounts and namespaces */
	"mount", "umount2", "umount", "pivot_root", "chroot", "move_mount", "open_tree",
	"fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "unshare", "setns",
	"open_by_handle_at", "name_to_handle_at",
	/* large and rarely needed parts of the kernel */
	"bpf", "userfaultfd", "perf_event_open", "io_uring_setup", "io_uring_enter",
	"io_uring_register", "add_key", "request_key", "keyctl", "vmsplice",
	"lookup_dcookie", "fanotify_init", "quotactl", "nfsservctl",
	/* the machine itself */
	"kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
	"reboot", "swapon", "swapoff", "acct", "syslog", "iopl", "ioperm", "settimeofday",
	"clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname",
	"vhangup", "mbind", "migrate_pages", "move_pages", "set_mempolicy",
	/* memory that counts for no process */
	"shmget", "memfd_create", "memfd_secret"};

/* Ways to signal to another bot that sees the same read-only file. */
static const char *const refused_in_play[] = {
	"flock", "inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_mark"};

static const int locking[] = {
	F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY};

static void refuse_names(
	scmp_filter_ctx filter, const char *const *names, size_t count, int *err)
{
	for (size_t i = 0; i < count; i++) {
		int number = seccomp_syscall_resolve_name(names[i]);

		if (number != __NR_SCMP_ERROR && !*err)
			*err = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0);
	}
}

static void refuse_if(scmp_filter_ctx filter, int error, int number,
	struct scmp_arg_cmp condition, int *err)
{
	if (!*err)
		*err = seccomp_rule_add_array(
			filter, SCMP_ACT_ERRNO((uint32_t)error), number, 1, &condition);
}

static void add_rules(scmp_filter_ctx filter, bool building, int *err)
{
	refuse_names(filter, refused, sizeof(refused) / sizeof(*refused), err);
	/* clone3 passes its flags in memory, where no filter sees them; with ENOSYS
	 * libraries use clone instead. */
	if (!*err)
		*err = seccomp_rule_add(
			filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	for (int bit = 0; bit < 32; bit++)
		if (CLONE_NAMESPACES & 1u << bit)
			refuse_if(filter, EPERM, SCMP_SYS(clone),
				SCMP_A0(SCMP_CMP_MASKED_EQ, 1u << bit, 1u << bit), err);
	refuse_if(filter, EAFNOSUPPORT, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_NE, AF_UNIX),
		err);
	refuse_if(filter, EPERM, SCMP_SYS(mmap),
		SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_ANONYMOUS,
			MAP_SHARED | MAP_ANONYMOUS),
		err);
	refuse_if(filter, EPERM, SCMP_SYS(ioctl),
		SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, TIOCSTI), err);
	if (building)
		return;
	refuse_names(filter, refused_in_play,
		sizeof(refused_in_play) / sizeof(*refused_in_play), err);
	for (size_t i = 0; i < sizeof(locking) / sizeof(*locking); i++)
		refuse_if(filter, ENOLCK, SCMP_SYS(fcntl),
			SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, (uint64_t)locking[i]),
			err);
}

int sandbox_filter_load(bool building)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int err = filter ? 0 : -ENOMEM;

	add_rules(filter, building, &err);
	if (!err)
		err = seccomp_load(filter);
	seccomp_release(filter);
	return -err;
}
