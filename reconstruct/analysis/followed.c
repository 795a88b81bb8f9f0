/* followed.c: waits, settled events and pictures as the state of a follower (followed.h). */
#include "analysis/followed.h"
#include "common/arena.h"

static void close_followed(void *state) {
    struct refrain_followed *followed = state;
    for (struct refrain_picture *picture = followed->pictures, *next; picture; picture = next) {
        next = picture->next;
        refrain_picture_close(picture);
    }
    refrain_settled_close(followed->settled);
    refrain_waiting_close(followed->waiting);
    refrain_free(followed);
}

/* A state with the first of its parts, the first two, or all. Null without memory. */
static void *open_parts(const struct refrain_trace *trace, int parts) {
    struct refrain_followed *followed = refrain_calloc(1, sizeof *followed);
    if (!followed)
        return NULL;
    bool sound = (followed->waiting = refrain_waiting_open(trace)) != NULL;
    if (sound && parts > 1)
        sound = (followed->settled = refrain_settled_open(followed->waiting)) != NULL;
    if (sound && parts > 2)
        sound = refrain_followed_add_picture(followed, trace) != NULL;
    if (sound)
        return followed;
    close_followed(followed);
    return NULL;
}

static void *open_waiting(const struct refrain_trace *trace) {
    return open_parts(trace, 1);
}

static void *open_settled(const struct refrain_trace *trace) {
    return open_parts(trace, 2);
}

static void *open_pictures(const struct refrain_trace *trace) {
    return open_parts(trace, 3);
}

/* Nobody would take the settled events of a saved state, so they would hold all calls. */
static void close_settled(void *state) {
    struct refrain_followed *followed = state;
    refrain_settled_close(followed->settled);
    followed->settled = NULL;
}

static bool follow_waiting(void *state, struct refrain_event *event) {
    return refrain_waiting_event(((struct refrain_followed *)state)->waiting, event);
}

static bool follow_settled(void *state, struct refrain_event *event) {
    struct refrain_followed *followed = state;
    return refrain_waiting_event(followed->waiting, event) && refrain_settled_put(followed->settled, event);
}

/* Gives the pictures the events whose waits are known. False without memory. */
static bool draw(struct refrain_followed *followed) {
    bool sound = true;
    for (const struct refrain_event *event; (event = refrain_settled_get(followed->settled));)
        for (struct refrain_picture *picture = followed->pictures; picture; picture = picture->next) {
            refrain_picture_event(picture, event);
            sound &= !picture->no_memory;
        }
    return sound;
}

static bool follow_pictures(void *state, struct refrain_event *event) {
    return follow_settled(state, event) && draw(state);
}

const struct refrain_follower refrain_waiting_follower = {open_waiting, follow_waiting, close_followed, close_settled};
const struct refrain_follower refrain_settled_follower = {open_settled, follow_settled, close_followed, NULL};
const struct refrain_follower refrain_picture_follower = {open_pictures, follow_pictures, close_followed, NULL};

struct refrain_picture *refrain_followed_add_picture(struct refrain_followed *followed,
                                                     const struct refrain_trace *trace) {
    struct refrain_picture *picture = refrain_picture_open(trace);
    struct refrain_picture **last = &followed->pictures;
    while (*last)
        last = &(*last)->next;
    return *last = picture;
}

void refrain_followed_end(struct refrain_followed *followed) {
    refrain_settled_end(followed->settled);
    draw(followed);
}
