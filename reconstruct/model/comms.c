/* comms.c: joins the communicators of all processes, so that all members have the same object (event.h). */
#include "model/trace_parts.h"

#include <stdlib.h>
#include <string.h>

struct found {
    const struct refrain_communicator *record;
    const int32_t *members; /* size + remote_size; null: identity */
    struct refrain_comm_view *view;
    int32_t rank; /* of the process */
};

/* World rank of the i-th member. The two sides of an intercommunicator list its groups in opposite order; here the
 * group with the lower first member comes first. */
static int32_t member_of(const struct found *found, int32_t i) {
    const struct refrain_communicator *record = found->record;
    const int32_t *members = found->members;
    if (!members)
        return i;
    bool swapped = record->remote_size > 0 && record->size > 0 && members[record->size] < members[0];
    if (!swapped)
        return members[i];
    return i < record->remote_size ? members[record->size + i] : members[i - record->remote_size];
}

static int by_identity(const void *a, const void *b) {
    const struct found *x = a, *y = b;
    if (x->record->leader != y->record->leader)
        return x->record->leader < y->record->leader ? -1 : 1;
    if (x->record->ordinal != y->record->ordinal)
        return x->record->ordinal < y->record->ordinal ? -1 : 1;
    if (x->record->leader < 0 &&
        x->rank != y->rank) /* the members did not agree on a name, so each process has one of its own */
        return x->rank < y->rank ? -1 : 1;
    if (x->record->leader < 0 && x->record->index != y->record->index)
        return x->record->index < y->record->index ? -1 : 1;
    int32_t n = x->record->size + x->record->remote_size, m = y->record->size + y->record->remote_size;
    if (n != m)
        return n < m ? -1 : 1;
    for (int32_t i = 0; i < n; i++) {
        int32_t of_x = member_of(x, i), of_y = member_of(y, i);
        if (of_x != of_y)
            return of_x < of_y ? -1 : 1;
    }
    return 0;
}

static enum refrain_status read_record(struct refrain_trace *trace, struct refrain_process *process, uint64_t reference,
                                       struct found *found, struct refrain_error *error) {
    uint64_t at = reference * REFRAIN_ALIGNMENT_BYTES;
    const struct refrain_communicator *record =
        refrain_process_at(process, at, sizeof *record, "a communicator", error);
    if (!record)
        return REFRAIN_ERROR;
    if (record->size < 0 || record->remote_size < 0 || record->size > (1 << 24) || record->remote_size > (1 << 24))
        return refrain_process_damaged(process, at, "a communicator of impossible size", error);
    size_t n = (size_t)record->size + (size_t)record->remote_size;
    if (refrain_process_check_name(process, record->name, "the name of a communicator", error))
        return REFRAIN_ERROR;
    found->record = record;
    found->rank = process->rank;
    if (record->members) {
        found->members = refrain_process_at(process, (uint64_t)record->members * REFRAIN_ALIGNMENT_BYTES,
                                            n * sizeof *found->members, "the members of a communicator", error);
        if (!found->members)
            return REFRAIN_ERROR;
        for (size_t i = 0; i < n; i++)
            if (found->members[i] < -1 || found->members[i] >= trace->size)
                return refrain_process_damaged(process, at, "a communicator with a member that is no rank", error);
    } else if (record->remote_size > 0 || record->size > trace->size) { /* all ranks, in their order */
        return refrain_process_damaged(process, at, "a communicator without the list of its members", error);
    }
    return REFRAIN_OK;
}

static struct refrain_comm_info *add_comm(struct refrain_trace *trace, const char *name, const struct found *found) {
    struct refrain_comm_info *comm = &trace->comms[trace->n_comms];
    comm->index = (uint32_t)trace->n_comms++;
    comm->name = name;
    if (found) {
        comm->size = found->record->size;
        comm->members = found->members;
        comm->remote_size = found->record->remote_size;
        comm->remote_members = found->members && comm->remote_size ? found->members + comm->size : NULL;
    }
    return comm;
}

/* Sets the view that the process has of a communicator. False if other processes may have the same communicator. */
static bool set_view(struct refrain_trace *trace, struct refrain_process *process, struct found *found) {
    struct refrain_comm_view *view = &process->comms[found->record->index];
    found->view = view;
    view->record = found->record;
    view->peers = found->members;
    view->n_peers = found->record->size;
    if (found->record->remote_size) {
        view->peers = found->members ? found->members + found->record->size : NULL;
        view->n_peers = found->record->remote_size;
    }
    if (found->record->index > 1)
        return false;
    view->info = &trace->comms[found->record->index];
    if (found->record->index == 1) {
        view->peers = &process->own_rank;
        view->n_peers = 1;
    }
    return true;
}

/* Reads the list of a process. Adds all but MPI_COMM_WORLD and MPI_COMM_SELF to all[*n ...]. */
static enum refrain_status read_process(struct refrain_trace *trace, struct refrain_process *process, struct found *all,
                                        size_t *n, struct refrain_error *error) {
    process->n_comms = process->header->n_communicators;
    process->comms = refrain_trace_allocate(trace, process->n_comms, sizeof *process->comms);
    if (!process->comms)
        return REFRAIN_FAIL_MEMORY(error);
    uint64_t reference = process->header->communicators;
    for (size_t c = 0; reference && c < process->n_comms; c++) {
        struct found found = {0};
        enum refrain_status status = read_record(trace, process, reference, &found, error);
        if (status)
            return status;
        reference = found.record->next;
        if (found.record->index < process->n_comms && !set_view(trace, process, &found))
            all[(*n)++] = found;
    }
    return REFRAIN_OK;
}

enum refrain_status refrain_trace_read_comms(struct refrain_trace *trace, struct refrain_error *error) {
    size_t most = 0, n = 0;
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        if (process->header->n_communicators > process->image_bytes / sizeof(struct refrain_communicator))
            return refrain_process_damaged(process, 0, "more communicators than the trace file can hold", error);
        most += process->header->n_communicators;
    }
    struct found *all = calloc(most + 1, sizeof *all);
    trace->comms = refrain_trace_allocate(trace, most + 2, sizeof *trace->comms);
    enum refrain_status status = all && trace->comms ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
    if (!status) {
        add_comm(trace, "MPI_COMM_WORLD", NULL)->size = trace->size;
        add_comm(trace, "MPI_COMM_SELF", NULL)->size = 1;
    }
    for (size_t i = 0; !status && i < trace->n_processes; i++)
        status = read_process(trace, &trace->processes[i], all, &n, error);
    qsort(all, n, sizeof *all, by_identity);
    struct refrain_comm_info *comm = NULL;
    for (size_t i = 0; !status && i < n; i++) {
        const struct refrain_process *process = refrain_trace_process(trace, all[i].rank);
        if (i == 0 || by_identity(&all[i - 1], &all[i]) != 0)
            comm = add_comm(trace, process ? refrain_process_name(process, all[i].record->name) : "", &all[i]);
        all[i].view->info = comm;
    }
    free(all);
    return status;
}

const struct refrain_comm_view *refrain_process_comm(const struct refrain_process *process, int64_t index) {
    if (index < 0 || (uint64_t)index >= process->n_comms || !process->comms[index].record)
        return NULL;
    return &process->comms[index];
}
