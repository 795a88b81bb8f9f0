/* walk_learners.c: the table of the learners that a walk has used (walk_learners.h). */
#include "walk/walk_learners.h"
#include "common/arena.h"
#include "walk/walk_cycle.h"

static uint64_t offset_of(const struct refrain_walk_learners *learners, const struct refrain_learner *learner) {
    return (uint64_t)((const unsigned char *)learner - learners->image);
}

struct refrain_walk_learner *refrain_walk_learners_get(struct refrain_walk_learners *learners,
                                                       const struct refrain_learner *learner) {
    uint64_t offset = offset_of(learners, learner);
    struct refrain_walk_learner *place = refrain_table_make(&learners->table, offset, 0, sizeof *place);
    if (place && !place->offset) {
        place->offset = offset;
        refrain_sequence_open(&place->sequence, learners->image, learners->image_bytes, learner);
    }
    return place;
}

const struct refrain_walk_learner *refrain_walk_learners_find(const struct refrain_walk_learners *learners,
                                                              const struct refrain_learner *learner) {
    return refrain_table_object(&learners->table, offset_of(learners, learner), 0);
}

void refrain_walk_learners_close(struct refrain_walk_learners *learners) {
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&learners->table, slot));) {
        struct refrain_walk_learner *place = slot->object;
        refrain_sequence_close(&place->sequence);
        refrain_tally_close(&place->rows);
        refrain_walk_cycles_close(place->cycles);
        refrain_free(place->operation);
    }
    refrain_table_free(&learners->table);
}
