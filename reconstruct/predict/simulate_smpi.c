/* simulate_smpi.c: the module that carries out the ops of a job with SimGrid's SMPI (simulate_job.h). SMPI starts it as
 * it starts an MPI program: main() runs once for each rank, all in one process. */
#define _GNU_SOURCE
#include "predict/simulate_job.h"

#include <limits.h>
#include <refrain/read.h>
#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <smpi/smpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRONG "refrain-simulate: " /* begins the line that the user sees */

struct process {
    MPI_Comm *comms;       /* by number */
    MPI_Request *requests; /* by number of the op */
};

static const struct refrain_simulate_job *job;
static int32_t n_ended; /* ranks that came to their end */
static char *buffer;    /* of all ranks; its content is never looked at */
static sg_bar_t start, meetings[REFRAIN_SIMULATE_MEETINGS];
static MPI_Op nothing;
static sg_host_t *hosts; /* by rank */
static double zero_s, flops_per_ns;

int main(int argc, char **argv);
int refrain_simulate_run(const struct refrain_simulate_job *given);

/* ---- hosts ---- */

static int by_name(const void *a, const void *b) {
    return strverscmp(sg_host_get_name(*(const sg_host_t *)a), sg_host_get_name(*(const sg_host_t *)b));
}

/* Ranks fill the cores of one host after the other. */
static void place_ranks(void) {
    const size_t n = sg_host_count(), n_ranks = (size_t)job->n_ranks;
    sg_host_t *list = sg_host_list();
    size_t cores = 0;
    hosts = calloc(n_ranks, sizeof *hosts);
    qsort(list, n, sizeof *list, by_name);
    for (size_t i = 0; i < n; i++)
        for (int core = 0; core < sg_host_core_count(list[i]); core++, cores++)
            if (cores < n_ranks)
                hosts[cores] = list[i];
    if (cores < n_ranks) {
        fprintf(stderr, WRONG "its %zu hosts have %zu cores, but the run has %zu ranks; add hosts or cores\n", n, cores,
                n_ranks);
        _exit(1);
    }
    flops_per_ns = sg_host_get_speed(hosts[0]) / 1e9;
}

/* ---- collectives ---- */

static void combine(void *in, void *out, int *n, MPI_Datatype *type) {
    (void)in, (void)out, (void)n, (void)type;
}

static int count(int64_t bytes) {
    return bytes < 0 ? 0 : bytes > INT_MAX ? INT_MAX : (int)bytes;
}

/* An array of a count for each rank of the communicator. Freed by the caller. */
static int *counts(int n, int each) {
    int *array = malloc((size_t)n * sizeof *array);
    for (int i = 0; i < n; i++)
        array[i] = each;
    return array;
}

#define DO(blocking, nonblocking, ...)                                                                                 \
    (op->kind == REFRAIN_SIMULATE_ICOLLECTIVE ? PMPI_##nonblocking(__VA_ARGS__, request) : PMPI_##blocking(__VA_ARGS__))
#define B buffer
#define T MPI_BYTE

/* Total amounts that differ between ranks are spread evenly over the partners. */
static void collect_unequal(const struct refrain_simulate_op *op, MPI_Comm comm, int n, MPI_Request *request) {
    const int root = op->peer < 0 ? 0 : op->peer, sent = count(op->bytes);
    int *zeros = counts(n, 0), *send = counts(n, count(op->bytes / n)), *receive = counts(n, count(op->received / n)),
        *any = counts(n, INT_MAX);
    switch (op->role) {
    case REFRAIN_COLLECTIVE_SCATTERV:
        DO(Scatterv, Iscatterv, B, send, zeros, T, B, INT_MAX, T, root, comm);
        break;
    case REFRAIN_COLLECTIVE_GATHERV:
        DO(Gatherv, Igatherv, B, sent, T, B, any, zeros, T, root, comm);
        break;
    case REFRAIN_COLLECTIVE_ALLGATHERV:
        DO(Allgatherv, Iallgatherv, B, count(op->received / n), T, B, receive, zeros, T, comm);
        break;
    case REFRAIN_COLLECTIVE_REDUCE_SCATTER:
        DO(Reduce_scatter, Ireduce_scatter, B, B, send, T, nothing, comm);
        break;
    default: /* alltoallv, alltoallw */
        DO(Alltoallv, Ialltoallv, B, send, zeros, T, B, any, zeros, T, comm);
        break;
    }
    if (op->kind == REFRAIN_SIMULATE_COLLECTIVE) {
        free(zeros);
        free(send);
        free(receive);
        free(any);
    }
}

static void collect(const struct refrain_simulate_op *op, MPI_Comm comm, MPI_Request *request) {
    const int root = op->peer < 0 ? 0 : op->peer, sent = count(op->bytes), received = count(op->received);
    const int larger = sent > received ? sent : received;
    int n = 1;
    PMPI_Comm_size(comm, &n);
    const int sent_each = count(op->bytes / n), received_each = count(op->received / n);
    switch (op->role) {
    case REFRAIN_COLLECTIVE_BARRIER:
        DO(Barrier, Ibarrier, comm);
        break;
    case REFRAIN_COLLECTIVE_BCAST:
        DO(Bcast, Ibcast, B, larger, T, root, comm);
        break;
    case REFRAIN_COLLECTIVE_SCATTER:
        DO(Scatter, Iscatter, B, sent_each, T, B, received, T, root, comm);
        break;
    case REFRAIN_COLLECTIVE_GATHER:
        DO(Gather, Igather, B, sent, T, B, received_each, T, root, comm);
        break;
    case REFRAIN_COLLECTIVE_REDUCE:
        DO(Reduce, Ireduce, B, B, sent, T, nothing, root, comm);
        break;
    case REFRAIN_COLLECTIVE_ALLGATHER:
        DO(Allgather, Iallgather, B, sent, T, B, sent, T, comm);
        break;
    case REFRAIN_COLLECTIVE_ALLREDUCE:
        DO(Allreduce, Iallreduce, B, B, larger, T, nothing, comm);
        break;
    case REFRAIN_COLLECTIVE_ALLTOALL:
        DO(Alltoall, Ialltoall, B, sent_each, T, B, sent_each, T, comm);
        break;
    case REFRAIN_COLLECTIVE_REDUCE_SCATTER_BLOCK:
        DO(Reduce_scatter_block, Ireduce_scatter_block, B, B, sent_each, T, nothing, comm);
        break;
    case REFRAIN_COLLECTIVE_SCAN:
        DO(Scan, Iscan, B, B, sent, T, nothing, comm);
        break;
    case REFRAIN_COLLECTIVE_EXSCAN:
        DO(Exscan, Iexscan, B, B, sent, T, nothing, comm);
        break;
    default:
        collect_unequal(op, comm, n, request);
        break;
    }
}

/* ---- ranks ---- */

static void carry_out(const struct refrain_simulate_op *op, struct process *process, MPI_Request *request) {
    switch (op->kind) {
    case REFRAIN_SIMULATE_COMPUTE:
        sg_actor_execute((double)op->bytes * flops_per_ns);
        break;
    case REFRAIN_SIMULATE_SLEEP:
        sg_actor_sleep_for((double)op->bytes / 1e9);
        break;
    case REFRAIN_SIMULATE_MEET:
        sg_barrier_wait(meetings[op->peer]);
        break;
    case REFRAIN_SIMULATE_SEND:
        PMPI_Send(B, count(op->bytes), T, op->peer, op->tag, MPI_COMM_WORLD);
        break;
    case REFRAIN_SIMULATE_SSEND:
        PMPI_Ssend(B, count(op->bytes), T, op->peer, op->tag, MPI_COMM_WORLD);
        break;
    case REFRAIN_SIMULATE_ISEND:
        PMPI_Isend(B, count(op->bytes), T, op->peer, op->tag, MPI_COMM_WORLD, request);
        break;
    case REFRAIN_SIMULATE_ISSEND:
        PMPI_Issend(B, count(op->bytes), T, op->peer, op->tag, MPI_COMM_WORLD, request);
        break;
    case REFRAIN_SIMULATE_RECV:
        PMPI_Recv(B, INT_MAX, T, op->peer, op->tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case REFRAIN_SIMULATE_IRECV:
        PMPI_Irecv(B, INT_MAX, T, op->peer, op->tag, MPI_COMM_WORLD, request);
        break;
    case REFRAIN_SIMULATE_WAIT:
        PMPI_Wait(&process->requests[op->bytes], MPI_STATUS_IGNORE);
        break;
    case REFRAIN_SIMULATE_COLLECTIVE:
    case REFRAIN_SIMULATE_ICOLLECTIVE:
        collect(op, process->comms[op->tag], request);
        break;
    default:
        break;
    }
}

/* The communicators of this rank, made in the same order by all members. */
static MPI_Comm *make_comms(int32_t rank) {
    MPI_Comm *comms = calloc(job->n_comms, sizeof *comms);
    MPI_Group world, group;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    for (size_t i = 0; i < job->n_comms; i++) {
        const struct refrain_simulate_comm *comm = &job->comms[i];
        bool member = false;
        for (int32_t k = 0; comm->members && comm->used && k < comm->size; k++)
            member |= comm->members[k] == rank;
        comms[i] = i == 1 ? MPI_COMM_SELF : MPI_COMM_WORLD;
        if (member) {
            PMPI_Group_incl(world, comm->size, comm->members, &group);
            PMPI_Comm_create(MPI_COMM_WORLD, group, &comms[i]);
        }
    }
    return comms;
}

static void prepare(void) {
    buffer = smpi_shared_malloc(job->buffer_bytes, __FILE__, __LINE__);
    PMPI_Op_create(combine, 1, &nothing);
    start = sg_barrier_init((unsigned)job->n_ranks);
    for (int i = 0; i < REFRAIN_SIMULATE_MEETINGS; i++)
        meetings[i] = sg_barrier_init(job->meeting[i]);
}

int main(int argc, char **argv) {
    int rank;
    if (!hosts)
        place_ranks();
    PMPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!buffer)
        prepare();
    sg_actor_set_host(sg_actor_self(), hosts[rank]);
    const struct refrain_simulate_rank *own = &job->ranks[rank];
    struct process process = {make_comms(rank), calloc(own->n + 1, sizeof *process.requests)};
    sg_barrier_wait(start);
    zero_s = simgrid_get_clock();
    for (size_t i = 0; i < own->n; i++) {
        carry_out(&own->ops[i], &process, &process.requests[i]);
        own->ends_ns[i] = (int64_t)((simgrid_get_clock() - zero_s) * 1e9 + 0.5);
    }
    sg_barrier_wait(start);
    n_ended++;
    PMPI_Finalize();
    return 0;
}

int refrain_simulate_run(const struct refrain_simulate_job *given) {
    char ranks[64];
    job = given;
    snprintf(ranks, sizeof ranks, "--cfg=smpi/np:%d", (int)job->n_ranks);
    char *arguments[] = {"refrain",
                         (char *)job->platform,
                         "--log=root.thresh:warning",
                         "--cfg=network/model:SMPI",
                         "--cfg=smpi/simulate-computation:no",
                         "--cfg=smpi/privatization:no",
                         "--cfg=contexts/stack-size:256",
                         ranks,
                         NULL};
    int status = smpi_main(job->module, 8, arguments);
    return status ? status : n_ended < job->n_ranks; /* after a deadlock SimGrid returns 0 */
}
