/* counter_table.h: prints the program's counters and markers (counters -> stats). */
#ifndef REFRAIN_COUNTER_TABLE_H
#define REFRAIN_COUNTER_TABLE_H

#include "analysis/counters.h"

struct json_t;

/* Prints a table; nothing if there are no counters and markers. */
void refrain_counters_print(const struct refrain_counters *counters);

/* Prints a line of column names, then a line for each. */
void refrain_counters_csv(const struct refrain_counters *counters);

/* An array with an object for each counter and marker. */
struct json_t *refrain_counters_json(const struct refrain_counters *counters);

#endif
