/* followed.h: what analyses know of a run at one of its events, so that a window of the run need not be replayed from
 * the run's start (events of a cursor -> waits, pictures).
 *
 *     cursor --> waiting ----> the same events with their waits           stats, reconstruct
 *                   '--> settled --> events whose waits are all known     comparison of two runs
 *                            '--> pictures                                page, figures, saved states
 *
 * All three are in one state, which follows a cursor (match/follower.h). A saved state of a trace
 * (match/saved_states.h) has all of them. So each follower below can continue from a state that the last one made. */
#ifndef REFRAIN_FOLLOWED_H
#define REFRAIN_FOLLOWED_H

#include "analysis/picture.h"
#include "analysis/waiting.h"
#include "analysis/waiting_settled.h"
#include "match/follower.h"

struct refrain_followed {
    struct refrain_waiting *waiting;
    struct refrain_settled *settled;  /* null: not followed */
    struct refrain_picture *pictures; /* the first one, which has no window yet; null: not followed */
};

/* The first, the first two, and all parts. The state is a struct refrain_followed. */
extern const struct refrain_follower refrain_waiting_follower, refrain_settled_follower, refrain_picture_follower;

/* Adds a picture to those of a state that has followed no event. It is closed with the state. Null without memory. */
struct refrain_picture *refrain_followed_add_picture(struct refrain_followed *followed,
                                                     const struct refrain_trace *trace);

/* The run has no further events: what is held goes to the pictures. */
void refrain_followed_end(struct refrain_followed *followed);

#endif
