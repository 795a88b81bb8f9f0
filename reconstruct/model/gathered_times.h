/* gathered_times.h: pages of times at the end of a trace file come to the rest of it (image.c).
 *
 *     a process that runs, or was killed    | header | pool | free | pages |        (trace.h)
 *     what every reader has                 | header | pool | pages |
 *
 * So all that is in use is the first header->pool_used bytes of an image, wherever it goes: to a page, into a pack. */
#ifndef REFRAIN_GATHERED_TIMES_H
#define REFRAIN_GATHERED_TIMES_H

#include <refrain/read.h>
#include <stdbool.h>

struct refrain_process;

/* Does a timeline of the process have pages beyond the pool? Its threads have been found. */
bool refrain_times_are_apart(const struct refrain_process *process);

/* Moves these pages to the pool's end, in the order of their blocks. The image may be written (process->mapped).
 * Fails without memory, and where there is no page at a place that the timeline names. */
enum refrain_status refrain_times_gather(struct refrain_process *process, struct refrain_error *error);

#endif
