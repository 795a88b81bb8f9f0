/* construct_text.h: constructs of OpenMP and of the thread library as text, CSV and JSON (analysis/construct_times.h ->
 * stats --by=construct). */
#ifndef REFRAIN_CONSTRUCT_TEXT_H
#define REFRAIN_CONSTRUCT_TEXT_H

#include "analysis/construct_times.h"

struct json_t;

/* Prints at most `most` rows to standard output, and how many more there are. */
void refrain_constructs_print(const struct refrain_construct_rows *rows, size_t most);
void refrain_constructs_csv(const struct refrain_construct_rows *rows);

/* An array of all rows. */
struct json_t *refrain_constructs_json(const struct refrain_construct_rows *rows);

#endif
