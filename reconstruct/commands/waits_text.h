/* waits_text.h: prints who waits for whom in a running job, or who waited for whom when a job was killed, as text and
 * JSON (live, hang -> top, info, stats). */
#ifndef REFRAIN_WAITS_TEXT_H
#define REFRAIN_WAITS_TEXT_H

#include "analysis/hang.h"

#include <stdio.h>

struct json_t; /* jansson */

/* Prints what the rank does: "in MPI_Recv a.c:12 in main". */
void refrain_waits_print_rank(FILE *file, const struct refrain_live_rank *rank);

/* Prints a deadlock and its likely causes, collectives that some ranks have not entered, and other waits. Prints
 * nothing if no rank waits. */
void refrain_waits_print(FILE *file, const struct refrain_live *live, const struct refrain_hang *hang);

/* The same for a job that was killed, on standard output, after a line that says what the ranks did. Prints nothing for
 * other jobs. `most_calls`: see refrain_hang_find(). */
enum refrain_status refrain_waits_print_end(struct refrain_trace *trace, uint64_t most_calls,
                                            struct refrain_error *error);

/* Adds the same as a member "end" to a JSON object; for other jobs none. */
enum refrain_status refrain_waits_add_end(struct refrain_trace *trace, uint64_t most_calls, struct json_t *object,
                                          struct refrain_error *error);

#endif
