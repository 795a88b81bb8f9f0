/* exchange.h: the notices of processes that share out a replay, over MPI (team.h's functions).
 *
 *     room --> [batch] --MPI_Issend--> process 1 --> queue of its location --> come
 *                      \-------------> process 2
 *
 * A batch holds notices of one location. It leaves when it is full and when the location has been read ahead. Notices
 * are read where they were received. A process receives what has come while it holds few notices, and always while it
 * waits. A sender whose batches are not received goes on until all its batches are under way, and then waits. So no
 * process runs ahead without bound, and none waits for ever: the process that is furthest behind has all that it needs,
 * or it has been sent. */
#ifndef REFRAIN_EXCHANGE_H
#define REFRAIN_EXCHANGE_H

#include "match/team.h"
#include "model/trace_read.h"

#include <mpi.h>

struct refrain_exchange;

#define REFRAIN_EXCHANGE_NOTICES ((size_t)512) /* in a batch at most */
/* Batches that may be under way: those of one reading ahead, and more while the receiver computes. */
#define REFRAIN_EXCHANGE_BATCHES 32u

/* `owners`: the process of each of `n_ranks` ranks, -1 none; stays the caller's, as the trace does. The same on all
 * processes, and called by all; null without memory. */
struct refrain_exchange *refrain_exchange_open(MPI_Comm processes, const int32_t *owners, int32_t n_ranks,
                                               const struct refrain_trace *trace);

/* For the aligner. */
struct refrain_team *refrain_exchange_team(struct refrain_exchange *exchange);

/* Ends the exchange, also where this process has stopped before its end; all processes call it, once or more. Then
 * team->wrong is set on all of them or on none. */
void refrain_exchange_end(struct refrain_exchange *exchange);

void refrain_exchange_close(struct refrain_exchange *exchange);

#endif
