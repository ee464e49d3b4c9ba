/*
 * The system calls that a bot may make; all others fail with ENOSYS, as on a kernel that
 * does not have them, so that a library can fall back to something else.
 *
 * The list is what the runtimes of C, C++, Python, JavaScript, Java, Go, Rust, Ruby, Perl,
 * PHP, Lua, bash and awk call. What is not on it is not needed by any of them, or is one
 * of these: a way out of the namespaces (tracing, mounts, new namespaces), a part of the
 * kernel with a history of holes, memory that no limit counts (System V objects, message
 * queues, memfd), or a view of what several bots share. The last is the reason that some
 * harmless calls are missing: two copies of a bot see the same files, and must not be able
 * to leave a mark on them or to ask the kernel which of their pages are in memory.
 *
 * Compiling the list takes longer than all the rest of a start, so it is done once, by the
 * arbiter; `pigpen inside` loads what was compiled.
 */
#include "arbiter/process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof(*(list)))
#define LOW_32      UINT64_C(0xffffffff) /* the kernel looks at no more of an int */

#define CLONE_NAMESPACES                                                                 \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |   \
		CLONE_NEWPID | CLONE_NEWNET)

/* Not among them: MAP_GROWSDOWN, which counts as stack, MAP_LOCKED and MAP_HUGETLB. */
#define MAP_ALLOWED                                                                      \
	((uint64_t)(MAP_SHARED | MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_32BIT |   \
		    MAP_DENYWRITE | MAP_EXECUTABLE | MAP_NORESERVE | MAP_POPULATE |      \
		    MAP_NONBLOCK | MAP_STACK | MAP_SYNC | MAP_FIXED_NOREPLACE))

#ifndef MAP_32BIT
#define MAP_32BIT 0
#endif

/* By name, because not every architecture has every call. */
static const char *const allowed[] = {
	/* reading and writing; not preadv2, whose flags tell what is in the page cache,
	 * nor splice and vmsplice */
	"read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev",
	"lseek", "_llseek", "sendfile", "copy_file_range", "close", "close_range", "dup",
	"dup2", "dup3", "pipe", "pipe2", "ftruncate", "truncate", "fallocate", "fsync",
	"fdatasync",
	/* files and folders; not openat2, which can ask for what is cached only */
	"open", "openat", "creat", "stat", "fstat", "lstat", "newfstatat", "statx",
	"statfs", "fstatfs", "access", "faccessat", "faccessat2", "readlink",
	"readlinkat", "getdents", "getdents64", "getcwd", "chdir", "fchdir", "mkdir",
	"mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2",
	"link", "linkat", "symlink", "symlinkat", "mknod", "mknodat", "chmod", "fchmod",
	"fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "umask",
	"utime", "utimes", "futimesat", "utimensat", "getxattr", "lgetxattr", "fgetxattr",
	"listxattr", "llistxattr", "flistxattr",
	/* waiting for descriptors */
	"poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1",
	"epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2",
	"signalfd", "signalfd4", "timerfd_create", "timerfd_settime", "timerfd_gettime",
	/* sockets; which families is below */
	"connect", "bind", "listen", "accept", "accept4", "getsockname", "getpeername",
	"sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg", "recvmmsg", "shutdown",
	"getsockopt", "setsockopt",
	/* memory; not mincore and mlock */
	"brk", "munmap", "mremap", "mprotect", "msync", "membarrier", "pkey_alloc",
	"pkey_free", "pkey_mprotect",
	/* processes and threads; not clone3, whose flags no filter can see */
	"fork", "vfork", "execve", "execveat", "exit", "exit_group", "wait4", "waitid",
	"kill", "tkill", "tgkill", "pidfd_open", "pidfd_send_signal", "getpid", "getppid",
	"gettid", "getpgid", "getpgrp", "setpgid", "getsid", "setsid", "arch_prctl",
	"set_tid_address", "set_robust_list", "rseq", "futex", "futex_waitv",
	"restart_syscall", "cacheflush", "set_tls", "riscv_flush_icache", "riscv_hwprobe",
	/* signals */
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending",
	"rt_sigtimedwait", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "rt_sigsuspend",
	"sigaltstack", "pause", "alarm", "getitimer", "setitimer", "timer_create",
	"timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete",
	/* time */
	"nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday",
	"time", "times",
	/* becoming who one is, as posix_spawn() does; nobody else without capabilities */
	"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid",
	"setfsgid", "setgroups",
	/* who and where am I */
	"getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups",
	"capget", "uname", "sysinfo", "getrandom", "getcpu", "getrlimit", "setrlimit",
	"getrusage", "getpriority", "sched_yield", "sched_getaffinity", "sched_getparam",
	"sched_getscheduler", "sched_getattr", "sched_get_priority_max",
	"sched_get_priority_min", "sched_rr_get_interval"};

/* A compiler locks and watches files. In play that would be a way to signal to another
 * bot that sees the same file. */
static const char *const allowed_in_builds[] = {"flock", "inotify_init", "inotify_init1",
	"inotify_add_watch", "inotify_rm_watch"};

/* Calls with a list of what one of their arguments, an int, may be. */
struct choice {
	const char *name;
	unsigned argument;
	const uint32_t *value;
	size_t count;
};

static const uint32_t zero[] = {0}, unix_family[] = {AF_UNIX};
static const uint32_t fcntl_play[] = {
	F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETPIPE_SZ};
static const uint32_t fcntl_locks[] = {
	F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW};
static const uint32_t ioctls[] = {TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGWINSZ, TIOCGPGRP,
	TIOCSPGRP, TIOCOUTQ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
/* None that moves pages of files into or out of memory, and none that merges pages. */
static const uint32_t advices[] = {MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL,
	MADV_DONTNEED, MADV_FREE, MADV_DONTFORK, MADV_DOFORK, MADV_HUGEPAGE,
	MADV_NOHUGEPAGE, MADV_DONTDUMP, MADV_DODUMP, MADV_WIPEONFORK, MADV_KEEPONFORK};
static const uint32_t prctls[] = {PR_SET_NAME, PR_GET_NAME, PR_SET_PDEATHSIG,
	PR_GET_PDEATHSIG, PR_SET_DUMPABLE, PR_GET_DUMPABLE, PR_SET_NO_NEW_PRIVS,
	PR_GET_NO_NEW_PRIVS, PR_SET_TIMERSLACK, PR_GET_TIMERSLACK, PR_CAPBSET_READ,
	PR_GET_SECCOMP, PR_GET_CHILD_SUBREAPER, PR_SET_THP_DISABLE, PR_GET_THP_DISABLE,
	PR_GET_SPECULATION_CTRL};
/* Linux as usual, without a random layout (some Lisps), or a question. */
static const uint32_t personalities[] = {0, 0x0040000, 0xffffffff};

static const struct choice choices[] = {
	{"socket", 0, unix_family, COUNT(unix_family)},
	{"socketpair", 0, unix_family, COUNT(unix_family)},
	{"fcntl", 1, fcntl_play, COUNT(fcntl_play)}, {"ioctl", 1, ioctls, COUNT(ioctls)},
	{"madvise", 2, advices, COUNT(advices)}, {"prctl", 0, prctls, COUNT(prctls)},
	{"personality", 0, personalities, COUNT(personalities)},
	{"prlimit64", 0, zero, COUNT(zero)}, /* 0: the caller itself */
};
static const struct choice locks = {"fcntl", 1, fcntl_locks, COUNT(fcntl_locks)};

struct filter {
	scmp_filter_ctx context;
	int err; /* 0, or the first error as libseccomp returns it */
};

static void rule(struct filter *filter, uint32_t action, const char *name, unsigned count,
	const struct scmp_arg_cmp *conditions)
{
	int number = seccomp_syscall_resolve_name(name);

	if (number != __NR_SCMP_ERROR && !filter->err)
		filter->err = seccomp_rule_add_array(
			filter->context, action, number, count, conditions);
}

static void allow_names(struct filter *filter, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		rule(filter, SCMP_ACT_ALLOW, names[i], 0, NULL);
}

static void add_choice(
	struct filter *filter, uint32_t action, const struct choice *choice)
{
	for (size_t i = 0; i < choice->count; i++)
		rule(filter, action, choice->name, 1,
			&SCMP_CMP(choice->argument, SCMP_CMP_MASKED_EQ, LOW_32,
				choice->value[i]));
}

/* Allowed if the argument has none of these bits. */
static void allow_without(
	struct filter *filter, const char *name, unsigned argument, uint64_t bits)
{
	rule(filter, SCMP_ACT_ALLOW, name, 1,
		&SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, bits, 0));
}

/*
 * Process 1 of the sandbox has the bot's user, and must not be slowed down by the bot.
 * There is no comparison "not equal" of 32 bits: a number is not 1 if its lowest bit is
 * clear or any other one is set.
 */
static void allow_but_for_process_1(struct filter *filter, const char *name)
{
	rule(filter, SCMP_ACT_ALLOW, name, 1, &SCMP_A0(SCMP_CMP_MASKED_EQ, 1, 0));
	for (int bit = 1; bit < 32; bit++)
		rule(filter, SCMP_ACT_ALLOW, name, 1,
			&SCMP_A0(SCMP_CMP_MASKED_EQ, UINT64_C(1) << bit,
				UINT64_C(1) << bit));
}

static void add_rules(struct filter *filter, bool building)
{
	allow_names(filter, allowed, COUNT(allowed));
	for (size_t i = 0; i < COUNT(choices); i++)
		add_choice(filter, SCMP_ACT_ALLOW, &choices[i]);
	allow_without(filter, "clone", 0, CLONE_NAMESPACES);
	/* Private memory, or a file; not shared memory without a file. */
	allow_without(filter, "mmap", 3, ~MAP_ALLOWED | MAP_SHARED);
	allow_without(filter, "mmap", 3, ~MAP_ALLOWED | MAP_ANONYMOUS);
	allow_but_for_process_1(filter, "sched_setaffinity");
	allow_but_for_process_1(filter, "sched_setscheduler");
	allow_but_for_process_1(filter, "sched_setparam");
	rule(filter, SCMP_ACT_ALLOW, "setpriority", 2,
		(const struct scmp_arg_cmp[]){
			SCMP_A0(SCMP_CMP_MASKED_EQ, LOW_32, PRIO_PROCESS),
			SCMP_A1(SCMP_CMP_MASKED_EQ, LOW_32, 0)});
	/* An errno that says more than ENOSYS, where programs expect it. */
	rule(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), "socket", 1,
		&SCMP_A0(SCMP_CMP_NE, AF_UNIX));
	if (building)
		allow_names(filter, allowed_in_builds, COUNT(allowed_in_builds));
	add_choice(filter, building ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(ENOLCK), &locks);
}

/* -1: see errno. */
static int compile(bool building)
{
	struct filter filter = {.context = seccomp_init(SCMP_ACT_ERRNO(ENOSYS))};
	int fd = memfd_create("pigpen-filter", MFD_CLOEXEC);

	if (!filter.context || fd < 0)
		return -1;
	/* Calls of another architecture. */
	filter.err = seccomp_attr_set(
		filter.context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	/* Search the list as a tree: the last call in it costs as much as the first. */
	if (!filter.err)
		filter.err =
			seccomp_attr_set(filter.context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	add_rules(&filter, building);
	if (!filter.err)
		filter.err = seccomp_export_bpf(filter.context, fd);
	seccomp_release(filter.context);
	if (!filter.err)
		return fd;
	close(fd);
	errno = -filter.err;
	return -1;
}

int sandbox_filter_program(bool building)
{
	static int program[2] = {-1, -1};

	if (program[building] < 0)
		program[building] = compile(building);
	return program[building];
}

int sandbox_filter_load(int file)
{
	static struct sock_filter code[BPF_MAXINSNS];
	ssize_t n = pread(file, code, sizeof(code), 0);
	struct sock_fprog program = {
		.len = (unsigned short)(n > 0 ? (size_t)n / sizeof(*code) : 0),
		.filter = code};

	if (n <= 0)
		return n < 0 ? errno : ENODATA;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
		return errno;
	return 0;
}
