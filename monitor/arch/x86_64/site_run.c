/* site_run.c: what a site in code comes to where it is not as nearly always (site_run.S).
 *
 *     site --> refrain_site --> as nearly always: done there
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
#include "run/loaded_units.h"
#include "run/pool.h"
#include "run/tracing.h"
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

/* What is on the stack. */
struct refrain_site_call {
    uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax;
    uintptr_t address; /* that the site returns to */
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

/* What the probe with this slot is told besides where it is: the frame of its function, or a count. */
static uint64_t extra(const struct refrain_site_call *call, const struct refrain_slot *slot) {
    return REFRAIN_SLOT_KIND(slot->flags) == REFRAIN_ARRIVAL_COUNT ? call->rax : call->r11;
}

/* The table is kept for the entry, but where it is to find nothing: what it does, it learns. */
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

/* Any site, any probe; the thread is inside it, and the allowance has been told. */
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

/* ---- what the entry calls ---- */

REFRAIN_HIDDEN void refrain_site_run(const struct refrain_site_call *call);
void refrain_site_run(const struct refrain_site_call *call) {
    run(refrain_thread_context, call);
}

/* The thread is paused, perhaps: what was open before is left all the same. */
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

/* The thread is not traced, perhaps: what its probes cost is looked at now and then. */
static void pass_untraced(const struct refrain_site_call *call) {
    struct refrain_context *context = refrain_context_untraced();
    if (!context || !refrain_trace_file.base || (int32_t)--context->allowance.probes > 0)
        return;
    const struct refrain_site_place *place = find(context, call->address);
    if (place && place->slot &&
        !refrain_allowance_untraced(context, refrain_site_slot(place, refrain_trace_file.base, 0)))
        refrain_keep_vectors(settle, NULL);
}

/* The thread has no context yet, is inside a probe already, is paused, or not traced. */
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

/* The activation has gone on to a way of a decision or loop, which has not been told of yet. */
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
