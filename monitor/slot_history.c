/* slot_history.c: the durations of a slot's blocks over its visits, in a fixed number of stretches (refrain/trace.h).
 */
#define _GNU_SOURCE
#include "arch/arch.h"
#include "block.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

/* Merges neighbouring stretches. Writes only to memory that no reader uses at that moment. */
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
    history->state =
        (struct refrain_history){
            .shift = (uint16_t)(history->shift + 1),
            .ended = REFRAIN_HISTORY_STRETCHES / 2,
        }
            .state;
    refrain_commit();
}

static void make(struct refrain_slot *slot) {
    size_t metrics_bytes = refrain_trace_file.header->n_metrics * sizeof(uint64_t);
    struct refrain_history *made =
        refrain_pool_take(sizeof(struct refrain_history) + metrics_bytes, REFRAIN_POOL_VALUES);
    if (made)
        refrain_publish(&slot->history, refrain_reference(made));
}

void refrain_history_begin_stretch(struct refrain_slot *slot) {
    if (slot->count == 0 && !slot->history)
        make(slot);
    if (slot->count == 0 || !slot->history)
        return; /* there was no memory at the first visit; a history with a gap would mislead */
    struct refrain_history *history = refrain_at_reference(slot->history);
    history->ticks[history->ended] = refrain_history_ticks(slot, history, history->ended);
    refrain_commit();
    history->ended++;
    refrain_commit();
    if (history->ended == REFRAIN_HISTORY_STRETCHES)
        merge(history);
}
