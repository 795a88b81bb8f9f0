/* counter_table.h: the program's counters and markers as people and scripts read them (counters -> stats). */
#ifndef REFRAIN_COUNTER_TABLE_H
#define REFRAIN_COUNTER_TABLE_H

#include "analysis/counters.h"

struct json_t;

/* Nothing where there are none. */
void refrain_counters_print(const struct refrain_counters *counters);

/* A line of names, then lines. */
void refrain_counters_csv(const struct refrain_counters *counters);

/* An array with an object for each. */
struct json_t *refrain_counters_json(const struct refrain_counters *counters);

#endif
