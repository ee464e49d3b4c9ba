/* The full-screen viewer of `pigpen replay view`, on ncurses. */
#ifndef ARBITER_TOOLS_SCREEN_H
#define ARBITER_TOOLS_SCREEN_H

#include "arbiter/tools/screen_match.h"

/* Runs until the user quits. Standard input and output are a terminal. False: nothing is
 * known about a terminal of this kind. */
bool screen_run(const struct screen_match *match, int viewer, int position);

#endif
