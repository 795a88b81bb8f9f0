/* waiting_settled.h: the events of a cursor, each call's end only when it is known what the call waited (cursor -> the
 * same events in the same order, later).
 *
 *     rank 0   |--- MPI_Ssend ------------------|    held: what follows until then, of all ranks
 *     rank 1                  |-- MPI_Recv ---------|
 *                                              ^ here it becomes known which receive had the message
 *
 * What a send waited for its receive is known when the message has been received (waiting.h). A reader that shows calls
 * when they are left, such as a picture, needs it then. So events are held back while a call has been left, a message
 * that it sent or completed has not been received, and the receiver has a receive or another call under way that was
 * begun after the call was. There rarely are many of them.
 *
 * At most REFRAIN_WAITING_HELD events are held. Then a call's end is given as it is, and what it turns out to have
 * waited afterwards is counted. */
#ifndef REFRAIN_WAITING_SETTLED_H
#define REFRAIN_WAITING_SETTLED_H

#include "analysis/waiting.h"

#define REFRAIN_WAITING_HELD 65536u

struct refrain_settled;

/* Null without memory. The trace has to stay open. One thread. */
struct refrain_settled *refrain_settled_open(const struct refrain_trace *trace);

/* The next event, with its waits; valid until the next call. `peer_wait` of a RECV is what its sender waited. That of a
 * LEAVE is all that the call waited for receivers: the same, once more, as one wait from the call's begin on. Null at
 * the end, or without memory (refrain_settled_failed). */
const struct refrain_event *refrain_settled_next(struct refrain_settled *settled, struct refrain_cursor *cursor);

bool refrain_settled_failed(const struct refrain_settled *settled);

/* Waits that were found out too late to be given with the end of their call. */
uint64_t refrain_settled_unseen(const struct refrain_settled *settled);

/* Null is allowed. */
void refrain_settled_close(struct refrain_settled *settled);

#endif
