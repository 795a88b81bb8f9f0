/* otf2_threads.c: writes OpenMP constructs as fork, team and lock records of OTF2 (otf2_threads.h). */
#include "formats/otf2_threads.h"

#include <stdio.h>
#include <stdlib.h>

/* The communicator of the threads of a rank; these follow those of MPI. */
static OTF2_CommRef team_of(const struct refrain_trace *trace, int32_t rank) {
    return (OTF2_CommRef)trace->n_comms + (OTF2_CommRef)rank;
}

static uint32_t threads_of(const struct refrain_otf2_location *location) {
    const struct refrain_process *process = location->process;
    uint32_t n = 0;
    for (uint32_t t = 0; process && t < process->header->n_threads; t++)
        n += process->threads[t].started != 0;
    return n > 0 ? n : 1;
}

static OTF2_ErrorCode acquire(struct refrain_otf2_location *location, uint32_t lock, uint64_t time) {
    uint32_t order = (uint32_t)(time / 1000), depth = location->n_locks++;
    if (depth >= REFRAIN_OTF2_MOST_LOCKS)
        return OTF2_SUCCESS;
    location->lock_orders[depth] = order;
    location->events++;
    return OTF2_EvtWriter_ThreadAcquireLock(location->writer, NULL, time, OTF2_PARADIGM_OPENMP, lock, order);
}

/* The thread's entry of a mutex that it holds; with 0, a free entry. Null if there is none. */
static struct refrain_otf2_mutex *mutex_of(struct refrain_otf2_location *location, uint32_t lock) {
    for (unsigned i = 0; i < REFRAIN_OTF2_MOST_LOCKS; i++)
        if (location->mutexes[i].lock == lock)
            return &location->mutexes[i];
    return NULL;
}

/* At the end of a call of pthread_mutex_lock, and at the begin of one of pthread_mutex_unlock. Mutexes that the thread
 * got in another way, or holds twice, have no records. */
static OTF2_ErrorCode pass_mutex(struct refrain_otf2_location *location, uint32_t lock, bool gets, uint64_t time) {
    struct refrain_otf2_mutex *mutex = lock ? mutex_of(location, lock) : NULL;
    if (gets && lock && !mutex) {
        mutex = mutex_of(location, 0);
        if (!mutex)
            return OTF2_SUCCESS;
        *mutex = (struct refrain_otf2_mutex){lock, (uint32_t)(time / 1000)};
        location->events++;
        return OTF2_EvtWriter_ThreadAcquireLock(location->writer, NULL, time, OTF2_PARADIGM_PTHREAD, lock,
                                                mutex->order);
    }
    if (gets || !mutex)
        return OTF2_SUCCESS;
    mutex->lock = 0;
    location->events++;
    return OTF2_EvtWriter_ThreadReleaseLock(location->writer, NULL, time, OTF2_PARADIGM_PTHREAD, lock, mutex->order);
}

static OTF2_ErrorCode release(struct refrain_otf2_location *location, uint32_t lock, uint64_t time) {
    if (location->n_locks == 0 || --location->n_locks >= REFRAIN_OTF2_MOST_LOCKS)
        return OTF2_SUCCESS;
    location->events++;
    return OTF2_EvtWriter_ThreadReleaseLock(location->writer, NULL, time, OTF2_PARADIGM_OPENMP, lock,
                                            location->lock_orders[location->n_locks]);
}

OTF2_ErrorCode refrain_otf2_before(const struct refrain_construct_regions *regions, const struct refrain_trace *trace,
                                   struct refrain_otf2_location *location, const struct refrain_event *event,
                                   uint64_t time) {
    const struct refrain_construct_region *region = refrain_construct_region(regions, event->region);
    bool enters = event->kind == REFRAIN_EVENT_ENTER;
    if (refrain_construct_locks(region->class) && !enters)
        return pass_mutex(location, region->lock, true, time);
    if (region->class == REFRAIN_CONSTRUCT_PARALLEL && region->block == enters) {
        location->events++;
        return enters ? OTF2_EvtWriter_ThreadTeamBegin(location->writer, NULL, time, team_of(trace, location->rank))
                      : OTF2_EvtWriter_ThreadJoin(location->writer, NULL, time, OTF2_PARADIGM_OPENMP);
    }
    return region->class == REFRAIN_CONSTRUCT_CRITICAL && region->block && enters
               ? acquire(location, region->lock, time)
               : OTF2_SUCCESS;
}

OTF2_ErrorCode refrain_otf2_after(const struct refrain_construct_regions *regions, const struct refrain_trace *trace,
                                  struct refrain_otf2_location *location, const struct refrain_event *event,
                                  uint64_t time) {
    const struct refrain_construct_region *region = refrain_construct_region(regions, event->region);
    bool enters = event->kind == REFRAIN_EVENT_ENTER;
    if (refrain_construct_unlocks(region->class) && enters)
        return pass_mutex(location, region->lock, false, time);
    if (region->class == REFRAIN_CONSTRUCT_PARALLEL && region->block != enters) {
        location->events++;
        return enters
                   ? OTF2_EvtWriter_ThreadFork(location->writer, NULL, time, OTF2_PARADIGM_OPENMP, threads_of(location))
                   : OTF2_EvtWriter_ThreadTeamEnd(location->writer, NULL, time, team_of(trace, location->rank));
    }
    return region->class == REFRAIN_CONSTRUCT_CRITICAL && region->block && !enters
               ? release(location, region->lock, time)
               : OTF2_SUCCESS;
}

bool refrain_otf2_construct_role(const char *name, OTF2_RegionRole *role, OTF2_Paradigm *paradigm) {
    static const OTF2_RegionRole roles[REFRAIN_CONSTRUCT_CLASSES] = {
        [REFRAIN_CONSTRUCT_PARALLEL] = OTF2_REGION_ROLE_PARALLEL,
        [REFRAIN_CONSTRUCT_FOR] = OTF2_REGION_ROLE_LOOP,
        [REFRAIN_CONSTRUCT_SECTIONS] = OTF2_REGION_ROLE_SECTIONS,
        [REFRAIN_CONSTRUCT_SECTION] = OTF2_REGION_ROLE_SECTION,
        [REFRAIN_CONSTRUCT_SINGLE] = OTF2_REGION_ROLE_SINGLE,
        [REFRAIN_CONSTRUCT_MASTER] = OTF2_REGION_ROLE_MASTER,
        [REFRAIN_CONSTRUCT_CRITICAL] = OTF2_REGION_ROLE_CRITICAL,
        [REFRAIN_CONSTRUCT_ORDERED] = OTF2_REGION_ROLE_ORDERED,
        [REFRAIN_CONSTRUCT_TASK] = OTF2_REGION_ROLE_TASK,
        [REFRAIN_CONSTRUCT_TASKWAIT] = OTF2_REGION_ROLE_TASK_WAIT,
        [REFRAIN_CONSTRUCT_BARRIER] = OTF2_REGION_ROLE_BARRIER,
        [REFRAIN_CONSTRUCT_IMPLICIT_BARRIER] = OTF2_REGION_ROLE_IMPLICIT_BARRIER,
        [REFRAIN_CONSTRUCT_SET_LOCK] = OTF2_REGION_ROLE_WRAPPER,
        [REFRAIN_CONSTRUCT_CREATE] = OTF2_REGION_ROLE_THREAD_CREATE,
        [REFRAIN_CONSTRUCT_THREAD] = OTF2_REGION_ROLE_CODE,
        [REFRAIN_CONSTRUCT_JOIN] = OTF2_REGION_ROLE_THREAD_WAIT,
        [REFRAIN_CONSTRUCT_BARRIER_WAIT] = OTF2_REGION_ROLE_BARRIER};
    const struct refrain_construct_name parts = refrain_construct_name(name);
    if (parts.class == REFRAIN_CONSTRUCT_NONE)
        return false;
    *paradigm = refrain_construct_is_pthread(parts.class) ? OTF2_PARADIGM_PTHREAD : OTF2_PARADIGM_OPENMP;
    *role = parts.block && parts.class == REFRAIN_CONSTRUCT_CRITICAL  ? OTF2_REGION_ROLE_CRITICAL_SBLOCK
            : parts.block && parts.class == REFRAIN_CONSTRUCT_SINGLE  ? OTF2_REGION_ROLE_SINGLE_SBLOCK
            : parts.block && parts.class == REFRAIN_CONSTRUCT_ORDERED ? OTF2_REGION_ROLE_ORDERED_SBLOCK
            : roles[parts.class]                                      ? roles[parts.class]
                                 : OTF2_REGION_ROLE_WRAPPER; /* further calls of the thread library */
    return true;
}

OTF2_ErrorCode refrain_otf2_define_teams(OTF2_GlobalDefWriter *writer, const struct refrain_trace *trace,
                                         const struct refrain_otf2_location *locations, size_t n_locations,
                                         OTF2_GroupRef first, OTF2_StringRef (*name)(void *data, const char *text),
                                         void *data) {
    uint64_t *members = calloc(n_locations + 1, sizeof *members);
    OTF2_ErrorCode code = members ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
    for (size_t i = 0; members && i < n_locations; i++)
        members[i] = locations[i].id;
    if (!code)
        code =
            OTF2_GlobalDefWriter_WriteGroup(writer, first, name(data, "threads"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                            OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, (uint32_t)n_locations, members);
    for (size_t i = 0, n; !code && i < n_locations; i += n) {
        char text[64];
        for (n = 0; i + n < n_locations && locations[i + n].rank == locations[i].rank; n++)
            members[n] = i + n; /* numbers in the group of all threads */
        snprintf(text, sizeof text, "threads of rank %d", locations[i].rank);
        OTF2_StringRef of_team = name(data, text);
        OTF2_GroupRef group = first + 1 + (OTF2_GroupRef)locations[i].rank;
        code = OTF2_GlobalDefWriter_WriteGroup(writer, group, of_team, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                               OTF2_GROUP_FLAG_NONE, (uint32_t)n, members);
        if (!code)
            code = OTF2_GlobalDefWriter_WriteComm(writer, team_of(trace, locations[i].rank), of_team, group,
                                                  OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    }
    free(members);
    return code;
}
