/* learn_anchors.c: makes anchors, and finds the one of the latest terms (learn_anchors.h). */
#define _GNU_SOURCE
#include "learn_anchors.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

#define FIRST_TERMS 64u /* archived terms before anchors are made */
#define HASH_TERMS 8u   /* terms in a hash: each shifts the earlier ones by 64 / 8 bits */

static inline uint64_t hash_of_term(const struct refrain_item *term) {
    uint64_t hash = ((uint64_t)term->base + term->span) * 0x9e3779b97f4a7c15u;
    if (term->span == 1)
        return hash ^ hash >> 32;
    if (term->span == 2) /* a loop over one value */
        hash ^= ((uint64_t)term[1].base + ((uint64_t)term[1].stride[0] << 32)) * 0xff51afd7ed558ccdu;
    for (unsigned i = 1; i < term->span && term->span > 2; i++) {
        hash = (hash ^ (uint64_t)term[i].base) * 0x9e3779b97f4a7c15u;
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            hash = (hash ^ (uint64_t)term[i].stride[h] ^ hash >> 29) * 0xff51afd7ed558ccdu;
    }
    return hash ^ hash >> 32;
}

static uint64_t hash_with(uint64_t hash, uint64_t term_hash) {
    return (hash << (64 / HASH_TERMS)) + term_hash * 0xc4ceb9fe1a85ec53u;
}

static unsigned level_of(uint64_t hash) {
    unsigned zeros = hash ? (unsigned)__builtin_clzll(hash) : 63;
    return zeros < REFRAIN_ANCHOR_LEVELS ? zeros : REFRAIN_ANCHOR_LEVELS - 1;
}

void refrain_anchors_make_room(struct refrain_formula *formula, enum refrain_pool_use use) {
    if (formula->repeat || formula->archived_terms < FIRST_TERMS)
        return;
    struct refrain_repeat *repeat = refrain_pool_take(sizeof *repeat, use);
    if (repeat)
        formula->repeat = refrain_reference(repeat);
}

static void add(struct refrain_repeat *repeat, uint64_t hash, struct refrain_archive_position position) {
    unsigned level = level_of(hash);
    repeat->anchor[level][repeat->next_anchor[level]++ % REFRAIN_ANCHORS] = (struct refrain_anchor){hash, position};
}

void refrain_anchors_add(struct refrain_formula *formula, const struct refrain_item *term, bool has_position,
                         unsigned used) {
    if (!formula->repeat)
        return;
    struct refrain_repeat *repeat = refrain_repeat_of(formula);
    repeat->hash = hash_with(repeat->hash, hash_of_term(term));
    repeat->settled = UINT32_MAX;
    bool some = term->kind == REFRAIN_ITEM_LOOP && term->base < REFRAIN_TERM_VALUES;
    repeat->values += term->kind == REFRAIN_ITEM_VALUE ? 1 : some ? (uint64_t)term->base : REFRAIN_TERM_VALUES;
    if (has_position)
        add(repeat, repeat->hash, (struct refrain_archive_position){formula->archive_last, used});
}

/* Slot for the nth anchor of a level, if anchors are of plain values. Two slots have the latest anchors, one has every
 * 16th and one every 64th. If all slots had the latest ones, a cycle would be missed if each level has either more
 * anchors in it than slots, or none. */
static unsigned slot_of(uint8_t nth) {
    return nth % 64 == 0 ? 3 : nth % 16 == 0 ? 2 : nth % 2;
}

struct refrain_anchor *refrain_anchors_of_values(struct refrain_formula *formula, uint64_t hash) {
    struct refrain_repeat *repeat = refrain_repeat_of(formula);
    struct refrain_anchor *anchors = repeat->anchor[level_of(hash)];
    for (unsigned i = 0; i < REFRAIN_ANCHORS; i++)
        if (anchors[i].hash == hash)
            return &anchors[i];
    uint8_t nth = repeat->next_anchor[level_of(hash)]++;
    anchors[slot_of(nth)] = (struct refrain_anchor){hash, {0, 0}};
    return NULL;
}

void refrain_anchors_forget(struct refrain_formula *formula) {
    if (formula->repeat)
        memset(refrain_repeat_of(formula)->anchor, 0, sizeof refrain_repeat_of(formula)->anchor);
}

/* Hash of the HASH_TERMS terms before items[end]. If only one of them is new since the last call, it follows from the
 * last hash. 0 if there are fewer terms. */
static uint64_t hash_of_latest(struct refrain_repeat *repeat, const struct refrain_item *items, unsigned end) {
    unsigned last = end ? end - items[end - 1].back : 0;
    if (end && repeat->settled == last) {
        repeat->settled_hash = hash_with(repeat->settled_hash, hash_of_term(&items[last]));
    } else if (repeat->settled != end) {
        unsigned start[HASH_TERMS], at = end;
        for (unsigned k = HASH_TERMS; k-- > 0;) {
            if (at == 0)
                return 0;
            start[k] = at -= items[at - 1].back;
        }
        repeat->settled_hash = 0;
        for (unsigned k = 0; k < HASH_TERMS; k++)
            repeat->settled_hash = hash_with(repeat->settled_hash, hash_of_term(&items[start[k]]));
    }
    repeat->settled = end;
    return repeat->settled_hash;
}

const struct refrain_archive_position *refrain_anchors_find(struct refrain_repeat *repeat,
                                                            const struct refrain_item *items, unsigned end) {
    uint64_t hash = hash_of_latest(repeat, items, end);
    unsigned level = level_of(hash);
    for (unsigned i = 1; hash && i <= REFRAIN_ANCHORS; i++) {
        const struct refrain_anchor *anchor =
            &repeat->anchor[level][(uint8_t)(repeat->next_anchor[level] - i) % REFRAIN_ANCHORS];
        if (anchor->position.chunk && anchor->hash == hash)
            return &anchor->position;
    }
    return NULL;
}
