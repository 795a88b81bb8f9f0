/* team_load.h: what the further threads of each rank do beside its first one (events -> delays.c -> report).
 *
 *     first thread   |== solve() ==|  waits in MPI_Recv   |== solve() ==|
 *     thread 1       |== work() ========|      idle       |== work() ===|
 *                                  ^^^^^^ the rank waits while a thread of its own computes
 *
 * A thread works while a function or a region of the program that computes is its innermost one, and is idle while it
 * is in none, from its first function to its last clock read. Of a thread without functions it is not known. Memory: a
 * stack for each thread, and for each rank when the latest REFRAIN_TEAM_CHANGES periods began in which a thread worked.
 * Threads: one at a time. */
#ifndef REFRAIN_TEAM_LOAD_H
#define REFRAIN_TEAM_LOAD_H

#include "match/event.h"
#include "model/trace_read.h"

#define REFRAIN_TEAM_CHANGES 1024u

/* The further threads of a rank together. */
struct refrain_team_rank {
    size_t n_threads;                              /* that have functions */
    int64_t works_ns, idle_ns;                     /* sums over them */
    const struct refrain_region_info *works_in;    /* most of works_ns; null: nowhere. Filled at the end, as are ... */
    const struct refrain_region_info *idle_beside; /* ... where the first thread was for most of idle_ns, null: in
                                                      nothing, and how long of it */
    int64_t idle_beside_ns;
};

struct refrain_team_load;

/* Null without memory. The trace has to stay open. */
struct refrain_team_load *refrain_team_load_open(const struct refrain_trace *trace, size_t n_ranks);
void refrain_team_load_close(struct refrain_team_load *team); /* null is allowed */

/* The next event of a rank, on any thread; `first_in`: the innermost region of its first thread until now. False
 * without memory. */
bool refrain_team_load_event(struct refrain_team_load *team, const struct refrain_event *event,
                             const struct refrain_region_info *first_in);

/* Nothing before this moment counts, on any rank. */
void refrain_team_load_reset(struct refrain_team_load *team, int64_t now_ns);

/* Nothing of this rank counts from this moment on. */
void refrain_team_load_end(struct refrain_team_load *team, int32_t rank, int64_t now_ns,
                           const struct refrain_region_info *first_in);

/* For how much of this time at least one further thread of the rank worked. It ends now or before. */
int64_t refrain_team_load_beside(const struct refrain_team_load *team, int32_t rank, int64_t begin_ns, int64_t end_ns);

/* Of a rank; what is filled at the end is so after this call. */
const struct refrain_team_rank *refrain_team_load_rank(struct refrain_team_load *team, int32_t rank);

#endif
