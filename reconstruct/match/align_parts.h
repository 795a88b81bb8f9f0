/* align_parts.h: what the source files of the alignment share (align.h).
 *
 *     align.c                              reads groups of events and delivers the earliest one
 *     align_next.h                         fast path for a group of one event
 *     align_messages.c align_collectives.c match events, and find out which group has to wait
 *     align_wait.c                         holds a group until its causes have happened */
#ifndef REFRAIN_ALIGN_PARTS_H
#define REFRAIN_ALIGN_PARTS_H

#include "match/align.h"
#include "match/channels.h"
#include "match/collective_rule.h"
#include "match/ready_queue.h"

struct refrain_align_location {
    uint32_t number;
    struct refrain_stream *stream;
    struct refrain_posting_order posting_order;
    struct refrain_event
        *group; /* delivered together, at one time: in memory of `stream`, `posting_order` or `gathered` */
    size_t n_group;
    struct refrain_event *gathered; /* memory for a group that is not in the stream's */
    size_t capacity_gathered;
    struct refrain_event ahead; /* read, but belongs to the next group */
    bool has_ahead, exhausted;
    bool wait_collective;
    bool is_root;
    uint8_t rule;     /* enum refrain_collective_rule, of the collective `inside` */
    uint32_t waiting; /* causes that have not happened yet */
    uint32_t inside;  /* the collective that the location has not left yet; 0: none */
    const struct refrain_region_info *inside_region;
    int64_t time_ns; /* of the group */
    int64_t now_ns;  /* of the last group delivered */
    int64_t shift_ns;
    struct refrain_virtual_time virtual_time; /* only without_probes */
    uint64_t messages;                        /* number of messages sent */
};

/* time_ns + by_ns. The times of a damaged file may delay each other without end; the limit prevents an overflow. */
static inline int64_t refrain_align_later(int64_t time_ns, int64_t by_ns) {
    const int64_t most_ns = 4000000000000000000; /* four times the latest time of an event (trace_read.h) */
    int64_t sum_ns = time_ns + by_ns;
    return sum_ns < most_ns ? sum_ns : most_ns;
}

struct refrain_align {
    struct refrain_align_location *locations;
    size_t n;
    struct refrain_ready_queue ready; /* locations whose group waits for nothing, without the current one */
    uint32_t *running;                /* by rank: number of locations that have not ended */
    int64_t *ended_ns;                /* by rank: when its latest location ended */
    uint32_t *last_communicating; /* by rank: the location that communicated last, counted from 1; null without turns */
    size_t n_ranks;
    struct refrain_channels channels;
    struct refrain_store unsure; /* channels in which the messages of some receives are unknown, by the keys of
                                    `channels`; source, tag or both are unknown (-1) */
    struct refrain_store waiters, collectives, ordinals; /* align_collectives.c */
    struct refrain_align_location *emitting;             /* whose group is delivered now; null: none */
    size_t given;                                        /* number of its events that were delivered */
    int64_t now_ns;                                      /* of the group delivered last, of any location */
    bool adjust, without_probes, no_memory;
    bool plain;              /* align_next.h may deliver events: no virtual time, nothing has failed */
    bool stopped;            /* the order of locations matters: turns->wrong gives the reason */
    bool collectives_untold; /* some rank entered collectives in a pause, or a filter left them out */
    uint64_t turn; /* events that a location may deliver although other locations are earlier; 0: none, events come in
                      time order */
    uint64_t turn_end; /* the turn ends when report.events has this value */
    int64_t ending_ns; /* with turns: when the rank ended whose end was replayed last, for locations that waited for it
                          in vain */
    struct refrain_turns *turns; /* null: events come in time order */
    struct refrain_cursor_report report;
};

/* ---- kinds of events ---- */

/* True for the completion of an operation in an MPI call. All completions of one call have the same time. */
static inline bool refrain_event_completes(const struct refrain_event *event) {
    const unsigned kinds = 1u << REFRAIN_EVENT_RECV | 1u << REFRAIN_EVENT_SEND_COMPLETE |
                           1u << REFRAIN_EVENT_COLLECTIVE_COMPLETE | 1u << REFRAIN_EVENT_CANCEL |
                           1u << REFRAIN_EVENT_ACCESS_COMPLETE;
    return kinds >> event->kind & 1;
}

static inline bool refrain_event_leaves_mpi(const struct refrain_event *event) {
    return event->kind == REFRAIN_EVENT_LEAVE && event->region->kind == REFRAIN_REGION_MPI;
}

/* True if other locations may depend on the event. */
static inline bool refrain_event_matters(const struct refrain_event *event) {
    const unsigned kinds = 1u << REFRAIN_EVENT_SEND | 1u << REFRAIN_EVENT_COLLECTIVE | 1u << REFRAIN_EVENT_RECV |
                           1u << REFRAIN_EVENT_UNTOLD_SENDS | 1u << REFRAIN_EVENT_UNTOLD_RECEIVES |
                           1u << REFRAIN_EVENT_UNTOLD_COLLECTIVES;
    return kinds >> event->kind & 1;
}

/* ---- align_wait.c ---- */

/* The last event of the location's group. In a group of several it is the call's LEAVE, unless the stream ended or
 * another event came before it. */
static inline const struct refrain_event *refrain_align_last(const struct refrain_align_location *location) {
    return &location->group[location->n_group - 1];
}

/* Delays the location's group until `cause`. Without probes: also computes its virtual time anew. */
void refrain_align_hold(struct refrain_align *align, struct refrain_align_location *location,
                        const struct refrain_moment *cause);

/* One of the location's causes has happened, or (null) has no known time or will never happen. After the last one the
 * group is ready. */
void refrain_align_satisfy(struct refrain_align *align, uint32_t location, const struct refrain_moment *cause);

/* Queues the location, whose group waits for nothing (more). */
void refrain_align_ready(struct refrain_align *align, uint32_t location);

/* The time of the location's current group. */
struct refrain_moment refrain_align_moment(const struct refrain_align *align, uint32_t location);

/* True if all locations of the rank have ended, or the rank has none here. */
bool refrain_align_gone(const struct refrain_align *align, int32_t rank);

/* With turns: stops the replay, since a match depends on the order of the locations. Without turns: does nothing. */
void refrain_align_order_matters(struct refrain_align *align, const char *why);

/* ---- align_messages.c ---- */

/* Matches an event of the location's current group: a SEND, or the messages that were sent or received in a pause or
 * are left out by a filter. */
void refrain_align_send(struct refrain_align *align, uint32_t location, struct refrain_event *event);
void refrain_align_sends_in_pause(struct refrain_align *align, const struct refrain_event *event);
void refrain_align_receives_in_pause(struct refrain_align *align, const struct refrain_event *event);

/* Matches receive `event` of the location's group with a message in flight. If there is none, the group waits for one,
 * unless the receive is approximate, its source has ended, or times are not adjusted. */
void refrain_align_receive(struct refrain_align *align, uint32_t location, uint32_t event);

/* Marks a receive as approximate if its message may belong to an earlier receive, of which the message is unknown. */
void refrain_align_mark_unsure(struct refrain_align *align, struct refrain_event *receive);

/* Withdraws the claims of the location's group on messages, and counts these receives as unmatched. */
void refrain_align_release_messages(struct refrain_align *align, uint32_t location);

/* Call when a rank has ended: wakes the groups that wait for its messages, and drops the messages in flight to it. */
void refrain_align_messages_ended(struct refrain_align *align, int32_t rank);

/* Number of messages that were sent and not received yet. */
uint64_t refrain_align_messages_in_flight(const struct refrain_align *align);

/* ---- align_collectives.c ---- */

void refrain_align_collectives_open(struct refrain_align *align);
void refrain_align_collectives_close(struct refrain_align *align);

/* Enters the location into the collective of an event of its group, and wakes the locations that waited for it; or
 * counts the collectives that the rank entered in a pause or that a filter left out. */
void refrain_align_enter(struct refrain_align *align, uint32_t location, struct refrain_event *event);
void refrain_align_collectives_in_pause(struct refrain_align *align, const struct refrain_event *event);

/* The location's group leaves its collective. The group waits if a member that it depends on has not entered. */
void refrain_align_leave(struct refrain_align *align, uint32_t location);

/* The location has left its collective. */
void refrain_align_left(struct refrain_align *align, struct refrain_align_location *location);

/* Removes the location from the waiters of its collective. */
void refrain_align_release_collective(struct refrain_align *align, uint32_t location);

/* After a rank has ended, nobody waits for it in collectives. */
void refrain_align_collectives_ended(struct refrain_align *align);

#endif
