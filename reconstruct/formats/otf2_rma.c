/* otf2_rma.c: writes accesses to windows, follows them until they are complete, and writes synchronisation
 * (otf2_rma.h). */
#include "formats/otf2_rma.h"
#include "common/array.h"
#include "model/mpi_call.h"

#include <string.h>

/* The kind of synchronisation that a call does. */
static enum refrain_otf2_sync sync_of(const struct refrain_region_info *call) {
    static const enum refrain_otf2_sync syncs[REFRAIN_MPI_KINDS] = {
        [REFRAIN_MPI_WINDOW_FENCE] = REFRAIN_OTF2_FENCE,
        [REFRAIN_MPI_WINDOW_LOCK] = REFRAIN_OTF2_LOCK,
        [REFRAIN_MPI_WINDOW_UNLOCK] = REFRAIN_OTF2_UNLOCK,
        [REFRAIN_MPI_WINDOW_FLUSH] = REFRAIN_OTF2_FLUSH,
        [REFRAIN_MPI_WINDOW_COMPLETE] = REFRAIN_OTF2_COMPLETE,
        [REFRAIN_MPI_WINDOW_FLUSH_LOCAL] = REFRAIN_OTF2_FLUSH_LOCAL,
        [REFRAIN_MPI_WINDOW_POST] = REFRAIN_OTF2_POST,
        [REFRAIN_MPI_WINDOW_START] = REFRAIN_OTF2_START,
        [REFRAIN_MPI_WINDOW_WAIT] = REFRAIN_OTF2_WAIT};
    return syncs[refrain_mpi_kind(call)];
}

/* The rank in the window of a rank in MPI_COMM_WORLD. False if there is none. */
static bool rank_in(const struct refrain_otf2_rma *rma, const struct refrain_event *event, uint32_t window,
                    uint32_t *rank) {
    const struct refrain_comm_info *comm = rma->objects->windows.objects[window].comm;
    if (event->peer < 0 || event->peer >= rma->objects->trace->size)
        return false;
    *rank = (uint32_t)event->peer;
    return !comm || refrain_otf2_comm_rank(&rma->comms[comm->index], event->rank, event->peer, rank);
}

/* ---- accesses ---- */

/* Keeps the access until it is complete. */
static bool keep(struct refrain_otf2_location *location, const struct refrain_otf2_access *access) {
    if (!REFRAIN_ARRAY_ROOM(location->accesses, location->n_accesses, location->capacity_accesses))
        return false;
    location->accesses[location->n_accesses++] = *access;
    return true;
}

OTF2_ErrorCode refrain_otf2_rma_access(struct refrain_otf2_rma *rma, struct refrain_otf2_location *location,
                                       const struct refrain_event *event, uint64_t time) {
    enum refrain_mpi_kind kind = refrain_mpi_kind(event->region);
    uint64_t bytes = (uint64_t)event->bytes, received = bytes;
    OTF2_RmaAtomicType type = OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
    uint32_t window = refrain_otf2_window(rma->objects, event), target;
    if (window == REFRAIN_OTF2_NO_OBJECT || !rank_in(rma, event, window, &target)) {
        location->unknown++;
        return OTF2_SUCCESS;
    }
    refrain_otf2_follow(rma->objects, event);
    const struct refrain_otf2_access access = {.matching = ++location->matching,
                                               .window = window,
                                               .target = target,
                                               .request = event->request,
                                               .fetches = kind == REFRAIN_MPI_RGET};
    if (!keep(location, &access))
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    location->events++;
    if (kind == REFRAIN_MPI_PUT || kind == REFRAIN_MPI_RPUT)
        return OTF2_EvtWriter_RmaPut(location->writer, NULL, time, window, target, bytes, location->matching);
    if (kind == REFRAIN_MPI_GET || kind == REFRAIN_MPI_RGET)
        return OTF2_EvtWriter_RmaGet(location->writer, NULL, time, window, target, bytes, location->matching);
    if (kind == REFRAIN_MPI_ACCUMULATE || kind == REFRAIN_MPI_RACCUMULATE) {
        type = OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
        received = 0;
    } else if (kind == REFRAIN_MPI_COMPARE_AND_SWAP) {
        type = OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP;
    }
    return OTF2_EvtWriter_RmaAtomic(location->writer, NULL, time, window, target, type, bytes, received,
                                    location->matching);
}

static OTF2_ErrorCode complete_here(struct refrain_otf2_location *location, struct refrain_otf2_access *access,
                                    uint64_t time) {
    if (access->complete_here)
        return OTF2_SUCCESS;
    access->complete_here = true;
    location->events++;
    return OTF2_EvtWriter_RmaOpCompleteNonBlocking(location->writer, NULL, time, access->window, access->matching);
}

/* Completes the accesses to a window, or only those to one rank in it unless `target` is OTF2_UNDEFINED_UINT32.
 * FLUSH_LOCAL completes them at the origin and keeps them. COMPLETE completes them at the origin and forgets them. Any
 * other `sync` completes them at the target and forgets them. */
static OTF2_ErrorCode complete(struct refrain_otf2_location *location, uint32_t window, uint32_t target,
                               enum refrain_otf2_sync sync, uint64_t time) {
    OTF2_ErrorCode code = OTF2_SUCCESS;
    size_t kept = 0;
    for (size_t i = 0; i < location->n_accesses; i++) {
        struct refrain_otf2_access *access = &location->accesses[i];
        const bool meant = access->window == window && (target == OTF2_UNDEFINED_UINT32 || access->target == target);
        const bool here = sync == REFRAIN_OTF2_FLUSH_LOCAL || sync == REFRAIN_OTF2_COMPLETE;
        if (meant && !code && here)
            code = complete_here(location, access, time);
        if (meant && !code && !here) {
            location->events++;
            code = OTF2_EvtWriter_RmaOpCompleteRemote(location->writer, NULL, time, window, access->matching);
        }
        if (!meant || sync == REFRAIN_OTF2_FLUSH_LOCAL)
            location->accesses[kept++] = *access;
    }
    location->n_accesses = kept;
    return code;
}

OTF2_ErrorCode refrain_otf2_rma_complete(struct refrain_otf2_location *location, const struct refrain_event *event,
                                         uint64_t time) {
    for (size_t i = 0; event->request >= 0 && i < location->n_accesses; i++) {
        struct refrain_otf2_access *access = &location->accesses[i];
        if (access->request != event->request)
            continue;
        OTF2_ErrorCode code = complete_here(location, access, time);
        if (access->fetches) /* nothing is left to be done at the target */
            location->accesses[i] = location->accesses[--location->n_accesses];
        return code;
    }
    return OTF2_SUCCESS;
}

void refrain_otf2_rma_end(struct refrain_otf2_rma *rma, const struct refrain_otf2_location *location) {
    rma->incomplete += location->n_accesses;
}

/* ---- groups ---- */

static bool add_rank(struct refrain_otf2_named_group *group, int32_t rank) {
    if (!REFRAIN_ARRAY_ROOM(group->ranks, group->n, group->capacity))
        return false;
    group->ranks[group->n++] = (uint64_t)rank;
    return true;
}

/* Where the current group of the window, of the kind of `sync`, is stored; null if the window is unknown. */
static OTF2_GroupRef *group_at(const struct refrain_otf2_rma *rma, int32_t rank, int64_t number,
                               enum refrain_otf2_sync sync) {
    const struct refrain_process *process = refrain_trace_process(rma->objects->trace, rank);
    if (!process || !refrain_process_window(process, number))
        return NULL;
    return &rma->objects->windows.groups[rank][number][sync == REFRAIN_OTF2_POST || sync == REFRAIN_OTF2_WAIT
                                                           ? REFRAIN_OTF2_EXPOSURE_GROUP
                                                           : REFRAIN_OTF2_ACCESS_GROUP];
}

bool refrain_otf2_rma_follow_group(struct refrain_otf2_rma *rma, struct refrain_otf2_location *location,
                                   const struct refrain_event *event) {
    struct refrain_otf2_named_group *group = &location->group;
    if (event->kind == REFRAIN_EVENT_WINDOW) {
        enum refrain_otf2_sync sync = sync_of(event->region);
        if (sync != REFRAIN_OTF2_POST && sync != REFRAIN_OTF2_START)
            return true;
        if (group->region != event->region)
            group->n = 0;
        group->region = event->region;
        group->number = event->tag;
        return event->peer < 0 || event->peer >= rma->objects->trace->size || add_rank(group, event->peer);
    }
    if (group->region != event->region)
        return true;
    OTF2_GroupRef *kept = group_at(rma, event->rank, group->number, sync_of(group->region));
    group->region = NULL;
    if (kept && group->n == 0) /* an empty or unknown group */
        *kept = OTF2_UNDEFINED_GROUP;
    return !kept || group->n == 0 ||
           (*kept = refrain_otf2_group_of(&rma->groups, group->ranks, group->n)) != OTF2_UNDEFINED_GROUP;
}

static OTF2_ErrorCode synchronise_group(const struct refrain_otf2_rma *rma, struct refrain_otf2_location *location,
                                        const struct refrain_otf2_window_call *call, uint64_t time) {
    const OTF2_GroupRef *group = group_at(rma, location->rank, call->number, call->sync);
    const bool ends = call->sync == REFRAIN_OTF2_COMPLETE || call->sync == REFRAIN_OTF2_WAIT;
    if (!group || *group == OTF2_UNDEFINED_GROUP) /* the group was named before the written part of the run */
        return OTF2_SUCCESS;
    location->events++;
    return OTF2_EvtWriter_RmaGroupSync(location->writer, NULL, time,
                                       ends ? OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY
                                            : OTF2_RMA_SYNC_LEVEL_PROCESS,
                                       call->window, *group);
}

/* ---- windows ---- */

OTF2_ErrorCode refrain_otf2_rma_window(struct refrain_otf2_rma *rma, struct refrain_otf2_location *location,
                                       const struct refrain_event *event, uint64_t time) {
    const uint32_t window = refrain_otf2_window(rma->objects, event);
    struct refrain_otf2_window_call *call = &location->window_call;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (window == REFRAIN_OTF2_NO_OBJECT)
        return OTF2_SUCCESS;
    switch (refrain_otf2_follow(rma->objects, event)) {
    case REFRAIN_OTF2_MADE:
        location->events++;
        return OTF2_EvtWriter_RmaWinCreate(location->writer, NULL, time, window);
    case REFRAIN_OTF2_GONE:
        code = complete(location, window, OTF2_UNDEFINED_UINT32, REFRAIN_OTF2_FENCE, time);
        location->events++;
        return code ? code : OTF2_EvtWriter_RmaWinDestroy(location->writer, NULL, time, window);
    default:
        break;
    }
    *call = (struct refrain_otf2_window_call){.sync = sync_of(event->region),
                                              .region = event->region,
                                              .window = window,
                                              .target = OTF2_UNDEFINED_UINT32,
                                              .number = event->tag,
                                              .lock = event->value == REFRAIN_LOCK_EXCLUSIVE ? OTF2_LOCK_EXCLUSIVE
                                                                                             : OTF2_LOCK_SHARED};
    const bool names_group = call->sync == REFRAIN_OTF2_POST || call->sync == REFRAIN_OTF2_START;
    if (!names_group && event->peer >= 0 && !rank_in(rma, event, window, &call->target))
        call->sync = REFRAIN_OTF2_NO_SYNC; /* by a rank that is not in the window */
    if (call->sync == REFRAIN_OTF2_FENCE) {
        location->events++;
        code = OTF2_EvtWriter_RmaCollectiveBegin(location->writer, NULL, time);
    } else if (call->sync == REFRAIN_OTF2_LOCK) {
        location->events++;
        code = OTF2_EvtWriter_RmaRequestLock(location->writer, NULL, time, window, call->target, 0, call->lock);
    }
    return code;
}

OTF2_ErrorCode refrain_otf2_rma_leave(const struct refrain_otf2_rma *rma, struct refrain_otf2_location *location,
                                      uint64_t time) {
    const struct refrain_otf2_window_call call = location->window_call;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    location->window_call.sync = REFRAIN_OTF2_NO_SYNC;
    if (call.sync != REFRAIN_OTF2_NO_SYNC && call.sync != REFRAIN_OTF2_LOCK && call.sync < REFRAIN_OTF2_POST)
        code = complete(location, call.window, call.target, call.sync, time);
    if (code)
        return code;
    switch (call.sync) {
    case REFRAIN_OTF2_FENCE:
        location->events++;
        return OTF2_EvtWriter_RmaCollectiveEnd(location->writer, NULL, time, OTF2_COLLECTIVE_OP_BARRIER,
                                               OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, call.window,
                                               OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    case REFRAIN_OTF2_LOCK:
        location->events++;
        return OTF2_EvtWriter_RmaAcquireLock(location->writer, NULL, time, call.window, call.target, 0, call.lock);
    case REFRAIN_OTF2_UNLOCK:
        location->events++;
        return OTF2_EvtWriter_RmaReleaseLock(location->writer, NULL, time, call.window, call.target, 0);
    case REFRAIN_OTF2_POST:
    case REFRAIN_OTF2_START:
    case REFRAIN_OTF2_COMPLETE:
    case REFRAIN_OTF2_WAIT:
        return synchronise_group(rma, location, &call, time);
    default:
        return OTF2_SUCCESS;
    }
}
