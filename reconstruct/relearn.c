/* relearn.c: feeds a sequence to the monitor's learner again (relearn.h). What the learner wants of the monitor, a pool
 * and a counter of losses, is here. */
#define _GNU_SOURCE
#include "relearn.h"
#include "../monitor/learn.h"
#include "../monitor/learn_memory.h"
#include "sequence.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(REFRAIN_RELEARN_LONGEST == REFRAIN_WINDOW_ITEMS, "the longest formula is the learner's");

#define POOL_BYTES ((size_t)1 << 20) /* many times what a formula of the longest kind takes while it grows */
#define VALUES_BETWEEN_LOOKS 256u    /* how often it is checked whether the formula has been outgrown */

struct refrain_region refrain_region;

void *refrain_pool_take(size_t bytes, bool control) {
    struct refrain_header *header = refrain_region.header;
    (void)control;
    bytes = (bytes + REFRAIN_UNIT_BYTES - 1) & ~(size_t)(REFRAIN_UNIT_BYTES - 1);
    if (header->pool_used + bytes > POOL_BYTES)
        return NULL;
    void *p = refrain_region.base + header->pool_used;
    header->pool_used += bytes;
    return p;
}

void refrain_lose(enum refrain_loss loss, uint64_t n) {
    refrain_region.header->losses[loss] += n;
}

/* An empty learner in an empty pool; null without memory. The pool stays for the next time. */
static struct refrain_learner *begin(struct refrain_context *context) {
    static struct refrain_learn_scratch *scratch;
    if (!scratch)
        scratch = malloc(sizeof *scratch);
    if (!refrain_region.base) {
        refrain_region.base = calloc(1, POOL_BYTES);
        refrain_region.header = (struct refrain_header *)refrain_region.base;
    }
    if (!scratch || !refrain_region.base)
        return NULL;
    memset(refrain_region.base, 0, refrain_region.header->pool_used);
    refrain_region.header->pool_used = REFRAIN_HEADER_BYTES;
    context->scratch = scratch;
    context->journal = refrain_pool_take(refrain_journal_bytes(), true);
    return refrain_pool_take(sizeof(struct refrain_learner), true);
}

static bool outgrown(const struct refrain_learner *learner) {
    const struct refrain_formula *formula = learner->body ? refrain_at_reference(learner->body) : NULL;
    return learner->state == REFRAIN_SUMMARY || (formula && formula->archive_first);
}

bool refrain_relearn(const void *region, size_t region_bytes, const struct refrain_learner *learner, unsigned length,
                     enum refrain_formula_type *type) {
    struct refrain_context context = {.formula_length = length};
    struct refrain_learner *again = begin(&context);
    if (!again)
        return false;
    struct refrain_sequence sequence;
    int64_t value;
    refrain_sequence_open(&sequence, region, region_bytes, learner);
    for (uint64_t n = 1; refrain_sequence_next(&sequence, &value) && !sequence.approximate; n++) {
        refrain_learn(&context, again, value, learner->control);
        if (n % VALUES_BETWEEN_LOOKS == 0 && outgrown(again))
            break;
    }
    refrain_sequence_close(&sequence);
    if (outgrown(again)) {
        *type = REFRAIN_TYPE_ARCHIVE;
        return true;
    }
    char *text = refrain_formula_text(refrain_region.base, POOL_BYTES, again, NULL, NULL, type);
    free(text);
    return text != NULL;
}
