/* walk_learners.c: the table of learners met (walk_learners.h). */
#include "walk/walk_learners.h"
#include "common/arena.h"
#include "walk/walk_cycle.h"

#define FIRST_CAPACITY 256u

static uint64_t offset_of(const struct refrain_walk_learners *learners, const struct refrain_learner *learner) {
    return (uint64_t)((const unsigned char *)learner - learners->image);
}

/* Where a place is in a table of that capacity, a power of two, or would be. */
static size_t find(struct refrain_walk_learner *const *table, size_t capacity, uint64_t offset) {
    size_t h = (size_t)(offset * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
    while (table[h] && table[h]->offset != offset)
        h = (h + 1) & (capacity - 1);
    return h;
}

static bool grow(struct refrain_walk_learners *learners) {
    size_t capacity = learners->capacity ? learners->capacity * 2 : FIRST_CAPACITY;
    struct refrain_walk_learner **table = refrain_calloc(capacity, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < learners->capacity; i++)
        if (learners->table[i])
            table[find(table, capacity, learners->table[i]->offset)] = learners->table[i];
    refrain_free(learners->table);
    learners->table = table;
    learners->capacity = capacity;
    return true;
}

struct refrain_walk_learner *refrain_walk_learners_get(struct refrain_walk_learners *learners,
                                                       const struct refrain_learner *learner) {
    uint64_t offset = offset_of(learners, learner);
    if (learners->n * 2 >= learners->capacity && !grow(learners))
        return NULL;
    size_t h = find(learners->table, learners->capacity, offset);
    if (learners->table[h])
        return learners->table[h];
    struct refrain_walk_learner *place = refrain_calloc(1, sizeof *place);
    if (!place)
        return NULL;
    place->offset = offset;
    refrain_sequence_open(&place->sequence, learners->image, learners->image_bytes, learner);
    learners->table[h] = place;
    learners->n++;
    return place;
}

const struct refrain_walk_learner *refrain_walk_learners_find(const struct refrain_walk_learners *learners,
                                                              const struct refrain_learner *learner) {
    return learners->capacity ? learners->table[find(learners->table, learners->capacity, offset_of(learners, learner))]
                              : NULL;
}

void refrain_walk_learners_close(struct refrain_walk_learners *learners) {
    for (size_t i = 0; i < learners->capacity; i++) {
        struct refrain_walk_learner *place = learners->table[i];
        if (!place)
            continue;
        refrain_sequence_close(&place->sequence);
        refrain_tally_close(&place->rows);
        refrain_walk_cycles_close(place->cycles);
        refrain_free(place->operation);
        refrain_free(place);
    }
    refrain_free(learners->table);
}
