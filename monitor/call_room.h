/* call_room.h: memory for call sites and their operations.
 *
 * A call site gets memory together with the operations that its MPI function records, so none of them is refused later.
 * If there is too little, it becomes an overflow site  of the function's first call site, with the smallest
 * counts by partner. If there is too little even for that, its calls are recorded at the first call site as if they
 * were made there. For the first call site of each MPI function that the program's tables name, all this memory is
 * reserved from the beginning. For functions that no table names, a share of the pool is reserved for their first call
 * sites, without counts. */
#ifndef REFRAIN_CALL_ROOM_H
#define REFRAIN_CALL_ROOM_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdint.h>

/* Bytes for the first call sites of one thread, of the MPI functions in the tables of all units registered so far. */
REFRAIN_HIDDEN uint64_t refrain_call_room_named_bytes(void);

/* Reserves `bytes` for these call sites of the first thread, `others` for those of all other threads, and `unforeseen`
 * for the first call sites of other functions. */
REFRAIN_HIDDEN void refrain_call_room_open(uint64_t bytes, uint64_t others, uint64_t unforeseen);

/* Another thread begins: from now on what is met for the first time leaves its reserve, too, as far as there is memory.
 */
REFRAIN_HIDDEN void refrain_call_room_begin_thread(void);

/* Reserves `bytes` for overflow sites (struct refrain_overflow_site), one for each MPI call that the tables announce.
 */
REFRAIN_HIDDEN void refrain_call_room_keep_overflow_sites(uint64_t bytes);

/* Takes an overflow site, zeroed. Null without memory. */
REFRAIN_HIDDEN struct refrain_overflow_site *refrain_call_room_overflow_site(void);

/* Takes a call site, zeroed. Null without memory. */
REFRAIN_HIDDEN struct refrain_call_site *refrain_call_room_site(struct refrain_context *context, unsigned function);

/* Takes another operation of a call site, zeroed. Null without memory. */
REFRAIN_HIDDEN struct refrain_operation_record *refrain_call_room_operation(const struct refrain_context *context,
                                                                            const struct refrain_call_site *call_site);

#endif
