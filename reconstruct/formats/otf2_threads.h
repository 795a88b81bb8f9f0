/* otf2_threads.h: OpenMP constructs and mutexes as records of OTF2.
 *
 *     parallel                ENTER, ThreadFork ... ThreadJoin, LEAVE     on the thread that reaches it
 *     its block               ThreadTeamBegin, ENTER ... LEAVE, ThreadTeamEnd     on each thread of the team
 *     block of a critical     ThreadAcquireLock, ENTER ... LEAVE, ThreadReleaseLock
 *     mutex                   ENTER, ThreadAcquireLock, LEAVE ... ENTER, ThreadReleaseLock, LEAVE
 *     wait for a condition    ENTER, ThreadReleaseLock ... ThreadAcquireLock, LEAVE
 *     create, join            ENTER, ThreadCreate, LEAVE; ENTER, ThreadWait, LEAVE
 *     created thread          ThreadBegin, ENTER ... LEAVE, ThreadEnd
 *
 * The team has all threads of the rank; the records show which of them take part. The order number of an acquisition
 * is its time in microseconds, modulo 2^32. */
#ifndef REFRAIN_OTF2_THREADS_H
#define REFRAIN_OTF2_THREADS_H

#include "formats/otf2_define.h"
#include "model/construct_regions.h"

/* Write the records before, and after, an ENTER or LEAVE of the region; none if it is no construct. */
OTF2_ErrorCode refrain_otf2_before(const struct refrain_construct_regions *regions, const struct refrain_trace *trace,
                                   struct refrain_otf2_location *location, const struct refrain_event *event,
                                   uint64_t time);
OTF2_ErrorCode refrain_otf2_after(const struct refrain_construct_regions *regions, const struct refrain_trace *trace,
                                  struct refrain_otf2_location *location, const struct refrain_event *event,
                                  uint64_t time);

/* Writes the record of a number of a thread: of the one that the location creates, has waited for, or is. */
OTF2_ErrorCode refrain_otf2_put_thread(const struct refrain_construct_regions *regions,
                                       const struct refrain_trace *trace, struct refrain_otf2_location *location,
                                       uint64_t number, uint64_t time);

/* Role and paradigm of a region with this name. False if it is no construct. */
bool refrain_otf2_construct_role(const char *name, OTF2_RegionRole *role, OTF2_Paradigm *paradigm);

/* Defines groups from `first` on, and a communicator for the team of each rank, and for the threads that each rank
 * creates; nothing if there are none. `name` writes a string and returns its reference. */
OTF2_ErrorCode refrain_otf2_define_teams(OTF2_GlobalDefWriter *writer, const struct refrain_trace *trace,
                                         const struct refrain_construct_regions *regions,
                                         const struct refrain_otf2_location *locations, size_t n_locations,
                                         OTF2_GroupRef first, OTF2_StringRef (*name)(void *data, const char *text),
                                         void *data);

#endif
