/* otf2_rma.h: one-sided communication as records of OTF2 (events -> RmaPut ..., completions, locks, fences).
 *
 *     MPI_Put ...                       RmaPut, RmaGet, RmaAtomic
 *     request completes, flush_local    RmaOpCompleteNonBlocking: of this access; of those to the window (and rank)
 *     flush, unlock, fence, free        RmaOpCompleteRemote
 *     complete                          RmaOpCompleteNonBlocking; at their targets they are complete with MPI_Win_wait
 *     fence                             RmaCollectiveBegin ... RmaCollectiveEnd
 *     lock, unlock                      RmaRequestLock ... RmaAcquireLock, RmaReleaseLock
 *     post, start, complete, wait       RmaGroupSync, of the group named last
 *     create, free                      RmaWinCreate, RmaWinDestroy */
#ifndef REFRAIN_OTF2_RMA_H
#define REFRAIN_OTF2_RMA_H

#include "formats/otf2_define.h"

/* State of the windows of an archive; `incomplete` counts accesses that were never completed. */
struct refrain_otf2_rma {
    struct refrain_otf2_objects *objects;
    const struct refrain_otf2_comm *comms;
    uint64_t incomplete;
    struct refrain_otf2_groups groups;
};

/* Write records for: an RMA event; a WINDOW event; an ACCESS_COMPLETE, if it is that of a window; the end of a call. */
OTF2_ErrorCode refrain_otf2_rma_access(struct refrain_otf2_rma *rma, struct refrain_otf2_location *location,
                                       const struct refrain_event *event, uint64_t time);
OTF2_ErrorCode refrain_otf2_rma_window(struct refrain_otf2_rma *rma, struct refrain_otf2_location *location,
                                       const struct refrain_event *event, uint64_t time);
OTF2_ErrorCode refrain_otf2_rma_complete(struct refrain_otf2_location *location, const struct refrain_event *event,
                                         uint64_t time);
OTF2_ErrorCode refrain_otf2_rma_leave(const struct refrain_otf2_rma *rma, struct refrain_otf2_location *location,
                                      uint64_t time);

/* Slow path of refrain_otf2_rma_follow(): a WINDOW event, or a LEAVE of a call that names a group. */
bool refrain_otf2_rma_follow_group(struct refrain_otf2_rma *rma, struct refrain_otf2_location *location,
                                   const struct refrain_event *event);

/* Follows the groups that calls name. To be called for every event, before its records are written. False without
 * memory. */
static inline bool refrain_otf2_rma_follow(struct refrain_otf2_rma *rma, struct refrain_otf2_location *location,
                                           const struct refrain_event *event) {
    if (event->kind != REFRAIN_EVENT_WINDOW && (event->kind != REFRAIN_EVENT_LEAVE || !location->group.region))
        return true;
    return refrain_otf2_rma_follow_group(rma, location, event);
}

/* Called after the last event of a location. */
void refrain_otf2_rma_end(struct refrain_otf2_rma *rma, const struct refrain_otf2_location *location);

#endif
