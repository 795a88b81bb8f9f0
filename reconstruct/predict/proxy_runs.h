/* proxy_runs.h: a list of values as runs of values (proxy_values.c).
 *
 *     0 1 2 3 3 3 0 1 2 3 3 3      ->      {count 4, first 0, step 1} {2, 3, 0}      which repeat
 *     1 2 4 8                      ->      {4, 1, doubling} */
#ifndef REFRAIN_PROXY_RUNS_H
#define REFRAIN_PROXY_RUNS_H

#include "predict/proxy_list.h"

/* What is done with values before they become runs, and undone where they are used. */
enum refrain_proxy_relation {
    REFRAIN_PROXY_EQUAL,
    REFRAIN_PROXY_SHIFTED,   /* the rank is subtracted */
    REFRAIN_PROXY_ROTATED,   /* the same modulo the number of ranks; values are ranks */
    REFRAIN_PROXY_EXCHANGED, /* exclusive or with the rank */
    REFRAIN_PROXY_RELATIONS
};

/* Steps of runs that do not add. */
#define REFRAIN_PROXY_DOUBLING INT64_MAX
#define REFRAIN_PROXY_HALVING (INT64_MAX - 1)

struct refrain_proxy_runs {
    struct refrain_proxy_value_run {
        int64_t count, value, step;
    } * all; /* malloced */
    size_t n, capacity;
};

int64_t refrain_proxy_related(enum refrain_proxy_relation relation, int64_t rank, int64_t ranks, int64_t value);

/* Which values are a run. */
enum refrain_proxy_style {
    REFRAIN_PROXY_ADDING,       /* equal values, and three or more with the same difference */
    REFRAIN_PROXY_DOUBLING_TOO, /* and two or more of which each is twice or half the one before */
    REFRAIN_PROXY_STYLES
};

/* Finds the runs of a list; of runs that repeat, one period. False without memory. */
bool refrain_proxy_find_runs(const struct refrain_proxy_list *list, enum refrain_proxy_relation relation, int64_t rank,
                             int64_t ranks, enum refrain_proxy_style style, struct refrain_proxy_runs *runs);

#endif
