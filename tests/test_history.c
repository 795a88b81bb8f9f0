/* test_history.c: totals by stretches of visits (monitor/slot_history.c). However far the process has come in adding
 * neighbours up when it is killed, a reader finds what was there, before or after it. */
#define _GNU_SOURCE
#include "learn_alone.h"

#include <stdio.h>
#include <stdlib.h>

#define VISITS 5000u /* some doublings; a visit takes as many ticks as its number and one */

static struct refrain_slot slot;
static uint64_t n_visits;
static unsigned looks, failed;

/* Called wherever the order of two changes counts. */
static void look(void) {
    const struct refrain_history *history = slot.history ? refrain_at_reference(slot.history) : NULL;
    uint32_t shift = history ? refrain_history_shift(history) : 0;
    looks++;
    for (uint32_t i = 0; history && i < REFRAIN_HISTORY_STRETCHES; i++) {
        uint64_t begin = (uint64_t)i << shift, end = ((uint64_t)i + 1) << shift, expected = 0;
        for (uint64_t visit = begin; visit < end && visit < n_visits; visit++)
            expected += visit + 1;
        if (refrain_history_ticks(&slot, history, i) != expected && failed++ < 10)
            printf("FAILED: after %llu visits, merged %u: stretch %u has %llu ticks, of %llu\n",
                   (unsigned long long)n_visits, history->merged, i,
                   (unsigned long long)refrain_history_ticks(&slot, history, i), (unsigned long long)expected);
    }
}

#define refrain_commit() look()
#include "slot_history.c"
#undef refrain_commit

int main(void) {
    size_t bytes = (size_t)1 << 20;
    refrain_alone_open(aligned_alloc(4096, bytes), bytes);
    if (!refrain_trace_file.base)
        return 2;
    memset(refrain_trace_file.base, 0, bytes);
    refrain_trace_file.header->pool_used = REFRAIN_HEADER_BYTES;
    while (n_visits < VISITS) {
        refrain_expect_end_of_block(&slot);
        slot.ticks += n_visits + 1;
        slot.count++;
        if (!slot.history)
            return puts("FAILED: no room"), 1;
        n_visits++;
        look();
    }
    look();
    free(refrain_trace_file.base);
    printf("%u looks, %u failed\n", looks, failed);
    return looks < 100 || failed > 0;
}
