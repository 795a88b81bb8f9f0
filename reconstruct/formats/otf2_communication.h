/* otf2_communication.h: messages and collectives as records of OTF2 (events -> MpiSend ...).
 *
 *     send, receive             MpiSend, MpiRecv
 *     nonblocking ones          MpiIsend ... MpiIsendComplete, MpiIrecvRequest ... MpiIrecv, MpiRequestCancelled
 *     collectives               MpiCollectiveBegin ... MpiCollectiveEnd, when the call is left
 *     nonblocking ones          NonBlockingCollectiveRequest ... NonBlockingCollectiveComplete
 *
 * Ranks are those of the communicator. Events with unknown ranks or communicators are counted in the location. */
#ifndef REFRAIN_OTF2_COMMUNICATION_H
#define REFRAIN_OTF2_COMMUNICATION_H

#include "formats/otf2_define.h"

/* Writes a SEND or RECV event; a SEND_COMPLETE, RECV_POST or CANCEL. */
OTF2_ErrorCode refrain_otf2_message(const struct refrain_otf2_comm *comms, struct refrain_otf2_location *location,
                                    const struct refrain_event *event, uint64_t time);
OTF2_ErrorCode refrain_otf2_request(struct refrain_otf2_location *location, const struct refrain_event *event,
                                    uint64_t time);

/* Writes a COLLECTIVE event; the COLLECTIVE_COMPLETE of a request; the end of the blocking collective that the
 * location is in (location->in_collective). */
OTF2_ErrorCode refrain_otf2_collective(const struct refrain_otf2_comm *comms, struct refrain_otf2_location *location,
                                       const struct refrain_event *event, uint64_t time);
OTF2_ErrorCode refrain_otf2_collective_complete(const struct refrain_otf2_comm *comms,
                                                struct refrain_otf2_location *location, int64_t request, uint64_t time);
OTF2_ErrorCode refrain_otf2_collective_end(const struct refrain_otf2_comm *comms,
                                           struct refrain_otf2_location *location, uint64_t time);

#endif
