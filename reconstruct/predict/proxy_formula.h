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

#include "common/array.h"
#include "common/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_formula_point {
    int64_t rank, value;
    size_t run;
};

/* Formulas that were looked for. Begins as zeros. */
struct refrain_formulas {
    struct refrain_formula_found {
        struct refrain_formula_point *points;
        size_t n;
        bool is_condition;
        char *text; /* null: there is none */
    } * all;
    size_t n, capacity;
    struct refrain_table by_points; /* (hash of the points, number among equal hashes) -> index + 1 */
};

/* Finds the simplest expression, malloced. `ranks`: number of ranks by run, all different, and the same for all
 * formulas. is_condition: values are 0 or 1, and the expression is a condition. Null: there is none, or no memory. */
char *refrain_formula_find(struct refrain_formulas *formulas, const struct refrain_formula_point *points, size_t n,
                           const int64_t *ranks, size_t n_runs, bool is_condition);
void refrain_formulas_close(struct refrain_formulas *formulas);

#endif
