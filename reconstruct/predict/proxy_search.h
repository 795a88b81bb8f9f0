/* proxy_search.h: the state of a search for an expression, as proxy_formula.c and proxy_numbers.c share it. */
#ifndef REFRAIN_PROXY_SEARCH_H
#define REFRAIN_PROXY_SEARCH_H

#include "predict/proxy_formula.h"

/* Of several runs: how many must have a constant. A number with one or two constants must hold in one or two more. */
#define FEWEST 2
#define MOST_ALONE 8 /* ranks that may be exceptions by their number */
#define MOST_COORDINATES 64
#define MOST_TEXT 96 /* bytes of a number or coordinate */

/* A number that depends on the number of ranks alone. */
struct term {
    char text[MOST_TEXT];
    int64_t *by_run;
    bool divides; /* it is never 0 */
};

/* (rank / divisor) % size */
struct coordinate {
    char text[MOST_TEXT], size[MOST_TEXT], divisor[MOST_TEXT];
    int64_t *divisors, *sizes; /* by run */
};

enum { TERMS = 11 };

struct search {
    size_t n_runs;
    const int64_t *ranks;
    struct term terms[TERMS];
    size_t n_terms;
    struct coordinate coordinates[MOST_COORDINATES];
    size_t n_coordinates;
    int64_t *numbers;          /* by run: what a leaf adds */
    int64_t *slopes;           /* by run: what a leaf multiplies by */
    bool *present;             /* by run: it has points */
    int64_t alone[MOST_ALONE]; /* ranks with another value than most */
    size_t n_alone;
    bool constants; /* numbers that depend on the number of ranks are not looked for */
    size_t work;
    bool no_memory;
};

static inline int64_t refrain_formula_position(const struct coordinate *coordinate,
                                               const struct refrain_formula_point *p) {
    return p->rank / coordinate->divisors[p->run] % coordinate->sizes[p->run];
}

/* ---- proxy_numbers.c ---- */

/* Adds the terms and coordinates that the numbers of ranks have. Without memory sets search->no_memory. */
void refrain_formula_add_coordinates(struct search *search);

/* Writes a number that each run which is present has. False if there is none. */
bool refrain_formula_number(const struct search *search, const int64_t *number, char *text);

#endif
