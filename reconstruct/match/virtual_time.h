/* virtual_time.h: when a location would have been somewhere if it had had no probes (align_wait.c asks; Li and Zhang,
 * section 5, reckoned afterwards).
 *
 *     computing    as long as it took, less what the probes in it took
 *     MPI call     that waited for nobody: the same
 *                  that waited: it ends as long after the later of its own beginning and its cause, both in virtual
 *                  time, as it did after the later of both in real time. So a wait that probes caused goes, and one
 *                  that they hid comes up.
 */
#ifndef REFRAIN_VIRTUAL_TIME_H
#define REFRAIN_VIRTUAL_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* A moment in both times. */
struct refrain_moment {
    int64_t real_ns, virtual_ns;
};

struct refrain_virtual_time {
    struct refrain_moment last, entered; /* the last event; the beginning of the MPI call that it is in */
    int64_t probes_ns;                   /* what the location's probes had taken by the last event */
    int64_t entered_probes_ns;           /* ... and by that beginning */
    struct refrain_moment cause;         /* the latest of what the event that comes next waits for */
    bool began, has_cause;
};

/* The event that comes next waits for something that happened then. */
static inline void refrain_virtual_cause(struct refrain_virtual_time *time, const struct refrain_moment *cause) {
    if (!time->has_cause || cause->real_ns > time->cause.real_ns)
        time->cause.real_ns = cause->real_ns;
    if (!time->has_cause || cause->virtual_ns > time->cause.virtual_ns)
        time->cause.virtual_ns = cause->virtual_ns;
    time->has_cause = true;
}

static inline int64_t refrain_virtual_later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* When the event that comes next would have been, by the causes known so far: it was at `real_ns`, by when the probes
 * had taken `probes_ns`. May be before the event that came last, as both times are not exact: that is not to be made
 * good here, or what is too much in one block would be too little in none. */
static inline int64_t refrain_virtual_ns(const struct refrain_virtual_time *time, int64_t real_ns, int64_t probes_ns) {
    if (!time->began)
        return real_ns - probes_ns;
    if (!time->has_cause)
        return time->last.virtual_ns + (real_ns - time->last.real_ns) - (probes_ns - time->probes_ns);
    bool waited = time->cause.real_ns > time->entered.real_ns;
    int64_t rest_ns = real_ns - refrain_virtual_later(time->cause.real_ns, time->entered.real_ns);
    if (!waited) /* then its probes took time of it: else they ran while it would have waited */
        rest_ns -= probes_ns - time->entered_probes_ns;
    int64_t from_ns = refrain_virtual_later(time->cause.virtual_ns, time->entered.virtual_ns);
    return from_ns + refrain_virtual_later(rest_ns, 0);
}

/* The event has come; `enters`: an MPI call begins with it. */
static inline void refrain_virtual_pass(struct refrain_virtual_time *time, struct refrain_moment now, int64_t probes_ns,
                                        bool enters) {
    time->last = now;
    time->probes_ns = probes_ns;
    if (enters) {
        time->entered = now;
        time->entered_probes_ns = probes_ns;
    }
    time->began = true;
    time->has_cause = false;
}

#endif
