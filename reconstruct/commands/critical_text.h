/* critical_text.h: the critical path and the ranks that compute at a time as text, CSV and JSON
 * (analysis/critical_rows.h
 * -> stats). */
#ifndef REFRAIN_CRITICAL_TEXT_H
#define REFRAIN_CRITICAL_TEXT_H

#include "analysis/critical_rows.h"

struct json_t;

/* Prints at most `most` rows to standard output, and how many more there are. */
void refrain_critical_print(const struct refrain_critical *critical, size_t most);
void refrain_critical_csv(const struct refrain_critical *critical);

/* All rows, for stats --by=critical-path --json. */
struct json_t *refrain_critical_json(const struct refrain_critical *critical);

/* Prints for how long how many ranks computed at a time (stats --by=parallelism). If there are more than `most` numbers
 * of ranks, a line stands for a range of them. */
void refrain_parallelism_print(const struct refrain_critical *critical, size_t most);
void refrain_parallelism_csv(const struct refrain_critical *critical);
struct json_t *refrain_parallelism_json(const struct refrain_critical *critical);

#endif
