/* exchange.h: what crosses between the processes that share out a replay, over MPI (share.h's functions).
 *
 *     message, entered --> [batch for process 1] --MPI_Isend--> queue of batches --> refrain_align_take_...
 *                          [batch for process 2]
 *
 * Batches go out when they are full, and all of them before a process waits. One that has many messages whose receives
 * are still to come takes no more in until it has to wait, and who sends to it waits then, so that nobody runs ahead
 * without bound. Nothing will come any more when all
 * processes wait and as many batches have arrived as were sent: sums are taken round by round, of processes that wait,
 * and two rounds have to agree (F. Mattern, "Algorithms for distributed termination detection", 1987, four counters).
 * A process that cannot go on takes part in the rounds and says so; then all of them stop after the same round. */
#ifndef REFRAIN_EXCHANGE_H
#define REFRAIN_EXCHANGE_H

#include "align.h"
#include <mpi.h>

struct refrain_exchange;

/* `owners`: the process of each of `n_ranks` ranks, -1 none; stays the caller's. `comms` are those of the trace. The
 * same on all processes, and called by all; null without memory. */
struct refrain_exchange *refrain_exchange_open(MPI_Comm processes, const int32_t *owners, int32_t n_ranks,
                                               const struct refrain_comm_info *comms, size_t n_comms);

/* For the aligner. */
struct refrain_share *refrain_exchange_share(struct refrain_exchange *exchange);

/* Ends the exchange, also where this process has stopped before its end; all processes call it, once or more. Then
 * share->wrong is set on all of them or on none. */
void refrain_exchange_end(struct refrain_exchange *exchange);

void refrain_exchange_close(struct refrain_exchange *exchange);

#endif
