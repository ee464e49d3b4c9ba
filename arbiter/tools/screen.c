/* The full-screen viewer of replays. */
#include "arbiter/tools/screen.h"
#include "arbiter/base/terminal.h"
#include "protocol/memory.h"

#include <locale.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

static const char help_line[] =
	"<- -> step  g goto  r round  f fault  t slowest  / search  ? help  q quit";
enum { QUERY_MAX = 64, LINES_MAX = 4096, WIDTH_MIN = 20 };

static const char help_text[] =
	"Keys\n"
	"\n"
	"  right, l, space   next decision\n"
	"  left, h           previous decision\n"
	"  Home, End         first decision, end\n"
	"  g                 go to a decision by its number\n"
	"  r, R              next round, start of this round or of the one before\n"
	"  f                 next fault\n"
	"  t                 the slowest decision\n"
	"  0 to 9            what this seat knew\n"
	"  a                 all cards\n"
	"  s                 what a spectator knew\n"
	"  /                 search the text from here on; n: again\n"
	"  up, down, PgUp, PgDn   scroll\n"
	"  q                 quit\n"
	"\n"
	"A decision is shown on the table on which it was taken; 'before' is what led\n"
	"to that table, 'then' what the decision led to.\n";

struct screen {
	const struct screen_match *match;
	int viewer, position;
	int top; /* first line of the text that is shown */
	bool help;
	char query[QUERY_MAX];
	char message[QUERY_MAX + 32]; /* shown once instead of the help line */
	char *text;                   /* of the position, with '\0' behind each line */
	const char *line[LINES_MAX];
	int lines;
};

static char *position_text(const struct screen *s, int position, int width)
{
	char *text = NULL, *shown;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	if (s->help)
		fputs(help_text, out);
	else
		screen_match_print(s->match, position, s->viewer, width, out);
	xclose(out);
	shown = terminal_text(text);
	free(text);
	return shown;
}

/* Bytes of the longest prefix of a line that fits; characters are not split. */
static size_t fitting(const char *line, int width)
{
	size_t n = 0;
	int columns = 0;

	while (line[n] && line[n] != '\n' && columns < width) {
		n++;
		while (((unsigned char)line[n] & 0xc0) == 0x80)
			n++;
		columns++;
	}
	return n;
}

/* The same, but a line that continues is broken after a blank if there is one. */
static size_t fitting_words(const char *line, int width)
{
	size_t n = fitting(line, width), cut = n;

	if (!line[n] || line[n] == '\n')
		return n;
	while (cut > n / 2 && line[cut - 1] != ' ')
		cut--;
	return cut > n / 2 ? cut : n;
}

/* Splits the text into lines of the screen's width; long lines are wrapped. */
static void split_lines(struct screen *s, const char *text, int width)
{
	size_t size = strlen(text);
	char *to = xmalloc(2 * size + 2);

	free(s->text);
	s->text = to;
	s->lines = 0;
	while (*text && s->lines < LINES_MAX) {
		size_t n = fitting_words(text, width);

		memcpy(to, text, n);
		to[n] = 0;
		s->line[s->lines++] = to;
		to += n + 1;
		text += n;
		if (*text == '\n')
			text++;
	}
}

static void draw_bar(int y, const char *text)
{
	attron(A_REVERSE);
	mvhline(y, 0, ' ', COLS);
	mvaddnstr(y, 0, text, (int)fitting(text, COLS));
	attroff(A_REVERSE);
}

static void viewer_name(int viewer, char *name, size_t size)
{
	if (viewer == OMNISCIENT)
		snprintf(name, size, "all cards");
	else if (viewer == SPECTATOR)
		snprintf(name, size, "spectator");
	else
		snprintf(name, size, "seat %d", viewer);
}

static void draw_title(const struct screen *s)
{
	const struct screen_match *m = s->match;
	const struct screen_position *at = &m->position[s->position];
	char title[256], viewer[16], place[48];

	viewer_name(s->viewer, viewer, sizeof(viewer));
	if (s->position == m->last)
		snprintf(place, sizeof(place), "end of %d", m->last);
	else
		snprintf(place, sizeof(place), "decision %d of %d", s->position + 1,
			m->last);
	snprintf(title, sizeof(title), " %s  |  %s  |  round %d, %s  |  %s",
		m->game->title, place, at->round,
		m->game->phases[game_head(at->state)->phase], viewer);
	draw_bar(0, title);
}

static void draw(struct screen *s)
{
	int width = COLS < WIDTH_MIN ? WIDTH_MIN : COLS, room = LINES - 2;
	char *text = position_text(s, s->position, width);

	split_lines(s, text, width);
	free(text);
	if (s->top > s->lines - room)
		s->top = s->lines - room;
	if (s->top < 0)
		s->top = 0;
	erase();
	draw_title(s);
	for (int y = 0; y < room && s->top + y < s->lines; y++) {
		const char *line = s->line[s->top + y];
		int style =
			line[0] == '!' || !strncmp(line, " > ", 3) ? A_BOLD : A_NORMAL;

		attron(style);
		mvaddstr(y + 1, 0, line);
		attroff(style);
	}
	if (s->lines > s->top + room)
		mvaddstr(LINES - 2, COLS > 8 ? COLS - 8 : 0, " (more) ");
	draw_bar(LINES - 1, *s->message ? s->message : help_line);
	*s->message = 0;
	refresh();
}

/* Reads an answer at the bottom of the screen; false if it is empty. */
static bool ask(const char *prompt, char *answer, int size)
{
	draw_bar(LINES - 1, prompt);
	move(LINES - 1, (int)strlen(prompt));
	echo();
	curs_set(1);
	if (getnstr(answer, size - 1) != OK)
		*answer = 0;
	curs_set(0);
	noecho();
	return *answer != 0;
}

static void go(struct screen *s, int position)
{
	int last = s->match->last;

	s->position = position < 0 ? 0 : position > last ? last : position;
	s->top = 0;
	s->help = false;
}

static void ask_decision(struct screen *s)
{
	char answer[16];
	int number;

	if (!ask("decision: ", answer, sizeof(answer)))
		return;
	number = atoi(answer);
	if (number >= 1 && number <= s->match->last)
		go(s, number - 1);
	else
		snprintf(s->message, sizeof(s->message), "there are decisions 1 to %d",
			s->match->last);
}

static void search(struct screen *s)
{
	int count = s->match->last + 1;

	if (!*s->query)
		return;
	s->help = false;
	for (int step = 1; step <= count; step++) {
		int at = (s->position + step) % count;
		char *text = position_text(s, at, COLS);
		bool found = strcasestr(text, s->query) != NULL;

		free(text);
		if (found) {
			go(s, at);
			return;
		}
	}
	snprintf(s->message, sizeof(s->message), "'%s' was not found", s->query);
}

static void look(struct screen *s, int viewer)
{
	if (viewer >= s->match->info.setup.seats)
		snprintf(s->message, sizeof(s->message), "there are seats 0 to %d",
			s->match->info.setup.seats - 1);
	else
		s->viewer = viewer;
}

/* The position that a key leads to, or -1 if the key does not move. */
static int target(const struct screen *s, int key)
{
	switch (key) {
	case KEY_RIGHT:
	case 'l':
	case ' ':
		return s->position + 1;
	case KEY_LEFT:
	case 'h':
		return s->position ? s->position - 1 : 0;
	case KEY_HOME:
		return 0;
	case KEY_END:
		return s->match->last;
	case 'r':
		return screen_match_round(s->match, s->position, 1);
	case 'R':
		return screen_match_round(s->match, s->position, -1);
	case 'f':
		return screen_match_fault(s->match, s->position, s->viewer);
	case 't':
		return screen_match_slowest(s->match, s->position, s->viewer);
	}
	return -1;
}

/* How many lines a key scrolls down. */
static int scroll_of(int key)
{
	switch (key) {
	case KEY_DOWN:
		return 1;
	case KEY_UP:
		return -1;
	case KEY_NPAGE:
		return LINES - 3;
	case KEY_PPAGE:
		return 3 - LINES;
	}
	return 0;
}

static void take_key(struct screen *s, int key)
{
	int position = target(s, key);

	s->top += scroll_of(key);
	if (position >= 0)
		go(s, position);
	else if (key >= '0' && key <= '9')
		look(s, key - '0');
	else if (key == 'a')
		look(s, OMNISCIENT);
	else if (key == 's')
		look(s, SPECTATOR);
	else if (key == 'g')
		ask_decision(s);
	else if (key == 'n' || (key == '/' && ask("search: ", s->query, QUERY_MAX)))
		search(s);
	else if (key == '?') {
		s->help = !s->help;
		s->top = 0;
	}
}

bool screen_run(const struct screen_match *match, int viewer, int position)
{
	struct screen s = {.match = match, .viewer = viewer, .position = position};
	SCREEN *terminal;

	setlocale(LC_CTYPE, "");
	terminal = newterm(NULL, terminal_bare(), stdin);
	if (!terminal)
		return false;
	cbreak();
	noecho();
	keypad(stdscr, true);
	curs_set(0);
	set_escdelay(25);
	draw(&s);
	for (int key = getch(); key != 'q' && key != ERR; key = getch()) {
		take_key(&s, key);
		draw(&s);
	}
	endwin();
	delscreen(terminal);
	free(s.text);
	return true;
}
