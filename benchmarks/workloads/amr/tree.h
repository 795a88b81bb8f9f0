/* tree.h: a quadtree over a periodic square, as the list of its leaves along the Morton curve.
 *
 *     side << MOST_LEVELS finest units a side; a leaf of level l covers (1 << (MOST_LEVELS - l))^2 of them
 *
 * Every rank holds the whole list, but only the values of its stretch of it. The list is the same everywhere because it
 * is changed by the same rule from the same flags.
 */
#ifndef TREE_H
#define TREE_H

#include <stdint.h>

#define MOST_LEVELS 3

struct leaf {
    int32_t x, y; /* lower corner in finest units */
    int32_t level;
};

struct tree {
    int units; /* finest units a side */
    int n;
    struct leaf *leaves;
    int *map; /* leaf at each finest unit */
};

enum flag { FLAG_COARSEN = -1, FLAG_KEEP = 0, FLAG_REFINE = 1 };

/* How leaves of a new tree come from those of the old one. */
enum origin { ORIGIN_SAME, ORIGIN_CHILD, ORIGIN_PARENT /* of four, from `source` on */ };
struct descent {
    int source; /* leaf of the old tree */
    enum origin origin;
};

static inline int leaf_size(const struct leaf *leaf) {
    return 1 << (MOST_LEVELS - leaf->level);
}

/* The leaf at a unit; coordinates may be outside by up to one side. */
static inline int tree_at(const struct tree *t, int x, int y) {
    x = (x + t->units) % t->units;
    y = (y + t->units) % t->units;
    return t->map[y * t->units + x];
}

/* side x side leaves of level 0. */
void tree_open(struct tree *t, int side);
void tree_close(struct tree *t);

/* The tree that follows from the flags of all leaves. Four siblings become one if all are flagged and lie in the same
 * of the stretches that begin at starts[0 .. n_stretches]. *descents gets one entry per new leaf; the caller frees it.
 */
struct tree tree_adapt(const struct tree *t, const signed char *flags, const int *starts, int n_stretches,
                       struct descent **descents);

#endif
