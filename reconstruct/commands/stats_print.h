/* stats_print.h: rows of statistics as text, CSV, JSON and for flame graphs (analysis/stats_rows.h -> stats, diff). */
#ifndef REFRAIN_STATS_PRINT_H
#define REFRAIN_STATS_PRINT_H

#include "analysis/stats_rows.h"

#include <stdio.h>

struct json_t;

/* At most `most` rows, as wide as the terminal is; says how many more there are. */
void refrain_stats_rows_print(const struct refrain_stats_rows *rows, size_t most);

/* All rows: a line of names, then lines; values in nanoseconds, shares in percent. */
void refrain_stats_rows_csv(const struct refrain_stats_rows *rows, FILE *file);
void refrain_stats_put_csv(FILE *file, const char *text); /* one value, in quotes */
struct json_t *refrain_stats_rows_json(const struct refrain_stats_rows *rows);

/* A function of a flame graph's line: no semicolon, which separates them, and no end of the line. */
void refrain_stats_put_folded(FILE *file, const char *name);

/* The call paths as lines "main;solve;MPI_Recv 1234" of nanoseconds, for flame graphs; waiting is a leaf of its own. */
void refrain_stats_folded(const struct refrain_activity *activity, FILE *file);

#endif
