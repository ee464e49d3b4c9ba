/* The subcommands of `pigpen ladder`, each called with argv[0] "pigpen ladder NAME". */
#ifndef ARBITER_CMD_LADDER_H
#define ARBITER_CMD_LADDER_H

#include "arbiter/ladder/directory/ladder.h"

int cmd_ladder_init(int argc, char **argv);
int cmd_ladder_add(int argc, char **argv);
int cmd_ladder_remove(int argc, char **argv);
int cmd_ladder_bench(int argc, char **argv);
int cmd_ladder_unbench(int argc, char **argv);
int cmd_ladder_run(int argc, char **argv);
int cmd_ladder_standings(int argc, char **argv);
int cmd_ladder_matrix(int argc, char **argv);
int cmd_ladder_history(int argc, char **argv);
int cmd_ladder_results(int argc, char **argv);
int cmd_ladder_export(int argc, char **argv);
int cmd_ladder_site(int argc, char **argv);
int cmd_ladder_doctor(int argc, char **argv);
int cmd_ladder_token(int argc, char **argv);
int cmd_ladder_admit(int argc, char **argv);

/* Opens the ladder or reports why not: EXIT_OK or EXIT_USER. */
int cmd_ladder_open(struct ladder *ladder, const char *path, enum ladder_access access);

#endif
