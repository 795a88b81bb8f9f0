/* virtual_time.h: when an event would have happened without probes (align_wait.c uses it; Li and Zhang, section 5,
 * computed after the run).
 *
 *     computing    takes as long as in the run, less the time in probes
 *     MPI call     that waited for nobody: the same
 *                  that waited: it ends as long after the later one of its beginning and its cause, both in virtual
 *                  time, as it did after the later one of both in real time. So a wait that probes caused disappears,
 *                  and a wait that probes hid appears. */
#ifndef REFRAIN_VIRTUAL_TIME_H
#define REFRAIN_VIRTUAL_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* A moment in real and in virtual time. */
struct refrain_moment {
    int64_t real_ns, virtual_ns;
};

struct refrain_virtual_time {
    struct refrain_moment last, entered; /* `last`: the last event; `entered`: the beginning of the current MPI call */
    int64_t probes_ns;                   /* time in the location's probes up to the last event */
    int64_t entered_probes_ns;           /* time in the location's probes up to `entered` */
    struct refrain_moment cause;         /* the latest cause of the next event */
    bool began, has_cause;
};

/* Adds a cause of the next event. */
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

/* The virtual time of the next event, by the causes known so far. It happened at real_ns, and probes had taken
 * probes_ns until then. The result may be before the last event, since both times are estimates. It is not corrected
 * here: a correction would lengthen this block, and no other block would become shorter. */
static inline int64_t refrain_virtual_ns(const struct refrain_virtual_time *time, int64_t real_ns, int64_t probes_ns) {
    if (!time->began)
        return real_ns - probes_ns;
    if (!time->has_cause)
        return time->last.virtual_ns + (real_ns - time->last.real_ns) - (probes_ns - time->probes_ns);
    bool waited = time->cause.real_ns > time->entered.real_ns;
    int64_t rest_ns = real_ns - refrain_virtual_later(time->cause.real_ns, time->entered.real_ns);
    if (!waited) /* the call's probes delayed its end; if it waited, they ran during the wait */
        rest_ns -= probes_ns - time->entered_probes_ns;
    int64_t from_ns = refrain_virtual_later(time->cause.virtual_ns, time->entered.virtual_ns);
    return from_ns + refrain_virtual_later(rest_ns, 0);
}

/* Advances to the next event. `enters`: an MPI call begins with it. */
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
