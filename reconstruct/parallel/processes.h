/* processes.h: the processes of an MPI job that write one output (together.h by MPI). */
#ifndef REFRAIN_PROCESSES_H
#define REFRAIN_PROCESSES_H

#include "common/error.h"
#include "formats/together.h"
#include "model/trace_read.h"
#include "parallel/exchange.h"

struct refrain_processes {
    struct refrain_together together;
    int32_t *owners; /* process by rank, -1 none */
    int32_t n_ranks;
    struct refrain_exchange *exchange; /* while one is on; null */
};

/* Shares the ranks of the trace out among all processes: neighbours together, and about as many bytes of trace for
 * each. All processes call it. */
enum refrain_status refrain_processes_open(struct refrain_processes *processes, const struct refrain_trace *trace,
                                           struct refrain_error *error);

/* The worst of the statuses of all processes. The first process that has a message, prints it, once. */
enum refrain_status refrain_processes_agree(const struct refrain_processes *processes, enum refrain_status status,
                                            const struct refrain_error *error);

void refrain_processes_close(struct refrain_processes *processes);

#endif
