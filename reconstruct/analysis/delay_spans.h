/* delay_spans.h: recent activities of a rank, and the roots of its waits (private to delay*.c).
 *
 *     spans  |computing|waiting|transmission|computing|waiting|...     the newest REFRAIN_DELAY_SPANS, without gaps
 *                          |                             |
 *     roots              burn(), rank 0: 70 %          burn(), rank 0: 100 %, through rank 1
 *                        read(), rank 2: 30 % */
#ifndef REFRAIN_DELAY_SPANS_H
#define REFRAIN_DELAY_SPANS_H

#include "analysis/delays.h"

#define REFRAIN_DELAY_ROOTS 4u /* of a wait; smaller ones are left out */

/* A place and rank where a wait has a root. */
struct refrain_delay_root {
    struct refrain_delay_place *place;
    int32_t rank;
    double weight; /* its part of the wait */
    uint32_t n_path;
    int32_t path[REFRAIN_DELAY_PATH]; /* ranks between: first the one that waited for `rank` */
};

/* The weights add up to 1 if n > 0. */
struct refrain_delay_roots {
    uint32_t n;
    struct refrain_delay_root roots[REFRAIN_DELAY_ROOTS];
};

struct refrain_delay_span {
    int64_t begin_ns, end_ns;
    struct refrain_delay_place *place; /* null: waiting */
    struct refrain_delay_roots *roots; /* of waiting; null: none found */
};

/* Starts as zeros. */
struct refrain_delay_spans {
    struct refrain_delay_span *spans;
    size_t n;
};

/* Appends a span. The list takes ownership of `roots`. False without memory; `roots` is freed then, too. */
bool refrain_delay_spans_add(struct refrain_delay_spans *list, int64_t begin_ns, int64_t end_ns,
                             struct refrain_delay_place *place, struct refrain_delay_roots *roots);

/* Turns a part of an earlier span into waiting. Returns the place of that span. Null if the wait is not inside a
 * kept span; `roots` is then freed. */
struct refrain_delay_place *refrain_delay_spans_cut(struct refrain_delay_spans *list, int64_t begin_ns, int64_t end_ns,
                                                    struct refrain_delay_roots *roots);

/* The first span that ends after `ns`. */
size_t refrain_delay_spans_after(const struct refrain_delay_spans *list, int64_t ns);

void refrain_delay_spans_close(struct refrain_delay_spans *list);

/* Adds a root with its weight, to an equal one if there is one. If there is no room, the lightest root is left out. */
void refrain_delay_roots_add(struct refrain_delay_roots *roots, const struct refrain_delay_root *root);

/* Scales the weights so that they add up to 1. */
void refrain_delay_roots_scale(struct refrain_delay_roots *roots);

#endif
