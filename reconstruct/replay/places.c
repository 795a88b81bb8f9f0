/* places.c: the table of places (places.h). */
#include "places.h"
#include "arena.h"

#define FIRST_CAPACITY 256u

static uint64_t offset_of(const struct refrain_walk_places *places, const struct refrain_learner *learner) {
    return (uint64_t)((const unsigned char *)learner - places->region);
}

/* Where a place is in a table of that capacity, a power of two, or would be. */
static size_t find(struct refrain_walk_place *const *table, size_t capacity, uint64_t offset) {
    size_t h = (size_t)(offset * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
    while (table[h] && table[h]->offset != offset)
        h = (h + 1) & (capacity - 1);
    return h;
}

static bool grow(struct refrain_walk_places *places) {
    size_t capacity = places->capacity ? places->capacity * 2 : FIRST_CAPACITY;
    struct refrain_walk_place **table = refrain_calloc(capacity, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < places->capacity; i++)
        if (places->table[i])
            table[find(table, capacity, places->table[i]->offset)] = places->table[i];
    refrain_free(places->table);
    places->table = table;
    places->capacity = capacity;
    return true;
}

struct refrain_walk_place *refrain_walk_places_get(struct refrain_walk_places *places,
                                                   const struct refrain_learner *learner) {
    uint64_t offset = offset_of(places, learner);
    if (places->n * 2 >= places->capacity && !grow(places))
        return NULL;
    size_t h = find(places->table, places->capacity, offset);
    if (places->table[h])
        return places->table[h];
    struct refrain_walk_place *place = refrain_calloc(1, sizeof *place);
    if (!place)
        return NULL;
    place->offset = offset;
    refrain_sequence_open(&place->sequence, places->region, places->region_bytes, learner);
    places->table[h] = place;
    places->n++;
    return place;
}

const struct refrain_walk_place *refrain_walk_places_find(const struct refrain_walk_places *places,
                                                          const struct refrain_learner *learner) {
    return places->capacity ? places->table[find(places->table, places->capacity, offset_of(places, learner))] : NULL;
}

void refrain_walk_places_close(struct refrain_walk_places *places) {
    for (size_t i = 0; i < places->capacity; i++) {
        struct refrain_walk_place *place = places->table[i];
        if (!place)
            continue;
        refrain_sequence_close(&place->sequence);
        refrain_tally_close(&place->rows);
        refrain_free(place->operation);
        refrain_free(place);
    }
    refrain_free(places->table);
}
