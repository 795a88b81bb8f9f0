/* unreceived.h: messages that were sent and not received at the end of a trace (trace -> replay -> hang).
 *
 * For each channel (source, destination, communicator, tag): the sends of the replay minus its receives. Memory
 * grows with the messages in transit only. */
#ifndef REFRAIN_UNRECEIVED_H
#define REFRAIN_UNRECEIVED_H

#include "model/trace_read.h"

struct refrain_unreceived_channel {
    int32_t source, destination; /* ranks in MPI_COMM_WORLD */
    const struct refrain_comm_info *comm;
    int64_t tag;
    uint64_t messages;
};

struct refrain_unreceived {
    struct refrain_unreceived_channel *channels; /* sorted by destination, source, communicator and tag */
    size_t n;
};

/* Replays the trace and counts the messages to ranks with wanted[rank]; there are `n_wanted` ranks. A trace without
 * formulas is refused. The caller closes the result. */
enum refrain_status refrain_unreceived_read(struct refrain_trace *trace, const bool *wanted, size_t n_wanted,
                                            struct refrain_unreceived *unreceived, struct refrain_error *error);
void refrain_unreceived_close(struct refrain_unreceived *unreceived);

#endif
