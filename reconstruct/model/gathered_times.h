/* gathered_times.h: moves pages of times from the end of a trace file to the end of its pool (image.c).
 *
 *     a process that runs, or was killed    | header | pool | free | pages |        (trace.h)
 *     what every reader has                 | header | pool | pages |
 *
 * All bytes in use are then the first header->pool_used bytes of the image, so readers, packs and the page of
 * refrain view copy only these. */
#ifndef REFRAIN_GATHERED_TIMES_H
#define REFRAIN_GATHERED_TIMES_H

#include <refrain/read.h>
#include <stdbool.h>

struct refrain_process;

/* True if a timeline of the process has pages beyond the pool. Its threads must have been found. */
bool refrain_times_are_apart(const struct refrain_process *process);

/* Moves these pages to the end of the pool, in the order of their blocks. The image must be writable
 * (process->mapped). Fails without memory, and if a reference of the timeline leads to no page. */
enum refrain_status refrain_times_gather(struct refrain_process *process, struct refrain_error *error);

#endif
