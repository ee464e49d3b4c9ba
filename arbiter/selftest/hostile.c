/*
 * `pigpen hostile MODE [WORD…]`: a bot that is a part of this program and, at its first
 * question, tries what a bot must not be able to do. It reports each attempt on one line
 * of its output: `got WHAT: …` if it worked, `denied WHAT: …` if not. Then it plays on,
 * always taking the first legal action.
 */
#include "arbiter/base/exit.h"
#include "arbiter/selftest/selftest.h"
#include "protocol/bot.h"
#include "protocol/link.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* The attempts are bounded, so that a machine without a sandbox survives them too. */
#define FORKS_MAX       200
#define DESCRIPTORS_MAX 2000
#define MEMORY_MIB_MAX  512
#define DISK_MIB_MAX    64
#define LEFT_S          3600
#define REPLY_MS_MAX    20000

static char **words;
static int word_count;

static void tell(const char *what, bool worked, const char *detail)
{
	dprintf(STDERR_FILENO, "%s %s: %s\n", worked ? "got" : "denied", what, detail);
}

/* `result` is -1 if the attempt failed, as for system calls. */
static void tried(const char *what, long result)
{
	tell(what, result != -1, result == -1 ? strerror(errno) : "it worked");
}

static const char *word(int index)
{
	return index < word_count ? words[index] : "";
}

static int reach(int family, const void *address, socklen_t size)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), result;

	if (fd < 0)
		return -1;
	result = connect(fd, address, size);
	if (result && errno == EINPROGRESS)
		result = 0; /* packets can be sent */
	close(fd);
	return result;
}

static void network(void)
{
	struct sockaddr_in out = {.sin_family = AF_INET, .sin_port = htons(80)};
	struct sockaddr_in loopback = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(word(0))),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_un abstract = {.sun_family = AF_UNIX};

	inet_pton(AF_INET, "192.0.2.1", &out.sin_addr);
	tried("a port on loopback", reach(AF_INET, &loopback, sizeof(loopback)));
	tried("an address outside", reach(AF_INET, &out, sizeof(out)));
	snprintf(abstract.sun_path + 1, sizeof(abstract.sun_path) - 1, "%s", word(1));
	tried("a socket without a file",
		reach(AF_UNIX, &abstract,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				    strlen(word(1)))));
}

static void read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char byte;

	tried(path, fd < 0 || read(fd, &byte, 1) < 1 ? -1 : 0);
	if (fd >= 0)
		close(fd);
}

static void files(void)
{
	for (int i = 0; i < word_count; i++)
		read_file(words[i]);
	read_file("/etc/shadow");
	read_file("/dev/mem");
}

static void write_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	tried(path, fd);
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
}

static void writing(void)
{
	write_file("new");
	write_file("/usr/pigpen-selftest");
	write_file("/etc/pigpen-selftest");
	write_file("/pigpen-selftest");
}

static void processes(void)
{
	DIR *folder = opendir("/proc");
	const struct dirent *entry;
	char text[32];
	int seen = 0;

	while (folder && (entry = readdir(folder)))
		seen += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
	if (folder)
		closedir(folder);
	snprintf(text, sizeof(text), "%d seen", seen);
	/* Allowed are its own and the first one of its sandbox. */
	tell("processes of others", seen > 3, text);
	tried("a signal to the arbiter", kill(atoi(word(0)), 0));
	/* PTRACE_SEIZE does not stop the process if there is no sandbox. */
	tried("tracing the first process", ptrace(PTRACE_SEIZE, 1, NULL, NULL));
}

/* On a folder of its own, because without a sandbox it may work. */
static void try_mount(void)
{
	char path[] = "/tmp/selftest-XXXXXX";
	int result = mkdtemp(path) ? mount("none", path, "tmpfs", 0, NULL) : -1;

	tried("a mount", result);
	if (result == 0)
		umount2(path, MNT_DETACH);
	rmdir(path);
}

static void breakout(void)
{
	tried("a user namespace", unshare(CLONE_NEWUSER));
	tried("a mount namespace", unshare(CLONE_NEWNS));
	try_mount();
	tried("another root", chroot("/tmp"));
	tried("the root user", setuid(0));
	tried("a raw packet socket", socket(AF_PACKET, SOCK_RAW, 0));
}

static void forks(void)
{
	pid_t child[FORKS_MAX];
	char text[32];
	int n = 0;

	while (n < FORKS_MAX && (child[n] = fork()) >= 0)
		if (child[n++] == 0) {
			pause();
			_exit(0);
		}
	snprintf(text, sizeof(text), "%d were started", n);
	tell("processes without end", n == FORKS_MAX, text);
	for (int i = 0; i < n; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
}

static void descriptors(void)
{
	static int fd[DESCRIPTORS_MAX];
	char text[32];
	int n = 0;

	while (n < DESCRIPTORS_MAX &&
		(fd[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		n++;
	snprintf(text, sizeof(text), "%d were opened", n);
	tell("descriptors without end", n == DESCRIPTORS_MAX, text);
	while (n > 0)
		close(fd[--n]);
}

static void memory(void)
{
	char *piece[MEMORY_MIB_MAX], text[32];
	int n = 0;

	while (n < MEMORY_MIB_MAX && (piece[n] = malloc(1 << 20)))
		memset(piece[n++], 1, 1 << 20);
	snprintf(text, sizeof(text), "%d MiB", n);
	tell("memory without end", n == MEMORY_MIB_MAX, text);
	while (n > 0)
		free(piece[--n]);
}

static void disk(void)
{
	static char block[1 << 20];
	char text[32], path[] = "/tmp/selftest-XXXXXX";
	int fd = mkstemp(path), n = 0;

	signal(SIGXFSZ, SIG_IGN);
	while (n < DISK_MIB_MAX && write(fd, block, sizeof(block)) == sizeof(block))
		n++;
	snprintf(text, sizeof(text), "%d MiB", n);
	tell("disk without end", n == DISK_MIB_MAX, text);
	unlink(path);
	close(fd);
}

/* Leaves a process that must be gone when the match is over. */
static void leave_daemon(void)
{
	pid_t child = fork();

	if (child == 0) {
		setsid();
		if (fork() == 0) {
			signal(SIGTERM, SIG_IGN);
			sleep(LEFT_S);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
	tell("nothing", false, "a process was left behind");
}

/* Says hello on a second connection with the given token. */
static void say_hello(const char *what, const char *token)
{
	struct link_options options;
	struct link *link = NULL;
	struct why why;
	uint8_t bytes[512];
	struct buffer buffer = buffer_on(bytes, sizeof(bytes));
	struct message hello = {.type = MESSAGE_HELLO,
		.hello = {.v = {1, {PROTOCOL_VERSION}},
			.token = text_of(token),
			.matches = 1}};
	const uint8_t *reply;
	size_t size;
	bool let_in = false;

	if (link_options_from_environment(&options, &why) ||
		link_new(&link, &options, &why) || codec_encode(&hello, &buffer)) {
		tell(what, true, "the attempt could not be made");
		return;
	}
	for (;;) {
		enum link_event event = link_receive(link, REPLY_MS_MAX, &reply, &size);

		if (event == LINK_CONNECTED) {
			link_send(link, buffer.bytes, buffer.size);
			continue;
		}
		/* The only answers are `welcome` and `error`. */
		let_in = event == LINK_FRAME && memmem(reply, size, "welcome", 7);
		break;
	}
	tell(what, let_in, let_in ? "was let in" : "refused");
	link_free(&link);
}

static void second_hello(void)
{
	const char *token = getenv("PIGPEN_TOKEN");

	say_hello("its own token again", token ? token : "");
	say_hello("a token that it made up", "00000000000000000000000000000000");
}

static void flood_output(void)
{
	char line[1024];

	memset(line, 'o', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	for (int i = 0; i < 4096; i++)
		if (write(STDERR_FILENO, line, sizeof(line)) < 0)
			return;
}

static void crash(void)
{
	_exit(3);
}

static void keep_silent(void)
{
	sleep(LEFT_S);
}

static void calm(void)
{
}

static const struct mode {
	const char *name;
	void (*run)(void);
} modes[] = {
	{"calm", calm},
	{"network", network},
	{"files", files},
	{"writing", writing},
	{"processes", processes},
	{"breakout", breakout},
	{"forks", forks},
	{"descriptors", descriptors},
	{"memory", memory},
	{"disk", disk},
	{"daemon", leave_daemon},
	{"second_hello", second_hello},
	{"output", flood_output},
	{"crash", crash},
	{"silent", keep_silent},
	{"illegal", calm},
};

static const struct mode *mode;
static bool tried_once;

static void act(struct bot_match *match, const struct message_act *question,
	struct bot_answer *answer)
{
	(void)match, (void)question;
	if (!tried_once)
		mode->run();
	tried_once = true;
	answer->choice = strcmp(mode->name, "illegal") ? 0 : 4000;
}

int selftest_hostile(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(modes[i].name, argv[1]))
			mode = &modes[i];
	if (!mode)
		return user_error("`pigpen hostile` is internal; run `pigpen selftest`");
	words = argv + 2;
	word_count = argc - 2;
	return bot_run(&(struct bot){.name = mode->name, .act = act, .matches = 1});
}
