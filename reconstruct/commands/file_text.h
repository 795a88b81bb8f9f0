/* file_text.h: the use of files as text, CSV and JSON (analysis/file_use.h -> stats --by=file). */
#ifndef REFRAIN_FILE_TEXT_H
#define REFRAIN_FILE_TEXT_H

#include "analysis/file_use.h"

struct json_t;

/* Says on standard error which part of the table is approximate, and how many accesses have no known bytes. */
void refrain_files_warn(const struct refrain_file_uses *uses);

/* Prints at most `most` files to standard output, how many more there are, and all together. `ranks`: with a line for
 * each rank. */
void refrain_files_print(const struct refrain_file_uses *uses, bool ranks, size_t most);

/* Prints a line for each file; with `ranks`, instead one for each rank that used it. */
void refrain_files_csv(const struct refrain_file_uses *uses, bool ranks);

/* Members "rows", one for each file, and "total"; with `ranks`, rows have "by_rank". */
struct json_t *refrain_files_json(const struct refrain_file_uses *uses, bool ranks);

#endif
