/* `pigpen COMMAND …`: finds the command and hands over. */
#include "arbiter/base/terminal.h"
#include "arbiter/cmd/cmd.h"
#include "arbiter/process/sandbox.h"
#include "arbiter/selftest/selftest.h"

#include <argp.h>
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cmd commands[] = {
	{"games", "list the games, or describe one", cmd_games},
	{"new", "write a bot to start from, in the language of your choice", cmd_new},
	{"match", "play matches between bots", cmd_match},
	{"check", "does a bot keep to the protocol?", cmd_check},
	{"compare", "find out quickly which of two bots is better", cmd_compare},
	{"replay", "read, prove and compare replays", cmd_replay},
	{"ladder", "enter bots, let them play and rate them, for weeks", cmd_ladder},
	{"serve", "show ladders in the browser", cmd_serve},
	{"host", "play matches with bots that connect from elsewhere", cmd_host},
	{"keygen", "make a key, for a bot elsewhere or for the host of an arbiter",
		cmd_keygen},
	{"bridge", "connect a program that speaks JSON lines to an arbiter", cmd_bridge},
	{"sim", "play random matches inside this process", cmd_sim},
	{"perft", "count action sequences, to check other engines against", cmd_perft},
	{"doctor", "what can this machine do, and what is missing?", cmd_doctor},
	{"selftest", "is this machine fit for strangers' bots, and for how many?",
		cmd_selftest},
	{"inside", NULL, sandbox_inside},
	{"hostile", NULL, selftest_hostile},
	{"human", NULL, cmd_human},
	{0},
};

/* What was printed last may still wait in the buffer; it must not get lost unnoticed. */
static int end_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "pigpen: the output could not be written: %s\n", strerror(errno));
	return status ? status : EXIT_FAILED;
}

int main(int argc, char **argv)
{
	terminal_guard();
	argp_err_exit_status = EXIT_USER;
	if (sodium_init() < 0)
		abort();
	return end_output(cmd_dispatch(commands, "pigpen",
		"A match runner for programs that play hidden-information card games.",
		argc, argv));
}
