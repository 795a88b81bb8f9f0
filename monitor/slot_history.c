/* slot_history.c: durations of a slot's blocks over its visits, in a fixed number of stretches (refrain/trace.h). */
#define _GNU_SOURCE
#include "arch/arch.h"
#include "block.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

/* Neighbours are added up. What is changed is never what a reader of this moment looks at. */
static void merge(struct refrain_history *history) {
    history->first = history->ticks[0] + history->ticks[1];
    refrain_commit();
    history->merged = 1;
    for (uint32_t i = 1; i < REFRAIN_HISTORY_STRETCHES / 2; i++) {
        refrain_commit();
        history->ticks[i] = history->ticks[2 * i] + history->ticks[2 * i + 1];
        refrain_commit();
        history->merged = i + 1;
    }
    refrain_commit();
    history->ticks[0] = history->first;
    memset(&history->ticks[REFRAIN_HISTORY_STRETCHES / 2], 0, sizeof history->ticks / 2);
    refrain_commit();
    history->shift_and_merged = (struct refrain_history){.shift = history->shift + 1}.shift_and_merged;
    refrain_commit();
}

struct refrain_history *refrain_history_make_room(struct refrain_slot *slot) {
    if (!slot->history) {
        if (slot->count > 0)
            return NULL; /* there was no room at the first visit: a history with a gap would mislead */
        size_t metrics_bytes = refrain_trace_file.header->n_metrics * sizeof(uint64_t);
        struct refrain_history *made = refrain_pool_take(sizeof *made + metrics_bytes, REFRAIN_POOL_VALUES);
        if (made)
            refrain_publish(&slot->history, refrain_reference(made));
        return made;
    }
    struct refrain_history *history = refrain_at_reference(slot->history);
    while (slot->count >> history->shift >= REFRAIN_HISTORY_STRETCHES)
        merge(history);
    return history;
}
