/* intervals.h: makes intervals of events: calls, messages and moments, in the order of their ends (for formats whose
 * records are intervals).
 *
 *     enter ... leave -> a call            a call that is never left ends with the run
 *     send ... receive -> a message        sends and receives without the other end are counted
 *     marker, counter -> a moment          if the format can represent it, and the trace names it
 *
 * Held in memory: open calls, and messages in transit. */
#ifndef REFRAIN_INTERVALS_H
#define REFRAIN_INTERVALS_H

#include "formats/locations.h"
#include "formats/messages.h"

enum refrain_interval_kind { REFRAIN_INTERVAL_CALL, REFRAIN_INTERVAL_MESSAGE, REFRAIN_INTERVAL_MOMENT };

struct refrain_interval {
    enum refrain_interval_kind kind;
    bool left;           /* a call: it was left; false: the run ended in it */
    size_t region;       /* of a call or moment: region index; the number of regions for an unknown one */
    size_t locations[2]; /* of begin and end; equal except for messages */
    int64_t start_ns, end_ns;
    int64_t own_ns;                         /* a call: time outside of the calls in it */
    const struct refrain_event *collective; /* a call: its collective; null none */
    const struct refrain_event *receive;    /* a message */
    const struct refrain_event *moment;     /* a moment: its marker or counter */
    int64_t sent_bytes;                     /* of a message */
};

struct refrain_intervals;

/* Calls `visit` for each interval when it ends, but for moments only if `moments` is set. Null without memory. */
struct refrain_intervals *refrain_intervals_make(const struct refrain_trace *trace,
                                                 const struct refrain_locations *locations, bool moments,
                                                 void (*visit)(void *data, const struct refrain_interval *interval),
                                                 void *data);
void refrain_intervals_free(struct refrain_intervals *intervals);

/* Processes the next event. A time before that of the previous event counts as the latter. False if the event
 * belongs to no interval. */
bool refrain_intervals_event(struct refrain_intervals *intervals, const struct refrain_event *event);

/* Called after the last event: open calls end. */
void refrain_intervals_finish(struct refrain_intervals *intervals);

/* True if calls of the region may have a collective. */
bool refrain_intervals_has_collective(const struct refrain_region_info *region);

/* Numbers of open calls and messages. */
struct refrain_intervals_open {
    uint64_t calls, messages;
};
struct refrain_intervals_open refrain_intervals_open(const struct refrain_intervals *intervals);

/* Number of sends and receives so far without the other end. Before the last event it includes messages in transit. */
uint64_t refrain_intervals_lone(const struct refrain_intervals *intervals);
bool refrain_intervals_no_memory(const struct refrain_intervals *intervals);

#endif
