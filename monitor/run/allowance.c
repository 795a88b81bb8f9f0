/* allowance.c: which probes are throttled, and when they are enabled again (allowance.h). */
#define _GNU_SOURCE
#include "run/allowance.h"
#include "arch/arch.h"
#include "arch/registers.h"
#include "context.h"
#include "run/configure.h"
#include "run/loaded_units.h"
#include "run/pool.h"
#include "stacks.h"
#include <refrain/settings.h>
#include <refrain/trace.h>

#define COST_SHIFT 4            /* fraction bits of the mean cost */
#define LONGEST_PROBE_COSTS 16u /* a sample longer than this many means was interrupted */

uint64_t *refrain_spent_ticks;

static uint64_t ticks_per_us_of_clock = 1000;

static int64_t ticks_of_ns(uint64_t ns) {
    return (int64_t)(ns * ticks_per_us_of_clock / 1000);
}

void refrain_allowance_begin(struct refrain_allowance *allowance, uint64_t ticks_per_us, bool limited) {
    ticks_per_us_of_clock = ticks_per_us;
    allowance->probes = REFRAIN_ALLOWANCE_PROBES;
    allowance->cost_ticks = (uint32_t)ticks_of_ns(20) << COST_SHIFT;
    allowance->most_ticks = limited ? ticks_of_ns(REFRAIN_ALLOWANCE_NS) : 0;
    allowance->left_ticks = allowance->most_ticks;
    allowance->sampled_ticks = refrain_clock();
    allowance->sleep_ticks = (uint64_t)ticks_of_ns(REFRAIN_SLEEP_NS);
}

/* Arguments of rest() and wake(), which run with the vector registers saved, and their result. */
struct change {
    uint32_t number;
    bool done;
};

static void rest(void *what) {
    struct change *change = what;
    change->done = refrain_units_rest(change->number);
}

static void wake(void *what) {
    struct change *change = what;
    change->done = refrain_units_wake();
}

static void wake_if_time(struct refrain_context *context, uint64_t now) {
    struct refrain_allowance *allowance = &context->allowance;
    if (refrain_trace_file.header->n_throttled == 0 || allowance->most_ticks == 0 || allowance->wake_ticks == 0 ||
        now < allowance->wake_ticks || allowance->left_ticks < allowance->most_ticks)
        return;
    struct change change = {0};
    refrain_keep_vectors(wake, &change);
    if (change.done) {
        allowance->sleep_ticks *= 2;
        allowance->wake_ticks = 0;
    }
}

/* Credits the thread for the time since the last sample and charges `spent`. Returns the credit. */
static int64_t settle(struct refrain_allowance *allowance, uint64_t now, int64_t spent) {
    int64_t earned = (int64_t)((now - allowance->sampled_ticks) * REFRAIN_ALLOWANCE_PERCENT / 100);
    allowance->sampled_ticks = now;
    allowance->left_ticks += earned - spent;
    if (allowance->left_ticks > allowance->most_ticks)
        allowance->left_ticks = allowance->most_ticks;
    return earned;
}

void refrain_allowance_sample(struct refrain_context *context, const struct refrain_slot *slot, uint64_t begin_ticks) {
    struct refrain_allowance *allowance = &context->allowance;
    refrain_allowance_count(context);
    if (allowance->most_ticks == 0 && !refrain_spent_ticks)
        return;
    refrain_arch_wait(); /* so that the probe's last instructions are part of the measured time */
    uint64_t now = refrain_clock();
    uint64_t cost = (now - begin_ticks + (uint64_t)ticks_of_ns(REFRAIN_ENTRY_NS)) << COST_SHIFT;
    uint64_t longest = (uint64_t)allowance->cost_ticks * LONGEST_PROBE_COSTS;
    cost = cost > longest ? longest : cost;
    allowance->cost_ticks = (uint32_t)(allowance->cost_ticks + ((int64_t)cost - (int64_t)allowance->cost_ticks) / 8);
    int64_t spent = (int64_t)allowance->cost_ticks * REFRAIN_ALLOWANCE_PROBES >> COST_SHIFT;
    if (refrain_spent_ticks && context->number == 0)
        __atomic_store_n(refrain_spent_ticks, *refrain_spent_ticks + (uint64_t)spent, __ATOMIC_RELEASE);
    int64_t earned = settle(allowance, now, spent);
    if (allowance->most_ticks == 0 || allowance->left_ticks >= 0 || spent <= earned) {
        wake_if_time(context, now);
        return;
    }
    /* This function is left again and again by activations whose entry is not recorded, since its entry is throttled.
     * End its open activations, so that the probe at its end can be throttled, too. */
    if (REFRAIN_SLOT_KIND(slot->flags) == REFRAIN_ARRIVAL_LEAVE && slot[-1].flags & REFRAIN_SLOT_THROTTLED_NOW)
        refrain_give_up(context, slot[-1].number);
    struct change change = {.number = slot->number};
    refrain_keep_vectors(rest, &change);
    if (allowance->wake_ticks == 0)
        allowance->wake_ticks = now + allowance->sleep_ticks;
}

bool refrain_allowance_untraced(struct refrain_context *context, const struct refrain_slot *slot) {
    struct refrain_allowance *allowance = &context->allowance;
    uint64_t now = refrain_clock();
    if (allowance->sampled_ticks == 0)
        refrain_allowance_begin(allowance, ticks_per_us_of_clock, refrain_configuration.throttle);
    allowance->probes = REFRAIN_ALLOWANCE_PROBES;
    int64_t spent = ticks_of_ns(REFRAIN_UNTRACED_NS) * REFRAIN_ALLOWANCE_PROBES;
    int64_t earned = settle(allowance, now, spent);
    if (allowance->most_ticks == 0 || allowance->left_ticks >= 0 || spent <= earned)
        return true;
    if (slot->flags & REFRAIN_SLOT_OFF)
        return false;
    struct change change = {.number = slot->number};
    refrain_keep_vectors(rest, &change);
    return true;
}

void refrain_allowance_look(struct refrain_context *context) {
    uint64_t now = refrain_clock();
    if (context->allowance.most_ticks == 0)
        return;
    settle(&context->allowance, now, 0);
    wake_if_time(context, now);
}
