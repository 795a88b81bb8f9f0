/* team.h: one run aligned by several processes, each of which reads some of its ranks (align.h <-> parallel/).
 *
 *     process 0: ranks 0 .. 7    read, told to others as notices  ---.
 *                ranks 8 .. 15   notices of others   <---------------+---   process 1: ranks 8 .. 15, the same way
 * round
 *
 * Every process finds out for all ranks which event waits for which, in the order in which a single process would. So
 * no process has to ask another one for a time. All that it needs of the others' ranks is their *notices*: what they
 * send, receive and enter, and how much time went by between. Each process sends its notices long before the others
 * need them, so that processes wait only for one that falls far behind.
 *
 * A trace of which it is not certain what goes with what (approximate receives, ranks that wait for each other) cannot
 * be shared out: `wrong` then says why, and what was written up to there is void.
 *
 * A process that reads all ranks itself may be a team, too: then it does not go by time. Each location goes on for a
 * *turn*, as far as it need not wait. As which event waits for which does not depend on that, all of them have the same
 * times; where it does, `wrong` says so. */
#ifndef REFRAIN_TEAM_H
#define REFRAIN_TEAM_H

#include <refrain/read.h>

enum refrain_notice_kind {
    REFRAIN_NOTICE_EVENT,  /* one event, behind some that concern nobody else ... */
    REFRAIN_NOTICE_GROUP,  /* ... that is given at one time with that of the next notice */
    REFRAIN_NOTICE_PASSED, /* only some that concern nobody else */
    REFRAIN_NOTICE_END,    /* the location has no more */
};

/* What a location does next, as far as it concerns others: 64 bytes, as many are sent. */
struct refrain_notice {
    uint8_t kind;  /* enum refrain_notice_kind */
    uint8_t event; /* enum refrain_event_kind; with NOTICE_EVENT and NOTICE_GROUP, as all up to `tag` */
    bool approximate, requested, received, unsure;
    bool passed; /* some events passed that concern nobody else: with NOTICE_EVENT and NOTICE_GROUP before it, with
                    NOTICE_PASSED instead of it */
    int32_t peer;
    uint32_t region, comm; /* by index, UINT32_MAX none */
    uint32_t overtook;
    int64_t time_ns; /* as it was read; of a group the last event's */
    int64_t tag;
    union {
        int64_t passed_ns; /* of those that passed, the last one's time as it was read: it is ... */
        int64_t probes_ns; /* where none did */
    };
    union {
        int64_t later_ns; /* ... so much after what was before ... */
        int64_t value;    /* where none did */
    };
    int64_t earliest_ns; /* ... and not before this */
};

/* A process among those that align one run together. */
struct refrain_team {
    const struct refrain_trace *trace;
    bool by_turns; /* there is no other process: none of the functions is called */
    /* Where the next notice of an own location is put, before `room_end`; one is there always. */
    struct refrain_notice *room, *room_end;
    /* By location: notices of others' that have come. */
    struct refrain_notices {
        const struct refrain_notice *next, *end;
    } * come;
    /* Is the rank one of this process's? Constant. */
    bool (*owns)(const struct refrain_team *team, int32_t rank);
    /* All others are told the notices that have been put into the room, which are all of one location. */
    void (*leave)(struct refrain_team *team, uint32_t location);
    /* Waits for notices of another's location of which none is left in `come`: the next one. Null: a process has
     * stopped, and none will come. */
    const struct refrain_notice *(*wait)(struct refrain_team *team, uint32_t location);
    const char *wrong; /* why the run could not be gone through together; null: nothing was found yet */
};

/* Puts an own location's next notice into the room. */
static inline void refrain_team_tell(struct refrain_team *team, uint32_t location,
                                     const struct refrain_notice *notice) {
    *team->room++ = *notice;
    if (team->room == team->room_end)
        team->leave(team, location);
}

/* The next notice of another's location, which is waited for; valid until the next call for it. Null: none will come.
 */
static inline const struct refrain_notice *refrain_team_next(struct refrain_team *team, uint32_t location) {
    struct refrain_notices *come = &team->come[location];
    return come->next < come->end ? come->next++ : team->wait(team, location);
}

#endif
