/* site_run.c: the slow path of sites (site_run.S).
 *
 *     site --> refrain_site --> predicted: learned there
 *                          \--> anything else: here, and in probe.c
 */
#define _GNU_SOURCE
#include "arch/x86_64/site_run.h"
#include "arch/registers.h"
#include "begin.h"
#include "context.h"
#include "learn.h"
#include "pause.h"
#include "probe.h"
#include "run/allowance.h"
#include "run/contexts.h"
#include "run/loaded_units.h"
#include "run/pool.h"
#include "sites/site_table.h"
#include "stacks.h"
#include "visibility.h"
#include <refrain/settings.h>
#include <refrain/trace.h>

#define IS_AT(offset, type, member) _Static_assert(offset == offsetof(struct type, member), #type "." #member)
IS_AT(CONTEXT_TOP, refrain_context, top);
IS_AT(CONTEXT_TRACE_FILE, refrain_context, trace_file);
IS_AT(CONTEXT_NUMBER, refrain_context, number);
IS_AT(CONTEXT_BUSY, refrain_context, busy);
IS_AT(CONTEXT_SITE_TABLE, refrain_context, site_table);
IS_AT(CONTEXT_PROBES, refrain_context, allowance.probes);
IS_AT(CONTEXT_ABANDONED, refrain_context, n_abandoned);
IS_AT(TABLE_BASE, refrain_site_table, base);
IS_AT(TABLE_SPAN, refrain_site_table, span);
IS_AT(TABLE_PLACES, refrain_site_table, places);
IS_AT(TABLE_MASK, refrain_site_table, mask);
IS_AT(0, refrain_site_place, offset);
IS_AT(PLACE_SLOT, refrain_site_place, slot);
IS_AT(PLACE_THREAD_BYTES, refrain_site_place, thread_bytes);
IS_AT(PLACE_FUNCTION, refrain_site_place, function);
IS_AT(ENTRY_LAST, refrain_entry, last);
IS_AT(ENTRY_ADDRESS, refrain_entry, address);
IS_AT(ENTRY_ID, refrain_entry, id);
IS_AT(ENTRY_KIND, refrain_entry, kind);
IS_AT(ENTRY_FRAME, refrain_entry, frame);
IS_AT(0, refrain_slot, next);
IS_AT(LEARNER_EXPECT, refrain_learner, expect);
IS_AT(LEARNER_STRIDE, refrain_learner, stride);
IS_AT(LEARNER_UNTIL, refrain_learner, until);
IS_AT(LEARNER_CONFIRMED, refrain_learner, confirmed);
IS_AT(LEARNER_LOOP_SLOTS, refrain_learner, loop_slots);
IS_AT(SLOT_COUNT, refrain_slot, count);
IS_AT(SLOT_NUMBER, refrain_slot, number);
IS_AT(SLOT_FLAGS, refrain_slot, flags);
_Static_assert(SLOT_BYTES == sizeof(struct refrain_slot), "a slot");
_Static_assert(1 << PLACE_BYTES_SHIFT == sizeof(struct refrain_site_place), "a place");
_Static_assert(ENTRY_BYTES == sizeof(struct refrain_entry), "an entry");
_Static_assert(ENTRY_KIND_FUNCTION == REFRAIN_ENTRY_FUNCTION && SLOT_OFF == REFRAIN_SLOT_OFF, "numbers");
_Static_assert(ARRIVAL_ENTER == REFRAIN_ARRIVAL_ENTER && ARRIVAL_LEAVE == REFRAIN_ARRIVAL_LEAVE &&
                   REFRAIN_SLOT_KIND(~0u) == ARRIVAL_MASK,
               "arrivals");
_Static_assert(ARRIVAL_OFTEN == REFRAIN_ARRIVAL_OFTEN && ARRIVAL_LOOP == REFRAIN_ARRIVAL_LOOP &&
                   ARRIVAL_BACK == REFRAIN_ARRIVAL_BACK && REFRAIN_SLOT_FLAGS(1, 0) == 1 << 8,
               "the second byte of the flags is the arrival");
_Static_assert(SITE_HASH_FACTOR == REFRAIN_SITE_HASH_FACTOR, "the hash");

/* The registers on the stack, as site_run.S has saved them. */
struct refrain_site_call {
    uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax;
    uintptr_t address; /* the return address of the site */
    char place[];
};

static void make_tables(void *unused) {
    (void)unused;
    refrain_units_make_site_tables();
}

static void settle(void *unused) {
    (void)unused;
    refrain_units_settle();
}

/* The second argument for refrain_probe_run: the frame of the probe's function, or the number of iterations. */
static uint64_t extra(const struct refrain_site_call *call, const struct refrain_slot *slot) {
    return REFRAIN_SLOT_KIND(slot->flags) == REFRAIN_ARRIVAL_COUNT ? call->rax : call->r11;
}

/* Finds the place of a site, and gives its table to the fast path. If the thread does not learn, the fast path gets no
 * table, since it learns whatever it finds in one. */
static const struct refrain_site_place *find(struct refrain_context *context, uintptr_t address) {
    const struct refrain_site_table *table;
    const struct refrain_site_place *place = refrain_site_find(address, &table);
    if (__builtin_expect(!place, 0) && refrain_units_have_new_sites()) {
        refrain_keep_vectors(make_tables, NULL);
        place = refrain_site_find(address, &table);
    }
    if (place && place->slot && context->learning)
        context->site_table = table;
    return place;
}

/* Runs the probe of any site. The thread has begun the probe, and the allowance has counted it. */
static inline __attribute__((always_inline)) void run(struct refrain_context *context,
                                                      const struct refrain_site_call *call) {
    const struct refrain_site_place *place = find(context, call->address);
    struct refrain_slot *slot =
        place && place->slot ? refrain_site_slot(place, context->trace_file, context->number) : NULL;
    bool off = !slot || slot->flags & REFRAIN_SLOT_OFF;
    if (__builtin_expect(context->allowance.probes == 0, 0)) {
        if (off) {
            refrain_allowance_count(context);
            refrain_keep_vectors(settle, NULL);
        } else {
            refrain_probe_sample(context, slot, (uintptr_t)call->place, extra(call, slot));
        }
    } else if (!off) {
        refrain_probe_run(context, slot, (uintptr_t)call->place, extra(call, slot));
        return;
    }
    refrain_end(context);
}

/* ---- called by site_run.S ---- */

REFRAIN_HIDDEN void refrain_site_run(const struct refrain_site_call *call);
void refrain_site_run(const struct refrain_site_call *call) {
    run(refrain_thread_context, call);
}

/* If the thread is paused, a function that it leaves may have been entered before the pause. Its activation ends. */
static void leave_paused(const struct refrain_site_call *call) {
    struct refrain_context *context = refrain_thread_context;
    if (!context || context->busy != REFRAIN_PAUSED)
        return;
    const struct refrain_site_table *table;
    const struct refrain_site_place *place = refrain_site_find(call->address, &table);
    const struct refrain_slot *slot =
        place && place->slot ? refrain_site_slot(place, context->trace_file, context->number) : NULL;
    if (slot && REFRAIN_SLOT_KIND(slot->flags) == REFRAIN_ARRIVAL_LEAVE)
        refrain_pause_leave(extra(call, slot));
}

/* If the thread is not traced, measures from time to time what its probes cost. */
static void pass_untraced(const struct refrain_site_call *call) {
    struct refrain_context *context = refrain_context_untraced();
    if (!context || !refrain_trace_file.base || (int32_t)--context->allowance.probes > 0)
        return;
    const struct refrain_site_place *place = find(context, call->address);
    if (place && place->slot &&
        !refrain_allowance_untraced(context, refrain_site_slot(place, refrain_trace_file.base, 0)))
        refrain_keep_vectors(settle, NULL);
}

/* Slow path if the thread has no context yet, is inside a probe already, is paused, or is not traced. */
REFRAIN_HIDDEN void refrain_site_begin(const struct refrain_site_call *call);
void refrain_site_begin(const struct refrain_site_call *call) {
    struct refrain_context *context = refrain_begin();
    if (!context) {
        leave_paused(call);
        pass_untraced(call);
        return;
    }
    (void)refrain_allowance_takes(context);
    run(context, call);
}

/* The fast path has learned a step to a branch of a decision or loop, but did not predict the value that belongs to it.
 * Learns this value: which branch the decision took, or the number of iterations of the loop. */
REFRAIN_HIDDEN void refrain_site_value(const struct refrain_site_call *call);
void refrain_site_value(const struct refrain_site_call *call) {
    (void)call;
    struct refrain_context *context = refrain_thread_context;
    struct refrain_slot *slot = context->top->last;
    unsigned arrival = REFRAIN_SLOT_KIND(slot->flags);
    struct refrain_slot *first = slot - (arrival & REFRAIN_ARRIVAL_BACK);
    if (arrival == REFRAIN_ARRIVAL_DONE) {
        refrain_learn_other(context, &first->next, (int64_t)first->count, REFRAIN_KIND_LOOP);
        first->count = 0;
    } else {
        refrain_learn_other(context, &first->next, arrival == REFRAIN_ARRIVAL_TRUE, REFRAIN_KIND_CONTROL);
    }
    refrain_end(context);
}
