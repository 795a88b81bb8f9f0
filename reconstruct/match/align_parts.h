/* align_parts.h: what the parts of the alignment share (align.h).
 *
 *     align.c                              groups of events, and the run through them
 *     align_next.h                         a group of one event that has been read, as most are
 *     align_messages.c align_collectives.c what goes with what, and who has to wait
 *     align_wait.c                         a group that waits, until what it waits for has come
 */
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
    struct refrain_event *group; /* emitted together, at one time: in the stream, or in `gathered` */
    size_t n_group;
    struct refrain_event *gathered; /* room for a group of several */
    size_t capacity_gathered;
    struct refrain_event ahead; /* read, but not of `gathered` */
    bool has_ahead, exhausted;
    bool wait_collective;
    bool is_root;
    uint8_t rule;     /* enum refrain_align_rule, of the collective it is in */
    uint32_t waiting; /* causes that have not come */
    uint32_t inside;  /* the collective whose LEAVE is to come, 0 = none */
    const struct refrain_region_info *inside_region;
    int64_t time_ns; /* of the group */
    int64_t now_ns;  /* of the last event emitted */
    int64_t shift_ns;
    struct refrain_virtual_time virtual_time; /* where probes are taken out */
    uint64_t messages;                        /* sent */
};

/* A time that others have put off. Those of a damaged file may put each other off again and again; they stay where all
 * of them can be told apart in an int64_t. */
static inline int64_t refrain_align_later(int64_t time_ns, int64_t by_ns) {
    const int64_t most_ns = 4000000000000000000; /* four times what an event's own may be (trace_read.h) */
    int64_t sum_ns = time_ns + by_ns;
    return sum_ns < most_ns ? sum_ns : most_ns;
}

struct refrain_align {
    struct refrain_align_location *locations;
    size_t n;
    struct refrain_ready_queue ready; /* locations whose group waits for nothing */
    uint32_t *running;                /* by rank: locations that have not ended */
    int64_t *ended_ns;                /* by rank: when the last one that has, did */
    uint32_t *teller;                 /* by rank: which location does what concerns others, counted from 1; null: by
                                         time it makes no difference */
    size_t n_ranks;
    struct refrain_channels channels;
    struct refrain_store unsure; /* as channels; source and tag may be any (-1): which message of these a receive took
                                    is not known */
    struct refrain_store waiters, collectives, ordinals; /* align_collectives.c */
    struct refrain_align_location *emitting;             /* whose group is being given, null: none */
    size_t given;                                        /* events of it */
    int64_t now_ns;                                      /* of the last event of all */
    bool adjust, without_probes, no_memory;
    bool plain;                  /* events can be given by align_next.h: no virtual time, nothing has failed */
    bool stopped;                /* the order of locations matters: turns->wrong */
    bool collectives_untold;     /* some passed in a pause */
    uint64_t turn;               /* events that a location may go on for although others are earlier; 0: by time */
    uint64_t turn_end;           /* by report.events */
    int64_t ending_ns;           /* by turns: when the rank ended that somebody waited for */
    struct refrain_turns *turns; /* null: by time */
    struct refrain_cursor_report report;
};

/* ---- kinds of events ---- */

/* Does the event happen when an MPI call of its location completes operations? All of those have one time. */
static inline bool refrain_event_completes(const struct refrain_event *event) {
    const unsigned kinds = 1u << REFRAIN_EVENT_RECV | 1u << REFRAIN_EVENT_SEND_COMPLETE |
                           1u << REFRAIN_EVENT_COLLECTIVE_COMPLETE | 1u << REFRAIN_EVENT_CANCEL |
                           1u << REFRAIN_EVENT_ACCESS_COMPLETE;
    return kinds >> event->kind & 1;
}

static inline bool refrain_event_leaves_mpi(const struct refrain_event *event) {
    return event->kind == REFRAIN_EVENT_LEAVE && event->region->kind == REFRAIN_REGION_MPI;
}

/* Does it matter to other locations when and whether it happens? */
static inline bool refrain_event_matters(const struct refrain_event *event) {
    const unsigned kinds = 1u << REFRAIN_EVENT_SEND | 1u << REFRAIN_EVENT_COLLECTIVE | 1u << REFRAIN_EVENT_RECV |
                           1u << REFRAIN_EVENT_UNTOLD_SENDS | 1u << REFRAIN_EVENT_UNTOLD_RECEIVES |
                           1u << REFRAIN_EVENT_UNTOLD_COLLECTIVES;
    return kinds >> event->kind & 1;
}

/* ---- align_wait.c ---- */

/* The last event of the location's group, which is that of the leaving where there are several. */
static inline const struct refrain_event *refrain_align_last(const struct refrain_align_location *location) {
    return &location->group[location->n_group - 1];
}

/* The location's group may not be before what it waits for, at `cause`. */
void refrain_align_hold(struct refrain_align *align, struct refrain_align_location *location,
                        const struct refrain_moment *cause);

/* A cause that the location waited for has come, or (null) will never come. With the last one its group is ready. */
void refrain_align_satisfy(struct refrain_align *align, uint32_t location, const struct refrain_moment *cause);

/* The location's group waits for nothing (more). */
void refrain_align_ready(struct refrain_align *align, uint32_t location);

/* When the group of the location that is given now is. */
struct refrain_moment refrain_align_moment(const struct refrain_align *align, uint32_t location);

/* Has the rank no more events, or none here at all? */
bool refrain_align_gone(const struct refrain_align *align, int32_t rank);

/* Where locations go by turns: what goes with what depends on the order in which they go. */
void refrain_align_order_matters(struct refrain_align *align, const char *why);

/* ---- align_messages.c ---- */

/* The event of the location's group that is given now: a message leaves, or messages do so or arrive in a pause. */
void refrain_align_send(struct refrain_align *align, uint32_t location, struct refrain_event *event);
void refrain_align_untold_sends(struct refrain_align *align, const struct refrain_event *event);
void refrain_align_untold_receives(struct refrain_align *align, const struct refrain_event *event);

/* A receive, event `event` of the location's group: it has a message in flight, or its group waits for one. */
void refrain_align_receive(struct refrain_align *align, uint32_t location, uint32_t event);

/* A receive is given now: it is approximate where one before it, of which nothing is known, may have its message. */
void refrain_align_doubt(struct refrain_align *align, struct refrain_event *receive);

/* The location's group does not wait for messages any more. */
void refrain_align_pass_messages(struct refrain_align *align, uint32_t location);

/* The rank has no more events: nobody waits for messages of it, and none to it are kept. */
void refrain_align_messages_ended(struct refrain_align *align, int32_t rank);

/* Messages that have been sent and are not received yet. */
uint64_t refrain_align_messages_in_flight(const struct refrain_align *align);

/* ---- align_collectives.c ---- */

void refrain_align_collectives_open(struct refrain_align *align);
void refrain_align_collectives_close(struct refrain_align *align);

/* The event of the location's group that is given now: it enters a collective, or the rank did in a pause. */
void refrain_align_enter(struct refrain_align *align, uint32_t location, struct refrain_event *event);
void refrain_align_untold_collectives(struct refrain_align *align, const struct refrain_event *event);

/* The location's group leaves the collective that it is in: it may have to wait for others. */
void refrain_align_leave(struct refrain_align *align, uint32_t location);

/* The location has left it. */
void refrain_align_left(struct refrain_align *align, struct refrain_align_location *location);

/* The location's group does not wait for others in its collective any more. */
void refrain_align_pass_collective(struct refrain_align *align, uint32_t location);

/* A rank has no more events: nobody waits for it in collectives. */
void refrain_align_collectives_ended(struct refrain_align *align);

#endif
