/* A match of each hostile bot against a well-behaved one: did its attempts fail? */
#include "arbiter/loop/loop.h"
#include "arbiter/selftest/selftest.h"
#include "protocol/memory.h"
#include "protocol/utf8.h"
#include "arbiter/base/program.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <sodium.h>

#define LOG_BYTES_MAX   (512 << 10) /* more than the limit on a bot's output */
#define MOVE_PATIENT_NS (60 * NS_PER_S)
#define MOVE_SHORT_NS   (2 * NS_PER_S)
#define GONE_MS_MAX     10000
#define NAME            "hostile"

enum words { WORDS_NONE, WORDS_NETWORK, WORDS_FILES, WORDS_ARBITER, WORDS_MARK };

static const struct attempt_plan {
	const char *name, *mode;
	enum words words;
	enum fault_class fault; /* the fault that the match must end with */
	bool attempts;          /* it reports attempts, and all must be denied */
	const char *promise;
} plans[SELFTEST_ATTEMPTS] = {
	{"network", "network", WORDS_NETWORK, FAULT_NONE, true,
		"reaches nobody outside, on loopback or by other sockets"},
	{"files", "files", WORDS_FILES, FAULT_NONE, true,
		"reads nothing that is not its own"},
	{"writing", "writing", WORDS_NONE, FAULT_NONE, true,
		"writes neither to its folder nor to the system"},
	{"processes", "processes", WORDS_ARBITER, FAULT_NONE, true,
		"sees, signals and traces nobody else's processes"},
	{"breakout", "breakout", WORDS_NONE, FAULT_NONE, true,
		"gets no namespaces, mounts, other root or other user"},
	{"forks", "forks", WORDS_NONE, FAULT_NONE, true, "cannot fork without end"},
	{"descriptors", "descriptors", WORDS_NONE, FAULT_NONE, true,
		"cannot open files without end"},
	{"memory", "memory", WORDS_NONE, FAULT_NONE, true,
		"cannot take memory without end"},
	{"disk", "disk", WORDS_NONE, FAULT_NONE, true, "cannot fill the disk"},
	{"second hello", "second_hello", WORDS_NONE, FAULT_NONE, true,
		"cannot come in twice or as somebody else"},
	{"daemon", "daemon", WORDS_MARK, FAULT_NONE, true,
		"leaves nobody behind when its match is over"},
	{"output", "output", WORDS_NONE, FAULT_NONE, false,
		"cannot fill the disk with its output"},
	{"crash", "crash", WORDS_NONE, FAULT_CRASH, false,
		"is alone to blame if it crashes"},
	{"silence", "silent", WORDS_NONE, FAULT_TIMEOUT, false,
		"is alone to blame if it does not answer"},
	{"illegal move", "illegal", WORDS_NONE, FAULT_ILLEGAL, false,
		"is alone to blame if it breaks the rules"},
};

/* What is laid out for the bots to find. */
struct bait {
	int port, abstract;
	char port_text[8], abstract_name[40], secret[PATH_MAX], arbiter[16], mark[40];
};

struct attempt_match {
	const struct attempt_plan *plan;
	const struct selftest_options *options;
	struct selftest_attempt *attempt;
	struct entrant *entrant[2];
	bool added, done;
};

void selftest_bot(struct bot_spec *spec, const char *folder, const char *mode,
	const char *const *words)
{
	int n = 0;

	memset(spec, 0, sizeof(*spec));
	snprintf(
		spec->name, sizeof(spec->name), "%s", strcmp(mode, "calm") ? NAME : mode);
	snprintf(spec->folder, sizeof(spec->folder), "%s", folder);
	spec->command[n++] = xstrdup(program_path());
	spec->command[n++] = xstrdup("hostile");
	spec->command[n++] = xstrdup(mode);
	while (words && *words && n < BOT_WORDS_MAX)
		spec->command[n++] = xstrdup(*words++);
	spec->matches = 1;
}

static void set_bait(struct bait *bait, const char *folder)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	socklen_t size = sizeof(address);
	uint8_t random[32];
	int fd;

	randombytes_buf(random, sizeof(random));
	sodium_bin2hex(bait->abstract_name, 33, random, 16);
	sodium_bin2hex(bait->mark, 33, random + 16, 16);
	bait->port = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(bait->port, (struct sockaddr *)&address, sizeof(address)) == 0)
		listen(bait->port, 4);
	getsockname(bait->port, (struct sockaddr *)&address, &size);
	snprintf(bait->port_text, sizeof(bait->port_text), "%u", ntohs(address.sin_port));
	bait->abstract = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	strcpy(name.sun_path + 1, bait->abstract_name);
	if (bind(bait->abstract, (struct sockaddr *)&name,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				strlen(bait->abstract_name))) == 0)
		listen(bait->abstract, 4);
	utf8_format(bait->secret, sizeof(bait->secret), "%s/secret", folder);
	fd = open(bait->secret, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd >= 0 && write(fd, "another's", 9) == 9)
		close(fd);
	snprintf(bait->arbiter, sizeof(bait->arbiter), "%d", (int)getpid());
}

static void choose_words(enum words kind, const struct bait *bait, const char **words)
{
	if (kind == WORDS_NETWORK) {
		words[0] = bait->port_text;
		words[1] = bait->abstract_name;
	} else if (kind == WORDS_FILES) {
		words[0] = bait->secret;
	} else if (kind == WORDS_ARBITER) {
		words[0] = bait->arbiter;
	} else if (kind == WORDS_MARK) {
		words[0] = bait->mark;
	}
}

static enum loop_next on_next(void *context, struct loop *loop)
{
	struct attempt_match *one = context;
	bool short_time = one->plan->fault == FAULT_TIMEOUT;
	struct match_rules rules = {.game = game_find("dirty_pig"),
		.seats = 2,
		.clock = {.move_ns_max = short_time ? MOVE_SHORT_NS : MOVE_PATIENT_NS},
		.policy = POLICY_FORFEIT};
	uint8_t seed[CHANCE_SEED_SIZE];
	struct loop_match request;

	if (one->added)
		return NEXT_NONE;
	one->added = true;
	game_defaults(rules.game, rules.option);
	chance_fresh(seed, sizeof(seed));
	loop_match_init(&request, &rules, one->entrant, seed, NULL);
	loop_add_match(loop, &request);
	return NEXT_ADDED;
}

static void on_done(void *context, const struct loop_report *report)
{
	struct attempt_match *one = context;
	const struct fault *mine = report->fault[0], *other = report->fault[1];
	enum fault_class class = mine ? mine->class : FAULT_NONE;
	struct why *why = &one->attempt->why;

	one->done = true;
	if (report->match->is_void)
		why_set(why, "the match is void: %s", report->match->void_reason);
	else if (other)
		why_set(why, "the other bot was blamed: %s", other->why);
	else if (class != one->plan->fault)
		why_set(why, "it ended with fault '%s', not '%s'%s%s", fault_names[class],
			fault_names[one->plan->fault], mine ? ": " : "",
			mine ? mine->why : "");
}

/* The whole of a bot's output; to be freed. */
static char *read_output(const char *folder, size_t *size)
{
	struct dirent **entries;
	char path[PATH_MAX], *text = xcalloc(1, LOG_BYTES_MAX + 1);
	int n = scandir(folder, &entries, NULL, alphasort);

	*size = 0;
	for (int i = 0; i < n; i++) {
		FILE *file = NULL;

		utf8_format(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (!strncmp(entries[i]->d_name, NAME "-", strlen(NAME) + 1))
			file = fopen(path, "re");
		if (file) {
			*size += fread(text + *size, 1, LOG_BYTES_MAX - *size, file);
			fclose(file);
		}
		if (entries[i]->d_name[0] != '.')
			unlink(path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return text;
}

/* No attempt may have worked, and at least one must have been made. */
static void judge_output(struct attempt_match *one, char *text, size_t size)
{
	struct why *why = &one->attempt->why;
	char *rest = text, *line;
	bool tried = false;

	if (size >= LOG_BYTES_MAX)
		why_set(why, "its log exceeds the limit on its output");
	if (!one->plan->attempts || *why->text)
		return;
	while ((line = strsep(&rest, "\n"))) {
		tried |= !strncmp(line, "denied ", 7);
		if (!strncmp(line, "got ", 4) && !*why->text)
			why_set(why, "%s", line);
	}
	if (!tried && !*why->text)
		why_set(why, "it did not get to try anything");
}

/* Is there a process with the mark on its command line? */
static bool marked_process(const char *mark)
{
	DIR *folder = opendir("/proc");
	const struct dirent *entry;
	bool found = false;

	while (folder && !found && (entry = readdir(folder))) {
		char path[300], line[4096];
		int fd;
		ssize_t n;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? 0 : read(fd, line, sizeof(line));
		found = n > 0 && memmem(line, (size_t)n, mark, strlen(mark));
		if (fd >= 0)
			close(fd);
	}
	if (folder)
		closedir(folder);
	return found;
}

static void judge_left(struct attempt_match *one, const char *mark)
{
	const struct timespec pause = {0, 20 * NS_PER_MS};

	for (int ms = 0; marked_process(mark); ms += 20) {
		if (ms > GONE_MS_MAX) {
			why_set(&one->attempt->why,
				"one of its processes is still running");
			return;
		}
		nanosleep(&pause, NULL);
	}
}

static void play(struct attempt_match *one, const struct bait *bait)
{
	static const char limits_text[] =
		"memory=128m,processes=32,descriptors=128,disk=8m";
	struct sandbox_limits limits = sandbox_limits_default();
	const struct loop_client client = {
		.next = on_next, .done = on_done, .context = one};
	const char *words[4] = {NULL};
	struct bot_spec hostile, calm;
	struct why why;
	char box[PATH_MAX], logs[PATH_MAX];
	struct loop *loop;
	size_t size;
	char *text;

	utf8_format(box, sizeof(box), "%s/box", one->options->folder);
	utf8_format(logs, sizeof(logs), "%s/logs", one->options->folder);
	mkdir(box, 0755);
	mkdir(logs, 0755);
	sandbox_limits_parse(limits_text, &limits, &why);
	choose_words(one->plan->words, bait, words);
	selftest_bot(&hostile, box, one->plan->mode, words);
	selftest_bot(&calm, box, "calm", NULL);
	loop = loop_new(&(struct loop_options){.log_folder = logs,
				.sandbox = one->options->boxed ? &limits : NULL},
		&one->attempt->why);
	if (loop) {
		one->entrant[0] = loop_entrant(loop, &hostile, 1);
		one->entrant[1] = loop_entrant(loop, &calm, 1);
		loop_run(loop, &client);
		loop_free(&loop);
		text = read_output(logs, &size);
		judge_output(one, text, size);
		free(text);
	}
	bot_spec_release(&hostile);
	bot_spec_release(&calm);
	rmdir(logs);
	rmdir(box);
}

int selftest_attempts(const struct selftest_options *options,
	struct selftest_attempt list[SELFTEST_ATTEMPTS])
{
	struct bait bait;
	int failed = 0;

	set_bait(&bait, options->folder);
	for (int i = 0; i < SELFTEST_ATTEMPTS; i++) {
		struct attempt_match one = {
			.plan = &plans[i], .options = options, .attempt = &list[i]};

		list[i] = (struct selftest_attempt){
			.name = plans[i].name, .promise = plans[i].promise};
		if (!options->quiet)
			fprintf(stderr, "hostile bot %d of %d: %s\n", i + 1,
				SELFTEST_ATTEMPTS, plans[i].name);
		play(&one, &bait);
		if (plans[i].words == WORDS_MARK)
			judge_left(&one, bait.mark);
		list[i].held = !*list[i].why.text;
		failed += !list[i].held;
	}
	close(bait.port);
	close(bait.abstract);
	unlink(bait.secret);
	return failed;
}
