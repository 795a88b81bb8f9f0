/* waiting_settled.h: returns the events of a cursor, with the end of each call delayed until its waits are known
 * (cursor -> the same events in the same order, later).
 *
 *     rank 0   |--- MPI_Ssend ------------------|    held: the next events of all ranks, until then
 *     rank 1                  |-- MPI_Recv ---------|
 *                                              ^ here it becomes known which receive had the message
 *
 * How long a send waited for its receive is known when the message has been received (waiting.h). A reader that
 * shows calls when they end, such as a picture, needs it then. So events are held while all of this is true: a call
 * has ended, a message that it sent or completed has not been received, and the receiver has an open call or pending
 * receive that began after the call. Few events are held in general.
 *
 * At most REFRAIN_WAITING_HELD events are held. After that the end of a call is returned without its later waits,
 * and these are counted. */
#ifndef REFRAIN_WAITING_SETTLED_H
#define REFRAIN_WAITING_SETTLED_H

#include "analysis/waiting.h"

#define REFRAIN_WAITING_HELD 65536u

struct refrain_settled;

/* Null without memory. The trace must stay open. One thread. */
struct refrain_settled *refrain_settled_open(const struct refrain_trace *trace);

/* Returns the next event with its waits, valid until the next call. `peer_wait` of a RECV is the wait of its sender.
 * `peer_wait` of a LEAVE is the sum of all waits of the call for receivers, as one wait from the begin of the call.
 * Null at the end, and without memory (refrain_settled_failed()). */
const struct refrain_event *refrain_settled_next(struct refrain_settled *settled, struct refrain_cursor *cursor);

bool refrain_settled_failed(const struct refrain_settled *settled);

/* Waits that became known after the end of their call was returned. */
uint64_t refrain_settled_unseen(const struct refrain_settled *settled);

/* Null is allowed. */
void refrain_settled_close(struct refrain_settled *settled);

#endif
