/* team_stream.h: a location's events read ahead, and others told of them (a location's stream -> the same events for
 * align.c, their notices for team.h).
 *
 *     events   enter f  enter g  leave g  leave f  enter Recv | recv  leave Recv | enter h ...
 *     notices  '-------------- passed -------------------'    '----- group ----'  '--- ...
 *
 * Of a run of events that concern nobody else, only this is told: what was at time x before is at max(x + later,
 * earliest) behind it. That holds for one event (its time is moved along with those before, or, where an MPI call ends,
 * is its own unless that is over already), and what two such rules make of a time is a rule of that kind again. */
#ifndef REFRAIN_TEAM_STREAM_H
#define REFRAIN_TEAM_STREAM_H

#include "match/posting_order.h"
#include "match/team.h"

struct refrain_team_stream {
    struct refrain_stream stream; /* what is read from it: receives have their `overtook` */
    struct refrain_stream *source;
    struct refrain_posting_order posting_order;
    struct refrain_team *team;
    uint32_t location;
    bool each;        /* nothing passes untold */
    bool has_threads; /* the rank has other locations too */
    bool ended, no_memory;
    /* A ring: [first, first + n) were read and are not used up. */
    struct refrain_event *events;
    size_t first, n, capacity;
    size_t n_given; /* of these: what `stream` has now */
    /* What was read and is not told yet: what passed, and of a group the receive that was read last. */
    struct refrain_notice notice;
    bool in_group, has_receive, began;
    bool passing;                    /* the last event passed, and the next one does too if it concerns nobody else */
    int64_t last_ns, last_probes_ns; /* of the group's last event */
    const struct refrain_region_info *inside; /* the collective that it is in; null: none */
    int64_t before_ns;                        /* of the event before, as it was read */
};

/* Of location `location` of team->trace. Reads up to `capacity` events ahead (more than one, a power of two); `each`:
 * where times do not follow from the rule above. The source and the team stay the caller's. False without memory. */
bool refrain_team_stream_open(struct refrain_team_stream *stream, struct refrain_stream *source,
                              struct refrain_team *team, uint32_t location, size_t capacity, bool each);

/* Reads as far ahead as there is room, and tells it. It happens by itself where less than half of the room is used. */
void refrain_team_stream_fill(struct refrain_team_stream *stream);

void refrain_team_stream_close(struct refrain_team_stream *stream);

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
static inline bool refrain_event_is_told(const struct refrain_event *event) {
    const unsigned told = 1u << REFRAIN_EVENT_SEND | 1u << REFRAIN_EVENT_COLLECTIVE | 1u << REFRAIN_EVENT_RECV |
                          1u << REFRAIN_EVENT_UNTOLD_SENDS | 1u << REFRAIN_EVENT_UNTOLD_RECEIVES |
                          1u << REFRAIN_EVENT_UNTOLD_COLLECTIVES;
    return told >> event->kind & 1;
}

#endif
