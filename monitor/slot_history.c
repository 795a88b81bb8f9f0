/* slot_history.c: durations of a slot's blocks over its visits, in a fixed number of buckets (refrain/trace.h). */
#define _GNU_SOURCE
#include "step.h"

#include <string.h>

struct refrain_history *refrain_history_make_room(struct refrain_slot *slot) {
    if (!slot->history) {
        if (slot->count > 0)
            return NULL; /* there was no room at the first visit: a history with a gap would mislead */
        size_t metrics_bytes = refrain_trace_file.header->n_metrics * sizeof(uint64_t);
        struct refrain_history *made = refrain_pool_take(sizeof *made + metrics_bytes, REFRAIN_POOL_VALUES);
        if (made)
            slot->history = refrain_reference(made);
        return made;
    }
    struct refrain_history *history = refrain_at_reference(slot->history);
    while (slot->count >> history->shift >= REFRAIN_HISTORY_STRETCHES) {
        for (unsigned i = 0; i < REFRAIN_HISTORY_STRETCHES / 2; i++)
            history->ticks[i] = history->ticks[2 * i] + history->ticks[2 * i + 1];
        memset(&history->ticks[REFRAIN_HISTORY_STRETCHES / 2], 0, sizeof history->ticks / 2);
        history->shift++;
    }
    return history;
}
