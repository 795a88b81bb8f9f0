/* critical_path.h: finds the longest chain of computation and messages through a run (spans and waits of ranks ->
 * times on the path).
 *
 *     rank 0   |==== burn() ====|Send|== rest ==|             path of rank 1 at its end, read backwards:
 *     rank 1   |= work =| waits |Recv|==== work ====|         work, Recv on rank 1, then burn() on rank 0
 *
 * Each rank has a path: the activities, on any ranks, that the current state of the rank depends on. It grows with
 * the activities of the rank. When the rank has waited for another one, its path up to then becomes that of the
 * other rank. So the path of the rank that ends last is as long as the run, to the nanosecond, and contains no
 * waiting. It is the critical path of Schulz, "Extracting critical path graphs from MPI applications" (Cluster
 * 2005), found in one walk forwards.
 *
 * Memory: the newest spans of each rank one by one, 2,048 with up to eight ranks and 256 with many. Of older ones that
 * are on the path of some rank only the sums are kept, by place, rank and bin, once for what paths have in common.
 * Threads: one at a time. */
#ifndef REFRAIN_CRITICAL_PATH_H
#define REFRAIN_CRITICAL_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_delay_place;
struct refrain_critical_path;

/* `bin_ns`: length of the time bins into which the run is divided, to locate the path. Null without memory. */
struct refrain_critical_path *refrain_critical_path_open(size_t n_ranks, int64_t bin_ns);
void refrain_critical_path_close(struct refrain_critical_path *path); /* null is allowed */

/* The rank was at the place for this time, not waiting. The spans of a rank come in order. */
void refrain_critical_path_span(struct refrain_critical_path *path, int32_t rank, int64_t begin_ns, int64_t end_ns,
                                struct refrain_delay_place *place);

/* The rank waited for `cause` until end_ns. Spans that are already known may be in that time or after it. */
void refrain_critical_path_wait(struct refrain_critical_path *path, int32_t rank, int64_t begin_ns, int64_t end_ns,
                                int32_t cause);

/* Nothing before this time counts. */
void refrain_critical_path_reset(struct refrain_critical_path *path, int64_t now_ns);

/* A part of the path: a place on a rank, in a bin counted from the start of the run; null: the activity of the rank
 * is unknown. */
typedef void refrain_critical_part(void *data, struct refrain_delay_place *place, int32_t rank, size_t bin, int64_t ns);

/* Calls `part` for the parts of the path of the rank up to end_ns, in no particular order. The same place, rank and
 * bin may come several times. Returns how often the path changes rank. */
uint64_t refrain_critical_path_parts(struct refrain_critical_path *path, int32_t rank, int64_t end_ns,
                                     refrain_critical_part *part, void *data);

/* True if memory ran out at any time. All results are then invalid. */
bool refrain_critical_path_failed(const struct refrain_critical_path *path);

#endif
