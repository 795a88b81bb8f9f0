/* delay_spans.h: what a rank did lately, and where its waits began (private to delay*.c).
 *
 *     spans  |computing|waiting|transmission|computing|waiting|...     the newest REFRAIN_DELAY_SPANS, without gaps
 *                          |                             |
 *     roots              burn(), rank 0: 70 %          burn(), rank 0: 100 %, by way of rank 1
 *                        read(), rank 2: 30 % */
#ifndef REFRAIN_DELAY_SPANS_H
#define REFRAIN_DELAY_SPANS_H

#include "analysis/delays.h"

#define REFRAIN_DELAY_ROOTS 4u /* of a wait; smaller ones are left out */

/* A place and rank with which a wait began. */
struct refrain_delay_root {
    struct refrain_delay_place *place;
    int32_t rank;
    double weight; /* its share of the wait */
    uint32_t n_path;
    int32_t path[REFRAIN_DELAY_PATH]; /* ranks between: the one that waited for `rank` first */
};

/* The shares are 1 together where n > 0. */
struct refrain_delay_roots {
    uint32_t n;
    struct refrain_delay_root roots[REFRAIN_DELAY_ROOTS];
};

struct refrain_delay_span {
    int64_t begin_ns, end_ns;
    struct refrain_delay_place *place; /* null: waiting */
    struct refrain_delay_roots *roots; /* of waiting; null: none was found */
};

/* Starts as zeros. */
struct refrain_delay_spans {
    struct refrain_delay_span *spans;
    size_t n;
};

/* Adds a span behind the others; `roots` is the list's from now on. False without memory: `roots` is freed then, too.
 */
bool refrain_delay_spans_add(struct refrain_delay_spans *list, int64_t begin_ns, int64_t end_ns,
                             struct refrain_delay_place *place, struct refrain_delay_roots *roots);

/* Waiting in a span that was added before as something else: cuts it. Returns the place of that span; null where no
 * span is kept that holds all of the wait, `roots` is freed then. */
struct refrain_delay_place *refrain_delay_spans_cut(struct refrain_delay_spans *list, int64_t begin_ns, int64_t end_ns,
                                                    struct refrain_delay_roots *roots);

/* The first span that ends after `ns`. */
size_t refrain_delay_spans_after(const struct refrain_delay_spans *list, int64_t ns);

void refrain_delay_spans_close(struct refrain_delay_spans *list);

/* Adds a root with its weight, to the same one if it is there. Where there is no room, the lightest one is left out. */
void refrain_delay_roots_add(struct refrain_delay_roots *roots, const struct refrain_delay_root *root);

/* Makes the weights 1 together. */
void refrain_delay_roots_scale(struct refrain_delay_roots *roots);

#endif
