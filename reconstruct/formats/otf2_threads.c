/* otf2_threads.c: writes OpenMP constructs and mutexes as fork, team and lock records of OTF2 (otf2_threads.h). */
#include "formats/otf2_threads.h"

#include <stdio.h>
#include <stdlib.h>

/* The communicator of the threads of a rank, those of OpenMP or (`pthread`) of the thread library; these follow those
 * of MPI. */
static OTF2_CommRef team_of(const struct refrain_construct_regions *regions, const struct refrain_trace *trace,
                            int32_t rank, bool pthread) {
    return (OTF2_CommRef)trace->n_comms + (OTF2_CommRef)rank +
           (pthread && regions->teams ? (OTF2_CommRef)trace->size : 0);
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

/* A mutex is got or released. */
static OTF2_ErrorCode pass_mutex(struct refrain_otf2_location *location, const struct refrain_construct_region *region,
                                 bool enters, uint64_t time) {
    uint32_t order = (uint32_t)(time / 1000);
    enum refrain_held_change change = refrain_held_change(&location->held, region, enters, &order);
    if (change == REFRAIN_HELD_SAME)
        return OTF2_SUCCESS;
    location->events++;
    return (change == REFRAIN_HELD_GOT ? OTF2_EvtWriter_ThreadAcquireLock : OTF2_EvtWriter_ThreadReleaseLock)(
        location->writer, NULL, time, OTF2_PARADIGM_PTHREAD, region->lock, order);
}

static OTF2_ErrorCode release(struct refrain_otf2_location *location, uint32_t lock, uint64_t time) {
    if (location->n_locks == 0 || --location->n_locks >= REFRAIN_OTF2_MOST_LOCKS)
        return OTF2_SUCCESS;
    location->events++;
    return OTF2_EvtWriter_ThreadReleaseLock(location->writer, NULL, time, OTF2_PARADIGM_OPENMP, lock,
                                            location->lock_orders[location->n_locks]);
}

OTF2_ErrorCode refrain_otf2_put_thread(const struct refrain_construct_regions *regions,
                                       const struct refrain_trace *trace, struct refrain_otf2_location *location,
                                       uint64_t number, uint64_t time) {
    OTF2_CommRef threads = team_of(regions, trace, location->rank, true);
    location->events++;
    if (location->thread_call == REFRAIN_CONSTRUCT_CREATE)
        return OTF2_EvtWriter_ThreadCreate(location->writer, NULL, time, threads, number);
    if (location->thread_call != REFRAIN_CONSTRUCT_NONE)
        return OTF2_EvtWriter_ThreadWait(location->writer, NULL, time, threads, number);
    location->thread_number = number;
    return OTF2_EvtWriter_ThreadBegin(location->writer, NULL, time, threads, number);
}

static OTF2_ErrorCode end_thread(const struct refrain_construct_regions *regions, const struct refrain_trace *trace,
                                 struct refrain_otf2_location *location, uint64_t time) {
    uint64_t number = location->thread_number;
    if (number == 0)
        return OTF2_SUCCESS;
    location->thread_number = 0;
    location->events++;
    return OTF2_EvtWriter_ThreadEnd(location->writer, NULL, time, team_of(regions, trace, location->rank, true),
                                    number);
}

OTF2_ErrorCode refrain_otf2_before(const struct refrain_construct_regions *regions, const struct refrain_trace *trace,
                                   struct refrain_otf2_location *location, const struct refrain_event *event,
                                   uint64_t time) {
    const struct refrain_construct_region *region = refrain_construct_region(regions, event->region);
    bool enters = event->kind == REFRAIN_EVENT_ENTER;
    if (refrain_construct_is_pthread(region->class)) {
        if (enters && (region->class == REFRAIN_CONSTRUCT_CREATE || refrain_construct_joins(region->class)))
            location->thread_call = region->class;
        return enters ? OTF2_SUCCESS : pass_mutex(location, region, false, time);
    }
    if (region->class == REFRAIN_CONSTRUCT_PARALLEL && region->block == enters) {
        location->events++;
        return enters ? OTF2_EvtWriter_ThreadTeamBegin(location->writer, NULL, time,
                                                       team_of(regions, trace, location->rank, false))
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
    if (refrain_construct_is_pthread(region->class)) {
        if (!enters && region->class == location->thread_call)
            location->thread_call = REFRAIN_CONSTRUCT_NONE;
        if (!enters && region->class == REFRAIN_CONSTRUCT_THREAD)
            return end_thread(regions, trace, location, time);
        return enters ? pass_mutex(location, region, true, time) : OTF2_SUCCESS;
    }
    if (region->class == REFRAIN_CONSTRUCT_PARALLEL && region->block != enters) {
        location->events++;
        return enters
                   ? OTF2_EvtWriter_ThreadFork(location->writer, NULL, time, OTF2_PARADIGM_OPENMP, threads_of(location))
                   : OTF2_EvtWriter_ThreadTeamEnd(location->writer, NULL, time,
                                                  team_of(regions, trace, location->rank, false));
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

/* One group of all threads, and for each rank a group and a communicator, from these references on. */
static OTF2_ErrorCode define_paradigm(OTF2_GlobalDefWriter *writer, OTF2_Paradigm paradigm,
                                      const struct refrain_otf2_location *locations, size_t n_locations,
                                      uint64_t *members, OTF2_GroupRef first, OTF2_CommRef first_comm,
                                      OTF2_StringRef (*name)(void *data, const char *text), void *data) {
    for (size_t i = 0; i < n_locations; i++)
        members[i] = locations[i].id;
    OTF2_ErrorCode code =
        OTF2_GlobalDefWriter_WriteGroup(writer, first, name(data, "threads"), OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm,
                                        OTF2_GROUP_FLAG_NONE, (uint32_t)n_locations, members);
    for (size_t i = 0, n; !code && i < n_locations; i += n) {
        char text[64];
        for (n = 0; i + n < n_locations && locations[i + n].rank == locations[i].rank; n++)
            members[n] = i + n; /* numbers in the group of all threads */
        snprintf(text, sizeof text, "threads of rank %d", locations[i].rank);
        OTF2_StringRef of_team = name(data, text);
        OTF2_GroupRef group = first + 1 + (OTF2_GroupRef)locations[i].rank;
        code = OTF2_GlobalDefWriter_WriteGroup(writer, group, of_team, OTF2_GROUP_TYPE_COMM_GROUP, paradigm,
                                               OTF2_GROUP_FLAG_NONE, (uint32_t)n, members);
        if (!code)
            code = OTF2_GlobalDefWriter_WriteComm(writer, first_comm + (OTF2_CommRef)locations[i].rank, of_team, group,
                                                  OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    }
    return code;
}

OTF2_ErrorCode refrain_otf2_define_teams(OTF2_GlobalDefWriter *writer, const struct refrain_trace *trace,
                                         const struct refrain_construct_regions *regions,
                                         const struct refrain_otf2_location *locations, size_t n_locations,
                                         OTF2_GroupRef first, OTF2_StringRef (*name)(void *data, const char *text),
                                         void *data) {
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint64_t *members = calloc(n_locations + 1, sizeof *members);
    if (!members)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    if (regions->teams) {
        code = define_paradigm(writer, OTF2_PARADIGM_OPENMP, locations, n_locations, members, first,
                               team_of(regions, trace, 0, false), name, data);
        first += 1 + (OTF2_GroupRef)trace->size;
    }
    if (!code && regions->threads)
        code = define_paradigm(writer, OTF2_PARADIGM_PTHREAD, locations, n_locations, members, first,
                               team_of(regions, trace, 0, true), name, data);
    free(members);
    return code;
}
