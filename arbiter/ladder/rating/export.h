/* A ladder's facts as JSON and CSV; specs/ladder.md names the fields. */
#ifndef ARBITER_LADDER_RATING_EXPORT_H
#define ARBITER_LADDER_RATING_EXPORT_H

#include "arbiter/ladder/directory/ladder.h"
#include "protocol/why.h"

/* A list of matches, each with its seats. NULL: store_why(). */
json_t *export_results(struct ladder *ladder);
/* One line for each seat. False: store_why(). */
bool export_results_csv(struct ladder *ladder, FILE *out);
json_t *export_history(const struct store_rating *list, int count);
/* Settings, standings, matrix, history, sets, results. NULL: `why` says what was
 * wrong. */
json_t *export_ladder(struct ladder *ladder, struct why *why);

#endif
