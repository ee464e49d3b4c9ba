/*
 * What this program prints. A terminal obeys what it is sent, and the texts of bots,
 * replays, manifests and archives are quoted in many places. So there is one place that
 * keeps them from steering the terminal: once main() has called terminal_guard(), whatever
 * stdio prints on stdout and stderr is shown as utf8_show() shows it, except new lines and
 * tabs. This holds for pipes and files too, which are looked at with a terminal later.
 * JSON stays JSON, because jansson leaves nothing in it that is not shown in JSON's own way.
 *
 * Our own control sequences go through terminal_control(), and nothing else does.
 */
#ifndef ARBITER_BASE_TERMINAL_H
#define ARBITER_BASE_TERMINAL_H

#include <stdio.h>

void terminal_guard(void);

/* A guarded stream on a descriptor, which fclose() closes; NULL: see errno. */
FILE *terminal_open(int fd);

/* Back to the beginning of the line, which is erased. */
#define TERMINAL_CLEAR_LINE "\r\033[K"
void terminal_control(FILE *stream, const char *sequence);

/* The text as a guarded stream prints it; the caller frees it. */
char *terminal_text(const char *text);

/* Stdout as it was before terminal_guard(), for a library that draws on it.
 * What it draws is taken through terminal_text(). */
FILE *terminal_bare(void);

#endif
