/* waiting_settled.h: returns the events of a run, with the end of each call delayed until its waits are known
 * (events -> the same events in the same order, later).
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

/* `waiting` keeps what this needs from now on, and outlives it. Null without memory. One thread. */
struct refrain_settled *refrain_settled_open(struct refrain_waiting *waiting);

/* Adds an event that refrain_waiting_event() has just had. The caller then gets all events that are known, before it
 * adds another one. False without memory. */
bool refrain_settled_put(struct refrain_settled *settled, const struct refrain_event *event);

/* Returns the next event with its waits, valid until the next call. `peer_wait` of a RECV is the wait of its sender.
 * `peer_wait` of a LEAVE is the sum of all waits of the call for receivers, as one wait from the begin of the call.
 * Null if its waits are not known yet, or if there is none. */
const struct refrain_event *refrain_settled_get(struct refrain_settled *settled);

/* The run has no further events: refrain_settled_get() returns all events that are held. */
void refrain_settled_end(struct refrain_settled *settled);

/* Waits that became known after the end of their call was returned. */
uint64_t refrain_settled_unseen(const struct refrain_settled *settled);

/* Null is allowed. */
void refrain_settled_close(struct refrain_settled *settled);

#endif
