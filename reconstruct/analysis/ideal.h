/* ideal.h: when each rank would get where on a network that takes no time (events in time order -> delays).
 *
 * Each rank has a second clock. Computing moves it as the first one. MPI calls take no time, but what they wait for: a
 * receive ends no earlier than its message was sent, by the sender's second clock, and a collective not before the
 * ranks whose data it needs have entered. That is a replay with messages of no latency and any bandwidth, as the POP
 * centre's transfer efficiency is defined by. It is an estimate: the order of events stays that of the run. */
#ifndef REFRAIN_IDEAL_H
#define REFRAIN_IDEAL_H

#include "match/event.h"
#include <stdbool.h>

struct refrain_ideal;

/* Null without memory. */
struct refrain_ideal *refrain_ideal_open(size_t n_ranks);
void refrain_ideal_close(struct refrain_ideal *ideal);

/* The rank computed for so long. */
void refrain_ideal_compute(struct refrain_ideal *ideal, int32_t rank, int64_t ns);

/* The rank moved data, or whatever else it did in an MPI call, for so long; less than 0: that was waiting after all. On
 * a network that takes no time this is not called. */
void refrain_ideal_call(struct refrain_ideal *ideal, int32_t rank, int64_t ns);

/* Takes an event of a rank's first thread, with its waits. False without memory. */
bool refrain_ideal_event(struct refrain_ideal *ideal, const struct refrain_event *event);

/* All ranks are at that moment. */
void refrain_ideal_reset(struct refrain_ideal *ideal, int64_t now_ns);

/* Where the rank's second clock stands. */
int64_t refrain_ideal_now_ns(const struct refrain_ideal *ideal, int32_t rank);

#endif
