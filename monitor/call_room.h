/* call_room.h: room for call sites and what they tell. A call site for which there is room gets it with that of the
 * operations that its function tells, so that none of them is refused later. Calls from places for which there is none
 * are filed under the first call site of their function, which has room for the least counts by partner, too. The first
 * one of each MPI function that the program's tables name has all that kept from the start; of functions that no table
 * names, as many as a share of the pool holds, without the counts. */
#ifndef REFRAIN_CALL_ROOM_H
#define REFRAIN_CALL_ROOM_H

#include "monitor.h"

/* Bytes that the first call sites of a thread may take, of the functions that the tables of all units registered so far
 * name. */
REFRAIN_HIDDEN uint64_t refrain_call_room_named_bytes(void);

/* Keeps `bytes` for these, and `unforeseen` for the first call sites of other functions. */
REFRAIN_HIDDEN void refrain_call_room_open(uint64_t bytes, uint64_t unforeseen);

/* A call site, zero; null where there is no room. */
REFRAIN_HIDDEN struct refrain_call_site *refrain_call_room_site(struct refrain_context *context, unsigned function);

/* Another operation of a call site, zero; null where there is no room. */
REFRAIN_HIDDEN struct refrain_operation_record *refrain_call_room_operation(const struct refrain_context *context,
                                                                            const struct refrain_call_site *call_site);

#endif
