/* hang.h: finds who waits for whom, and whether the waiting can end (live -> top).
 *
 *     rank 0  MPI_Ssend to 1 ---> rank 1  MPI_Ssend to 2 ---> rank 2  MPI_Recv from 0, but rank 0 sends to 1
 *        ^                                                        |
 *        '--------------------------------------------------------'
 *
 * A rank in a point-to-point call waits for its partner, unless the partner is in a matching call. A rank in a
 * collective waits for the members that have not entered it, or that are in another collective in its place. In a call
 * on several requests (MPI_Waitall, MPI_Waitsome, MPI_Waitany), some may have completed, and the trace does not say
 * which: at least one has not. A send may be answered by a receive that its partner posted before, unless the partner
 * waits for requests now. If requests are of several communicators, it is unknown which request has which, and any
 * possible match counts.
 *
 * A rank can continue if it computes; if nothing is known of its call (one-sided communication, files, nonblocking
 * collectives ...); if it has not been in the call for long; or if all ranks that it waits for can continue (of a
 * receive from any source, and of several requests: one of them). All other ranks hang: what they wait for can never
 * happen. So a reported deadlock is one, unless threads that are not traced send messages. If a job is over and
 * nobody saw when it ended, the duration of calls is unknown. A message in transit, according to the replay, then
 * answers a receive. */
#ifndef REFRAIN_HANG_H
#define REFRAIN_HANG_H

#include "analysis/live.h"
#include "analysis/unreceived.h"

#define REFRAIN_HANG_STUCK_NS ((int64_t)1000000000)    /* a call that lasts as long waits */
#define REFRAIN_HANG_CALLS_AT_ONCE ((uint64_t)1000000) /* of a run that is replayed without being asked to */

struct refrain_hang_edge {
    int32_t rank, awaited;
    bool collective; /* else a message */
    bool mismatch;   /* of a collective: the awaited rank is in another function in its place */
    bool sends;      /* the awaited rank has to receive it; else to send it */
    int32_t tag;     /* of the message; -1 any or unknown */
    bool may_end;    /* the awaited rank may have posted the receive already */
};

/* Messages sent to a rank that hangs and that waits for other ones: probably a wrong tag or communicator. */
struct refrain_hang_cause {
    struct refrain_unreceived_channel sent;
    int32_t tag;                          /* tag that it waits for; -1 any or unknown */
    const struct refrain_comm_info *comm; /* communicator that it waits for; null unknown */
};

struct refrain_hang {
    struct refrain_hang_edge *edges; /* by rank; none for receives from any source */
    size_t n_edges;
    struct refrain_hang_cause *causes;
    size_t n_causes;
    bool causes_unknown; /* causes were not searched: the run is too long for a replay */
    bool *hangs;         /* by rank */
    size_t n_hanging;
    int32_t *cycle; /* ranks, each of which waits for the next one, and the last for the first */
    size_t n_cycle;
};

/* `stuck_ns`: a call that has lasted less counts as able to end, if its duration is known. If ranks hang, and the
 * run made at most `most_calls` MPI calls, a replay finds the causes. It is no error if the run cannot be replayed
 * to its end. The caller closes *hang. */
enum refrain_status refrain_hang_find(const struct refrain_live *live, int64_t stuck_ns, uint64_t most_calls,
                                      struct refrain_hang *hang, struct refrain_error *error);
void refrain_hang_close(struct refrain_hang *hang);

/* The same for the end of a job that is over; then the caller closes *live and *hang. Null in *live, and nothing in
 * *hang, if the job is not over, if all its processes ended by themselves, or if few of its files are here. */
enum refrain_status refrain_hang_at_end(struct refrain_trace *trace, uint64_t most_calls, struct refrain_live **live,
                                        struct refrain_hang *hang, struct refrain_error *error);

#endif
