/* critical_path.h: the longest chain of computation and messages through a run (spans and waits of ranks -> times on
 * the path).
 *
 *     rank 0   |==== burn() ====|Send|== rest ==|             path of rank 1 at its end, read backwards:
 *     rank 1   |= work =| waits |Recv|==== work ====|         work, Recv on rank 1, then burn() on rank 0
 *
 * Each rank has a path: what had to happen, on which rank, for the rank to be where it is. It grows with what the rank
 * does. When the rank has waited for another one, the path up to then is that of the other rank. So the path of the
 * rank that ends last is as long as the run, to the nanosecond, and nothing on it is waiting. That is the critical path
 * of Schulz, "Extracting critical path graphs from MPI applications" (Cluster 2005), found in one walk forwards.
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

/* `bin_ns`: the run is divided into bins of so many nanoseconds, for where the path lies. Null without memory. */
struct refrain_critical_path *refrain_critical_path_open(size_t n_ranks, int64_t bin_ns);
void refrain_critical_path_close(struct refrain_critical_path *path); /* null is allowed */

/* The rank was at the place for this time, not waiting. Spans of a rank come in their order. */
void refrain_critical_path_span(struct refrain_critical_path *path, int32_t rank, int64_t begin_ns, int64_t end_ns,
                                struct refrain_delay_place *place);

/* The rank waited for `cause` until end_ns. Spans that are already known may lie in that time or behind it. */
void refrain_critical_path_wait(struct refrain_critical_path *path, int32_t rank, int64_t begin_ns, int64_t end_ns,
                                int32_t cause);

/* Nothing before this moment counts. */
void refrain_critical_path_reset(struct refrain_critical_path *path, int64_t now_ns);

/* What the path is made of: a place on a rank, in a bin, counted from the start of the run; null: it is not known what
 * the rank did. */
typedef void refrain_critical_part(void *data, struct refrain_delay_place *place, int32_t rank, size_t bin, int64_t ns);

/* Calls `part` for what the rank's path up to end_ns is made of, in no order; the same place on a rank in a bin may
 * come several times. Returns how often the path goes from one rank to another. */
uint64_t refrain_critical_path_parts(struct refrain_critical_path *path, int32_t rank, int64_t end_ns,
                                     refrain_critical_part *part, void *data);

/* Was there too little memory at any time? Then nothing of it holds. */
bool refrain_critical_path_failed(const struct refrain_critical_path *path);

#endif
