/* proxy_formula.h: finds an expression of C that has given values on given ranks of runs (proxy.h).
 *
 *     rank        0  1  2  3      0  1  2  3  4  5  6  7
 *     ranks       4  4  4  4      8  8  8  8  8  8  8  8        ->        rank == 0 ? -1 : rank - 1
 *     value      -1  0  1  2     -1  0  1  2  3  4  5  6
 *
 * An expression has constants, `rank`, `ranks`, and the functions side(), log2_of() and block() of the program
 * (proxy_terms.inc). It is exact on all points. So that it says something of other numbers of ranks, too, each of its
 * parts must hold in more runs than it has numbers to choose. Of one run, it has only to be shorter than a table. */
#ifndef REFRAIN_PROXY_FORMULA_H
#define REFRAIN_PROXY_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_formula_point {
    int64_t rank, value;
    size_t run;
};

/* Finds the simplest expression, malloced. `ranks`: number of ranks by run, all different. is_condition: values are 0
 * or 1, and the expression is a condition. Null: there is none, or no memory. */
char *refrain_formula_find(const struct refrain_formula_point *points, size_t n, const int64_t *ranks, size_t n_runs,
                           bool is_condition);

#endif
