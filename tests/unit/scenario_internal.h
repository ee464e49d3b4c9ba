/* What the files of the scenario runner share. */
#ifndef TESTS_UNIT_SCENARIO_INTERNAL_H
#define TESTS_UNIT_SCENARIO_INTERNAL_H

#include "tests/unit/scenario.h"

enum block { BLOCK_NONE, BLOCK_TABLE, BLOCK_EXPECT, BLOCK_VIEW };

struct scenario {
	const struct game *game;
	const char *path;
	FILE *out;
	int line;
	char title[256];
	bool open;     /* a `scenario:` line was read */
	bool started;  /* the state is set up */
	bool demanded; /* something was asserted */
	bool failed;
	bool proves;
	enum block block;
	int seats;
	int16_t option[GAME_OPTIONS_MAX];
	struct events events; /* of the last step */
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	_Alignas(16) uint8_t view[GAME_STATE_MAX];
};

/* Marks the scenario as failed and says where and why; only the first time. */
void scenario_fail(struct scenario *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void scenario_invariants(struct scenario *s);

/* Cuts blanks off both ends, in place. */
char *scenario_trim(char *text);
/* Fails the scenario if the text is not an action. */
bool scenario_parse_action(struct scenario *s, char *text, struct action *action);
/* Index in the legal list of the seat, or -1. */
int scenario_find_legal(struct scenario *s, int seat, const struct action *action);

/* Steps: the lines `do`, `refuse`, `offence`, `raw`, `chance`, `forced`. */
void scenario_do(struct scenario *s, int seat, char *text);
void scenario_refuse(struct scenario *s, int seat, char *text);
void scenario_offence(struct scenario *s, int seat, char *text);
void scenario_raw(struct scenario *s, int seat, char *text);
void scenario_chance(struct scenario *s, const char *kind, char *text);
void scenario_forced(struct scenario *s);

/* Demands: the lines `events`, `legal`, `legal … has`, `legal … lacks`, `result`. */
void scenario_demand_events(struct scenario *s, int viewer, const char *text);
void scenario_demand_legal(struct scenario *s, int seat, char *text);
void scenario_demand_legal_part(struct scenario *s, int seat, char *text, bool has);
void scenario_demand_result(struct scenario *s, char *text);

#endif
