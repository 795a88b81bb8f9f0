/* walk_values.c: takes the next value of a learner: as in the run, or a likely one that is consistent with the
 * others (walk_parts.h). */
#include "walk/walk_parts.h"

struct refrain_walk_learner *refrain_walk_meet(struct refrain_walk *walk, const struct refrain_learner *learner) {
    struct refrain_walk_learner *place = refrain_walk_learners_get(&walk->learners, learner);
    if (!place)
        refrain_walk_fail(walk, NULL, "no memory");
    return place;
}

struct refrain_walk_learner *refrain_walk_meet_slot(struct refrain_walk *walk, const struct refrain_slot *slot) {
    struct refrain_walk_learner *place = refrain_walk_meet(walk, &slot->next);
    if (place)
        place->slot = slot;
    return place;
}

bool refrain_walk_take(struct refrain_walk *walk, struct refrain_walk_learner *place, int64_t *value,
                       bool *approximate) {
    if (!refrain_sequence_next(&place->sequence, value)) {
        const struct refrain_terms *terms = &place->sequence.terms;
        if (terms->wrong)
            refrain_walk_fail(walk, walk->image + terms->wrong_offset, terms->wrong);
        walk->ended = true;
        return false;
    }
    place->taken++;
    *approximate |= place->sequence.approximate;
    refrain_walk_note(walk, place, *value);
    return true;
}

/* ---- steps in approximate order ---- */

static uint64_t slot_at(const void *of, uint32_t number, uint32_t *kind) {
    const struct refrain_walk *walk = of;
    *kind = walk->slots[number].kind;
    return walk->slots[number].offset;
}

static uint64_t taken_of(const void *of, const struct refrain_learner *learner, int64_t *iterations, bool *open) {
    const struct refrain_walk *walk = of;
    const struct refrain_walk_learner *place =
        refrain_walk_learners_find(&walk->learners, learner); /* null: the walk has not used it */
    bool counting = place && place->counting;
    *iterations = counting ? (int64_t)place->remaining : -1;
    *open = counting && (place->pending || place->left_early);
    if (counting && place->left_early)
        *iterations += (int64_t)place->slot->count;
    return place ? place->taken : 0;
}

static size_t depth_of(const void *walk) {
    return ((const struct refrain_walk *)walk)->depth;
}

static const struct refrain_slot *place_at(const void *walk, size_t activation) {
    return ((const struct refrain_walk *)walk)->stack[activation].at->slot;
}

size_t refrain_walk_code(uintptr_t *addresses) {
    addresses[0] = (uintptr_t)slot_at;
    addresses[1] = (uintptr_t)taken_of;
    addresses[2] = (uintptr_t)depth_of;
    addresses[3] = (uintptr_t)place_at;
    return REFRAIN_WALK_CODE;
}

int refrain_walk_recursive_node(struct refrain_walk *walk, struct refrain_walk_learner *place) {
    if (!walk->approximate)
        return -1;
    if (!walk->knows_recursion) {
        struct refrain_recursion_walk what = {walk->image,
                                              walk->image_bytes,
                                              walk->thread_number,
                                              walk->n_slots,
                                              &walk->numbered,
                                              refrain_walk_steps_of_run(walk),
                                              walk,
                                              (const void *)(walk->image + place->offset),
                                              slot_at,
                                              taken_of,
                                              depth_of,
                                              place_at};
        walk->recursion = refrain_recursion_open(&what);
        walk->knows_recursion = true;
    }
    if (!walk->recursion)
        return -1;
    if (!place->node_known)
        place->node = refrain_recursion_node(walk->recursion, (const void *)(walk->image + place->offset));
    place->node_known = true;
    return place->node;
}

bool refrain_walk_take_likely_step(struct refrain_walk *walk, struct refrain_walk_learner *place, int64_t *value) {
    if (walk->recorder)
        refrain_walk_give_up_recording(walk);
    bool approximate = walk->approximate, given = refrain_walk_take(walk, place, value, &approximate);
    if (given && !approximate)
        return true;
    if (walk->wrong)
        return false;
    walk->approximate |= approximate;
    place->taken -= given; /* the graph counts this value as remaining */
    int node = refrain_walk_recursive_node(walk, place);
    place->taken += given;
    const struct refrain_learner *learner = place->sequence.learner;
    bool unknown = given && place->sequence.unknown && learner->kind == REFRAIN_KIND_CONTROL;
    if (node < 0 && unknown && walk->recursion)
        refrain_recursion_unknown(walk->recursion, learner, value);
    if (node < 0)
        return given;
    walk->ended = !refrain_recursion_step(walk->recursion, node, given && !unknown, *value, value);
    return !walk->ended;
}

/* ---- rows of parameters ---- */

/* The entry of the first of several parameters, with their joint tally, if any. */
static struct refrain_walk_learner *place_of_rows(struct refrain_walk *walk, const struct refrain_learner *learner) {
    struct refrain_walk_learner *place = refrain_walk_meet(walk, learner);
    if (!place || place->rows.tally || !learner->tally ||
        refrain_learner_tally(walk->image, walk->image_bytes, learner))
        return place;
    if (!refrain_tally_open(&place->rows, walk->image, walk->image_bytes, learner->tally)) {
        refrain_walk_fail(walk, learner, "counts of parameters that cannot be any");
        return NULL;
    }
    place->rows.numbered = &walk->numbered;
    uint64_t all = refrain_learner_values(walk->image, walk->image_bytes, learner, NULL);
    place->rows_before = all > place->rows.left ? all - place->rows.left : 0;
    return place;
}

bool refrain_walk_take_row(struct refrain_walk *walk, const struct refrain_learner *learners, int64_t *values,
                           unsigned n, unsigned width, bool *approximate) {
    struct refrain_walk_learner *first = n > 0 ? place_of_rows(walk, learners) : NULL;
    if (!first)
        return n == 0;
    bool counted = first->rows.tally && first->rows_taken >= first->rows_before && first->rows.tally->width == width;
    unsigned all = (1u << n) - 1, given = ((1u << width) - 1) & ~all, known = 0;
    for (unsigned round = 0; round < 2 && known != all; round++)
        for (unsigned i = 0; i < n; i++) {
            const struct refrain_learner *learner = &learners[i];
            struct refrain_walk_learner *place = known >> i & 1 ? NULL : refrain_walk_meet(walk, learner);
            bool taken = place && refrain_walk_take(walk, place, &values[i], approximate);
            if (walk->wrong)
                return false;
            if (!taken && round > 0 && !(known >> i & 1)) {
                bool lost = learner->state == REFRAIN_SUMMARY && !first->rows.tally;
                if (lost) /* there was no memory to count it */
                    values[i] = learner->expect;
                else if (!counted || !refrain_tally_peek(&first->rows, values, known | given, i))
                    return false;
                *approximate = taken = true;
                walk->ended = false;
            }
            known |= (unsigned)taken << i;
        }
    walk->ended = false;
    first->rows_taken++;
    if (walk->recorder && counted)
        refrain_walk_give_up_recording(walk);
    if (walk->recorder)
        refrain_walk_note_row(walk, first);
    if (counted) {
        *approximate = true;
        refrain_tally_next(&first->rows, values, all | given);
    }
    return true;
}
