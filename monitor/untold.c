/* untold.c: messages and collectives that pass unseen, counted (untold.h). */
#define _GNU_SOURCE
#include "untold.h"
#include "step.h"
#include "user.h"

#include <string.h>

#define MOST 64u /* counted at a time; where there are more these are told first */

struct count {
    int64_t peer, tag, n;
    int32_t comm;
    uint32_t what;
};

/* Of all threads: partners know the process only. */
static struct {
    struct count counts[MOST];
    uint32_t n, latest;
    uint32_t locked;
} untold;

static void lock(void) {
    while (__atomic_exchange_n(&untold.locked, 1, __ATOMIC_ACQUIRE))
        ;
}

static void unlock(void) {
    __atomic_store_n(&untold.locked, 0, __ATOMIC_RELEASE);
}

struct refrain_region_name *refrain_untold_record(struct refrain_context *context) {
    return refrain_user_record(context, "untold", REFRAIN_USE_UNTOLD);
}

void refrain_untold_tell(struct refrain_context *context) {
    struct count counts[MOST];
    if (__atomic_load_n(&untold.n, __ATOMIC_RELAXED) == 0)
        return;
    lock();
    uint32_t n = untold.n;
    memcpy(counts, untold.counts, n * sizeof *counts);
    untold.n = untold.latest = 0;
    unlock();
    struct refrain_region_name *record = n ? refrain_untold_record(context) : NULL;
    for (uint32_t i = 0; record && i < n; i++) {
        const int64_t values[REFRAIN_UNTOLD_VALUES] = {counts[i].what, counts[i].peer, counts[i].tag, counts[i].comm,
                                                       counts[i].n};
        for (unsigned k = 0; k < REFRAIN_UNTOLD_VALUES; k++)
            refrain_user_tell(context, record, values[k], false);
    }
}

/* Is it counted already? Partners mostly come in turns: the one after the latest is looked at first. */
static struct count *find(const struct count *wanted) {
    for (uint32_t i = 0; i < untold.n; i++) {
        uint32_t at = (untold.latest + 1 + i) % untold.n;
        struct count *count = &untold.counts[at];
        if (count->peer == wanted->peer && count->tag == wanted->tag && count->comm == wanted->comm &&
            count->what == wanted->what) {
            untold.latest = at;
            return count;
        }
    }
    return NULL;
}

/* False where there is no room. */
static bool add(const struct count *wanted) {
    lock();
    struct count *count = find(wanted);
    if (!count && untold.n < MOST) {
        untold.latest = untold.n++;
        count = &untold.counts[untold.latest];
        *count = *wanted;
    }
    if (count)
        count->n++;
    unlock();
    return count != NULL;
}

void refrain_call_count_untold(const struct refrain_call *call, enum refrain_untold what, int64_t peer, int64_t tag,
                               int64_t comm) {
    struct refrain_context *context = call->context;
    const struct count wanted = {peer, tag, 0, (int32_t)comm, what};
    while (!add(&wanted)) {
        uint32_t busy = context->busy;
        if (busy & 1)
            return; /* a signal handler's call, in a probe */
        context->busy = 1;
        refrain_untold_tell(context);
        context->busy = busy;
    }
}
