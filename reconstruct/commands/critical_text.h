/* critical_text.h: the critical path and the ranks that compute at a time as text, CSV and JSON
 * (analysis/critical_rows.h
 * -> stats). */
#ifndef REFRAIN_CRITICAL_TEXT_H
#define REFRAIN_CRITICAL_TEXT_H

#include "analysis/critical_rows.h"

struct json_t;

/* On standard output; at most `most` rows, and how many more there are. */
void refrain_critical_print(const struct refrain_critical *critical, size_t most);
void refrain_critical_csv(const struct refrain_critical *critical);

/* All rows of stats --by=critical-path --json. */
struct json_t *refrain_critical_json(const struct refrain_critical *critical);

/* How long how many ranks computed at a time: stats --by=parallelism. Many ranks are shown in at most `most` ranges. */
void refrain_parallelism_print(const struct refrain_critical *critical, size_t most);
void refrain_parallelism_csv(const struct refrain_critical *critical);
struct json_t *refrain_parallelism_json(const struct refrain_critical *critical);

#endif
