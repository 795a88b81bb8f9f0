/* tree.c: making and changing the list of leaves. */
#include "tree.h"
#include "../common/workload.h"

#include <stdlib.h>
#include <string.h>

static void draw_map(struct tree *t) {
    t->map = NEW(int, SQUARE((long)t->units));
    for (int i = 0; i < t->n; i++) {
        const struct leaf *leaf = &t->leaves[i];
        int size = leaf_size(leaf);
        for (int y = leaf->y; y < leaf->y + size; y++)
            for (int x = leaf->x; x < leaf->x + size; x++)
                t->map[(long)y * t->units + x] = i;
    }
}

/* Interleaves the bits of a coordinate with zeros. */
static uint64_t spread(uint32_t x) {
    uint64_t s = 0;
    for (int bit = 0; bit < 32; bit++)
        s |= (uint64_t)(x >> bit & 1) << (2 * bit);
    return s;
}

static int compare_along_curve(const void *a, const void *b) {
    const struct leaf *p = a, *q = b;
    uint64_t u = spread((uint32_t)p->x) | spread((uint32_t)p->y) << 1;
    uint64_t v = spread((uint32_t)q->x) | spread((uint32_t)q->y) << 1;
    return (u > v) - (u < v);
}

void tree_open(struct tree *t, int side) {
    t->units = side << MOST_LEVELS;
    t->n = side * side;
    t->leaves = NEW(struct leaf, t->n);
    for (int i = 0; i < t->n; i++)
        t->leaves[i] = (struct leaf){(i % side) << MOST_LEVELS, (i / side) << MOST_LEVELS, 0};
    qsort(t->leaves, (size_t)t->n, sizeof *t->leaves, compare_along_curve);
    draw_map(t);
}

void tree_close(struct tree *t) {
    free(t->leaves);
    free(t->map);
}

/* Whether four siblings begin at leaf `i` that can become one. */
static bool can_coarsen(const struct tree *t, const signed char *flags, int i, int stretch_end) {
    const struct leaf *first = &t->leaves[i];
    int parent_size = 2 * leaf_size(first);
    if (first->level == 0 || i + 4 > stretch_end || first->x % parent_size || first->y % parent_size)
        return false;
    for (int k = 0; k < 4; k++)
        if (t->leaves[i + k].level != first->level || flags[i + k] != FLAG_COARSEN)
            return false;
    return true;
}

static void add_leaf(struct tree *t, struct descent *descents, struct leaf leaf, int source, enum origin origin) {
    descents[t->n] = (struct descent){source, origin};
    t->leaves[t->n++] = leaf;
}

static void add_children(struct tree *t, struct descent *descents, const struct leaf *parent, int source) {
    int half = leaf_size(parent) / 2;
    for (int k = 0; k < 4; k++) {
        struct leaf child = {parent->x + (k & 1) * half, parent->y + (k >> 1) * half, parent->level + 1};
        add_leaf(t, descents, child, source, ORIGIN_CHILD);
    }
}

struct tree tree_adapt(const struct tree *t, const signed char *flags, const int *starts, int n_stretches,
                       struct descent **descents) {
    struct tree next = {.units = t->units};
    int stretch = 0;
    next.leaves = NEW(struct leaf, 4L * t->n);
    *descents = NEW(struct descent, 4L * t->n);
    for (int i = 0; i < t->n;) {
        const struct leaf *leaf = &t->leaves[i];
        while (stretch + 1 < n_stretches && starts[stretch + 1] <= i)
            stretch++;
        if (can_coarsen(t, flags, i, starts[stretch + 1])) {
            add_leaf(&next, *descents, (struct leaf){leaf->x, leaf->y, leaf->level - 1}, i, ORIGIN_PARENT);
            i += 4;
        } else if (flags[i] == FLAG_REFINE && leaf->level < MOST_LEVELS) {
            add_children(&next, *descents, leaf, i++);
        } else {
            add_leaf(&next, *descents, *leaf, i++, ORIGIN_SAME);
        }
    }
    draw_map(&next);
    return next;
}
