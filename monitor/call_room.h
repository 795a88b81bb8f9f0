/* call_room.h: room for call sites and what they tell. A call site for which there is room gets it with that of the
 * operations that its function tells, so that none of them is refused later. One for which there is none is a guest of
 * the first call site of its function, which has room for the least counts by partner, too; calls from places for which
 * there is no room even for that are filed there as its own. The first
 * one of each MPI function that the program's tables name has all that kept from the start; of functions that no table
 * names, as many as a share of the pool holds, without the counts. */
#ifndef REFRAIN_CALL_ROOM_H
#define REFRAIN_CALL_ROOM_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdint.h>

/* Bytes that the first call sites of a thread may take, of the functions that the tables of all units registered so far
 * name. */
REFRAIN_HIDDEN uint64_t refrain_call_room_named_bytes(void);

/* Keeps `bytes` for these of the first thread, `others` for those of all other ones, and `unforeseen` for the first
 * call sites of other functions. */
REFRAIN_HIDDEN void refrain_call_room_open(uint64_t bytes, uint64_t others, uint64_t unforeseen);

/* Another thread begins: from now on what is met for the first time leaves its room as well, as far as there is any. */
REFRAIN_HIDDEN void refrain_call_room_begin_thread(void);

/* Keeps `bytes` for guests (struct refrain_guest), which are as many as the tables tell of calls. */
REFRAIN_HIDDEN void refrain_call_room_keep_guests(uint64_t bytes);

/* A guest, zero; null where there is no room. */
REFRAIN_HIDDEN struct refrain_guest *refrain_call_room_guest(void);

/* A call site, zero; null where there is no room. */
REFRAIN_HIDDEN struct refrain_call_site *refrain_call_room_site(struct refrain_context *context, unsigned function);

/* Another operation of a call site, zero; null where there is no room. */
REFRAIN_HIDDEN struct refrain_operation_record *refrain_call_room_operation(const struct refrain_context *context,
                                                                            const struct refrain_call_site *call_site);

#endif
