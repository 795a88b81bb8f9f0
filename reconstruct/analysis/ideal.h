/* ideal.h: computes the times of each rank in a run whose waiting follows anew: on a network that takes no time, or
 * with other computing times (events in time order -> delays).
 *
 * Each rank has a second clock. Computing moves it by the time that the caller passes. MPI calls take no time, unless
 * the caller passes theirs, but they wait: a receive ends no earlier than its message was sent, by the second clock of
 * the sender. A collective ends no earlier than the ranks whose data it needs have entered. Without times of calls,
 * this is a replay with messages of no latency and unlimited bandwidth, as in the definition of transfer efficiency of
 * the POP centre. It is an estimate: the order of events stays that of the run. */
#ifndef REFRAIN_IDEAL_H
#define REFRAIN_IDEAL_H

#include "match/event.h"
#include <stdbool.h>

struct refrain_ideal;

/* Null without memory. */
struct refrain_ideal *refrain_ideal_open(size_t n_ranks);
void refrain_ideal_close(struct refrain_ideal *ideal);

/* The rank computed for this time. */
void refrain_ideal_compute(struct refrain_ideal *ideal, int32_t rank, int64_t ns);

/* The rank spent this time in an MPI call, not waiting. Negative: time passed earlier was waiting after all. Not called
 * for a network that takes no time. */
void refrain_ideal_call(struct refrain_ideal *ideal, int32_t rank, int64_t ns);

/* Processes an event of the first thread of a rank, with its waits. False without memory. */
bool refrain_ideal_event(struct refrain_ideal *ideal, const struct refrain_event *event);

/* Sets all ranks to this time. */
void refrain_ideal_reset(struct refrain_ideal *ideal, int64_t now_ns);

/* The second clock of the rank. */
int64_t refrain_ideal_now_ns(const struct refrain_ideal *ideal, int32_t rank);

#endif
