/* hang.h: who waits for whom, and whether that can end (live -> top).
 *
 *     rank 0  MPI_Ssend to 1 ---> rank 1  MPI_Ssend to 2 ---> rank 2  MPI_Recv from 0, but rank 0 sends to 1
 *        ^                                                        |
 *        '--------------------------------------------------------'
 *
 * A rank in a call of point-to-point communication waits for its partner, unless that one is in a call that matches it;
 * one in a collective waits for the members that have not entered it. In a call on several requests (MPI_Waitall,
 * MPI_Waitsome, MPI_Waitany) some may have completed, and the trace does not tell which: at least one has not. A
 * receive that was posted before by a rank that does not wait for requests now may answer a send. Where
 * these are of several communicators, it is not known which is whose, and what may match is taken to. A rank
 * can go on when it computes, when its call is one of which nothing is known (one-sided communication, files,
 * collectives that do not block ...), when it has not been in it for long, or when all that it waits for can go on (of
 * a receive from anybody, and of several requests: one of them). The others hang: what they wait for can never come. So
 * what is called a deadlock here is one, as far as the program does not send from threads that are not looked at. Of a
 * job that is over, and of which nobody saw when it ended, no call is known to have lasted: there a message that is on
 * its way, by the replay, answers a receive. */
#ifndef REFRAIN_HANG_H
#define REFRAIN_HANG_H

#include "analysis/live.h"
#include "analysis/unreceived.h"

struct refrain_hang_edge {
    int32_t rank, awaited;
    bool collective; /* else a message ... */
    bool sends;      /* ... that the awaited rank has to receive; else to send */
    int32_t tag;     /* of it; -1 any or not known */
    bool may_end;    /* the awaited rank may have posted the receive already */
};

/* Messages that were sent to a rank that hangs, and that it does not receive, since it waits for others: the likely
 * cause is a mistaken tag or communicator. */
struct refrain_hang_cause {
    struct refrain_unreceived_channel sent;
    int32_t tag;                          /* that is waited for; -1 any or not known */
    const struct refrain_comm_info *comm; /* likewise; null not known */
};

struct refrain_hang {
    struct refrain_hang_edge *edges; /* by rank; of receives from anybody none */
    size_t n_edges;
    struct refrain_hang_cause *causes;
    size_t n_causes;
    bool causes_unknown; /* they were not looked for: the run is too long for that */
    bool *hangs;         /* by rank */
    size_t n_hanging;
    int32_t *cycle; /* ranks, each of which waits for the next, the last for the first */
    size_t n_cycle;
};

/* `stuck_ns`: a call that has lasted less is not taken to wait, where it is known how long it has. The causes are found
 * by a replay of the run, if ranks hang and the run made at most `most_calls` MPI calls. That the run cannot be
 * replayed to its end is no error here. The caller closes *hang. */
enum refrain_status refrain_hang_find(const struct refrain_live *live, int64_t stuck_ns, uint64_t most_calls,
                                      struct refrain_hang *hang, struct refrain_error *error);
void refrain_hang_close(struct refrain_hang *hang);

#endif
