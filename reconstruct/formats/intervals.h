/* intervals.h: events as intervals, which have a beginning and an end: calls, messages, and moments, in the order of
 * their ends (for writers of formats whose records are intervals).
 *
 *     enter ... leave -> a call            a call that is never left ends with the run
 *     send ... receive -> a message        those of which one end is not there are counted
 *     marker, counter -> a moment          where the format has a place for it, and the trace names it
 *
 * Held in memory: calls that are under way, and messages. */
#ifndef REFRAIN_INTERVALS_H
#define REFRAIN_INTERVALS_H

#include "formats/locations.h"
#include "formats/messages.h"

enum refrain_interval_kind { REFRAIN_INTERVAL_CALL, REFRAIN_INTERVAL_MESSAGE, REFRAIN_INTERVAL_MOMENT };

struct refrain_interval {
    enum refrain_interval_kind kind;
    bool left;           /* a call: it was; else the run ended in it */
    size_t region;       /* of a call or moment: its index, the number of regions for an unknown one */
    size_t locations[2]; /* of its beginning and its end; the same but of a message */
    int64_t start_ns, end_ns;
    int64_t own_ns;                         /* a call: not spent in calls in it */
    const struct refrain_event *collective; /* a call: what it did collectively; null nothing */
    const struct refrain_event *receive;    /* a message */
    const struct refrain_event *moment;     /* a moment: its marker or counter */
    int64_t sent_bytes;                     /* of a message */
};

struct refrain_intervals;

/* `take` is called for each interval as it ends, also for moments if `moments`. Null without memory. */
struct refrain_intervals *refrain_intervals_make(const struct refrain_trace *trace,
                                                 const struct refrain_locations *locations, bool moments,
                                                 void (*take)(void *data, const struct refrain_interval *interval),
                                                 void *data);
void refrain_intervals_free(struct refrain_intervals *intervals);

/* The next event. A time that goes back counts as the time before. False: the event is part of no interval. */
bool refrain_intervals_event(struct refrain_intervals *intervals, const struct refrain_event *event);

/* After the last event: calls under way end. */
void refrain_intervals_finish(struct refrain_intervals *intervals);

/* Whether calls of the region say what they did collectively. */
bool refrain_intervals_tells(const struct refrain_region_info *region);

/* What is under way. */
struct refrain_intervals_open {
    uint64_t calls, messages;
};
struct refrain_intervals_open refrain_intervals_open(const struct refrain_intervals *intervals);

/* Ends of messages without their other end, so far. */
uint64_t refrain_intervals_lone(const struct refrain_intervals *intervals);
bool refrain_intervals_no_memory(const struct refrain_intervals *intervals);

#endif
