/* team_load.h: activities of the further threads of each rank, beside its first thread (events -> delays.c ->
 * report).
 *
 *     first thread   |== solve() ==|  waits in MPI_Recv   |== solve() ==|
 *     thread 1       |== work() ========|      idle       |== work() ===|
 *                                  ^^^^^^ the rank waits while a thread of its own computes
 *
 * A thread works while its innermost region is a function or region of the program that computes. It is idle while
 * it is in no region, from its first function to its last clock read. For a thread without functions, neither is
 * known. Memory: a stack for each thread and, for each rank, the latest REFRAIN_TEAM_CHANGES begins of periods with
 * a working thread. Threads: one at a time. */
#ifndef REFRAIN_TEAM_LOAD_H
#define REFRAIN_TEAM_LOAD_H

#include "match/event.h"
#include "model/trace_read.h"

#define REFRAIN_TEAM_CHANGES 1024u

/* The further threads of a rank together. */
struct refrain_team_rank {
    size_t n_threads;          /* threads with functions */
    int64_t works_ns, idle_ns; /* sums over them */
    const struct refrain_region_info
        *works_in; /* region with most of works_ns; null: none. Set at the end, with the next two */
    const struct refrain_region_info
        *idle_beside; /* region of the first thread during most of idle_ns, null: none; and how long */
    int64_t idle_beside_ns;
};

struct refrain_team_load;

/* Null without memory. The trace must stay open. */
struct refrain_team_load *refrain_team_load_open(const struct refrain_trace *trace, size_t n_ranks);
void refrain_team_load_close(struct refrain_team_load *team); /* null is allowed */

/* Processes the next event of a rank, on any thread. `first_in`: innermost region of its first thread until now.
 * False without memory. */
bool refrain_team_load_event(struct refrain_team_load *team, const struct refrain_event *event,
                             const struct refrain_region_info *first_in);

/* Nothing before this time counts, on any rank. */
void refrain_team_load_reset(struct refrain_team_load *team, int64_t now_ns);

/* Nothing of this rank counts from this time on. */
void refrain_team_load_end(struct refrain_team_load *team, int32_t rank, int64_t now_ns,
                           const struct refrain_region_info *first_in);

/* The part of this time span in which at least one further thread of the rank worked. It must end now or earlier. */
int64_t refrain_team_load_beside(const struct refrain_team_load *team, int32_t rank, int64_t begin_ns, int64_t end_ns);

/* The result for a rank. Sets the members that are set at the end. */
const struct refrain_team_rank *refrain_team_load_rank(struct refrain_team_load *team, int32_t rank);

#endif
