/* waits_text.h: who waits for whom, and who waited for whom when a job was killed, as text and JSON (live, hang -> top,
 * info, stats). */
#ifndef REFRAIN_WAITS_TEXT_H
#define REFRAIN_WAITS_TEXT_H

#include "analysis/hang.h"

#include <stdio.h>

struct json_t; /* jansson */

/* What the rank does: "in MPI_Recv a.c:12 in main". */
void refrain_waits_print_rank(FILE *file, const struct refrain_live_rank *rank);

/* The deadlock if there is one and its likely causes, collectives that some have not entered, other waits. Nothing when
 * nobody waits. */
void refrain_waits_print(FILE *file, const struct refrain_live *live, const struct refrain_hang *hang);

/* The same on standard output of a job that was killed, beneath a line that says so; nothing of others. `most_calls`:
 * as refrain_hang_find has it. */
enum refrain_status refrain_waits_print_end(struct refrain_trace *trace, uint64_t most_calls,
                                            struct refrain_error *error);

/* The same as the member "end" of a JSON object. */
enum refrain_status refrain_waits_add_end(struct refrain_trace *trace, uint64_t most_calls, struct json_t *object,
                                          struct refrain_error *error);

#endif
