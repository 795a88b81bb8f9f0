/* stats_print.h: prints rows of statistics as text, CSV, JSON and for flame graphs (analysis/stats_rows.h -> stats,
 * diff). */
#ifndef REFRAIN_STATS_PRINT_H
#define REFRAIN_STATS_PRINT_H

#include "analysis/stats_rows.h"

#include <stdio.h>

struct json_t;

/* Prints at most `most` rows as wide as the terminal, and how many more there are. */
void refrain_stats_rows_print(const struct refrain_stats_rows *rows, size_t most);

/* Prints all rows: a line of column names, then a line for each; values in nanoseconds, shares in percent. */
void refrain_stats_rows_csv(const struct refrain_stats_rows *rows, FILE *file);
void refrain_stats_put_csv(FILE *file, const char *text); /* prints one value in quotes */
struct json_t *refrain_stats_rows_json(const struct refrain_stats_rows *rows);

/* Prints a function's name for a line of a flame graph: without semicolons, which separate names, and without ends of
 * lines. */
void refrain_stats_put_folded(FILE *file, const char *name);

/* Prints the call paths as lines "main;solve;MPI_Recv 1234" in nanoseconds, for flame graphs. Waiting is a leaf of its
 * own. */
void refrain_stats_folded(const struct refrain_activity *activity, FILE *file);

#endif
