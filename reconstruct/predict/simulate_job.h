/* simulate_job.h: what one process asks of SimGrid (simulate_schedule.c -> simulate_smpi.c, a module of its own).
 *
 *     ops of rank 0   COMPUTE 2 ms | SEND to 1 | COMPUTE 1 ms | COLLECTIVE ...
 *     ends of rank 0  2.00 ms        2.01 ms     3.01 ms        ...            set by the module, in shared memory
 *
 * An op begins when the one before it ends. Times count from the start of the run. */
#ifndef REFRAIN_SIMULATE_JOB_H
#define REFRAIN_SIMULATE_JOB_H

#include <stddef.h>
#include <stdint.h>

enum refrain_simulate_kind {
    REFRAIN_SIMULATE_SKIP,    /* takes no time */
    REFRAIN_SIMULATE_COMPUTE, /* `bytes` ns on the first host */
    REFRAIN_SIMULATE_SLEEP,   /* `bytes` ns on every host */
    REFRAIN_SIMULATE_MEET,    /* waits for all ranks that meet for the `peer`-th time */
    REFRAIN_SIMULATE_SEND,
    REFRAIN_SIMULATE_SSEND,
    REFRAIN_SIMULATE_ISEND,
    REFRAIN_SIMULATE_ISSEND,
    REFRAIN_SIMULATE_RECV,
    REFRAIN_SIMULATE_IRECV,
    REFRAIN_SIMULATE_WAIT, /* for the request that the op number `bytes` of the rank made */
    REFRAIN_SIMULATE_COLLECTIVE,
    REFRAIN_SIMULATE_ICOLLECTIVE,
};

struct refrain_simulate_op {
    uint16_t kind;
    uint16_t role;           /* collectives: enum refrain_collective */
    int32_t peer;            /* rank of the world; collectives: root in the communicator, -1 none */
    int32_t tag;             /* messages: unique while in flight; collectives: number of the communicator */
    int64_t bytes, received; /* message, or sent and received in a collective */
};

struct refrain_simulate_rank {
    struct refrain_simulate_op *ops;
    size_t n, capacity;
    int64_t *ends_ns;
};

struct refrain_simulate_comm {
    const int32_t *members; /* ranks of the world; null: identity */
    int32_t size;
    int used; /* a collective uses it */
};

#define REFRAIN_SIMULATE_MEETINGS 2 /* MPI_Init, MPI_Finalize */

struct refrain_simulate_job {
    const char *platform;
    const char *module; /* path of the module itself */
    struct refrain_simulate_rank *ranks;
    int32_t n_ranks;
    struct refrain_simulate_comm *comms;
    size_t n_comms;
    uint32_t meeting[REFRAIN_SIMULATE_MEETINGS]; /* ranks that come to each */
    size_t buffer_bytes;                         /* of the largest buffer that an op needs */
};

/* The module's function of the name "refrain_simulate_run". Returns 0 if all ops have ended. Errors are printed on
 * stderr. May also end the process. */
typedef int refrain_simulate_run_function(const struct refrain_simulate_job *job);

#endif
