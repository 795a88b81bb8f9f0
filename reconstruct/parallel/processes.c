/* processes.c: see processes.h. */
#include "parallel/processes.h"

#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

/* OTF2's own collectives over MPI are functions in a header. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wcast-function-type"
#include <otf2/OTF2_MPI_Collectives.h>
#pragma GCC diagnostic pop

static bool owns(const struct refrain_together *together, int32_t rank) {
    const struct refrain_processes *processes = (const struct refrain_processes *)together;
    int32_t owner = rank >= 0 && rank < processes->n_ranks ? processes->owners[rank] : -1;
    return owner == together->number || (owner < 0 && together->number == 0);
}

static bool set_collectives(const struct refrain_together *together, void *archive) {
    (void)together;
    return OTF2_MPI_Archive_SetCollectiveCallbacks(archive, MPI_COMM_WORLD, MPI_COMM_NULL) == OTF2_SUCCESS;
}

static void combine(const struct refrain_together *together, uint64_t *values, size_t n, bool add) {
    (void)together;
    MPI_Allreduce(MPI_IN_PLACE, values, (int)n, MPI_UINT64_T, add ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
}

static bool all(const struct refrain_together *together, bool done) {
    uint64_t failed = !done;
    combine(together, &failed, 1, false);
    return !failed;
}

static bool settle(const struct refrain_together *together, bool done) {
    const struct refrain_processes *processes = (const struct refrain_processes *)together;
    if (processes->exchange) {
        refrain_exchange_end(processes->exchange);
        done &= !refrain_exchange_team(processes->exchange)->wrong;
    }
    return all(together, done);
}

static void abandon(const struct refrain_together *together, const char *message) {
    (void)together;
    fprintf(stderr, "refrain-reconstruct: %s\n", message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

enum refrain_status refrain_processes_open(struct refrain_processes *processes, const struct refrain_trace *trace,
                                           struct refrain_error *error) {
    uint64_t all_bytes = 0, before = 0;
    processes->together = (struct refrain_together){.owns = owns,
                                                    .set_collectives = set_collectives,
                                                    .combine = combine,
                                                    .all = all,
                                                    .settle = settle,
                                                    .abandon = abandon};
    MPI_Comm_rank(MPI_COMM_WORLD, &processes->together.number);
    MPI_Comm_size(MPI_COMM_WORLD, &processes->together.n);
    processes->n_ranks = trace->size;
    for (size_t i = 0; i < trace->n_processes; i++) {
        all_bytes += trace->processes[i].file_bytes;
        if (trace->processes[i].rank >= processes->n_ranks)
            processes->n_ranks = trace->processes[i].rank + 1;
    }
    processes->owners = malloc(((size_t)processes->n_ranks + 1) * sizeof *processes->owners);
    if (!processes->owners)
        return REFRAIN_FAIL_MEMORY(error);
    for (int32_t rank = 0; rank < processes->n_ranks; rank++)
        processes->owners[rank] = -1;
    for (size_t i = 0; i < trace->n_processes; i++) {
        uint64_t middle = before + trace->processes[i].file_bytes / 2;
        processes->owners[trace->processes[i].rank] =
            (int32_t)((long double)middle / (long double)(all_bytes + 1) * processes->together.n);
        before += trace->processes[i].file_bytes;
    }
    return REFRAIN_OK;
}

enum refrain_status refrain_processes_agree(const struct refrain_processes *processes, enum refrain_status status,
                                            const struct refrain_error *error) {
    int worst = (int)status, speaker = error->code ? processes->together.number : processes->together.n;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (worst && speaker == processes->together.number)
        fprintf(stderr, "refrain-reconstruct: %s\n", error->message);
    return (enum refrain_status)worst;
}

void refrain_processes_close(struct refrain_processes *processes) {
    free(processes->owners);
}
