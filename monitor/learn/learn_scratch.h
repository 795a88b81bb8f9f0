/* learn_scratch.h: the working memory of learners, and the sizes that follow from it. */
#ifndef REFRAIN_LEARN_SCRATCH_H
#define REFRAIN_LEARN_SCRATCH_H

#include <refrain/trace.h>
#include <stdint.h>

/* Working memory for one transition; one per thread, private. */
#define REFRAIN_FORMULA_ITEMS 128u     /* longest formula in which repetition is searched */
#define REFRAIN_ITEM_ARCHIVE_BYTES 80u /* largest number of bytes of one archived item (formula.h) */
#define REFRAIN_SCRATCH_ENTRIES 256u
struct refrain_learn_scratch {
    struct refrain_item items[REFRAIN_FORMULA_ITEMS * (REFRAIN_LOOP_HEIGHTS + 1)]; /* for a loop that is being closed */
    unsigned char bytes[REFRAIN_FORMULA_ITEMS * REFRAIN_ITEM_ARCHIVE_BYTES]; /* for a term that is being archived */
    struct refrain_item term[REFRAIN_FORMULA_ITEMS];                         /* for a term read from the archive */
    uint64_t entries[REFRAIN_SCRATCH_ENTRIES * (1 + REFRAIN_TALLY_WIDTH)];   /* for a tally that is being rearranged */
    uint32_t starts[REFRAIN_FORMULA_ITEMS + 1];                              /* where the latest terms begin */
};

#endif
