/* formula_rows.h: the rows of refrain formulas: one for each formula of a construct (trace -> text, JSON).
 *
 *     learners of a rank --add--> a row each --merge--> one row for all ranks with the same formula --sort--> shown */
#ifndef REFRAIN_FORMULA_ROWS_H
#define REFRAIN_FORMULA_ROWS_H

#include "analysis/formula_text.h"
#include "model/learners.h"

#define REFRAIN_SHOWN_FORMULA_CHARACTERS 160u

enum refrain_formula_order {
    REFRAIN_ORDER_BY_SOURCE,
    REFRAIN_ORDER_BY_VALUES,
    REFRAIN_ORDER_BY_TYPE,
    REFRAIN_ORDER_BY_CAPTURED
};

/* Forms in which ranks are written. A formula may be equal on more ranks in one form than in another. */
enum refrain_formula_form {
    REFRAIN_FORM_PLAIN,    /* 3 */
    REFRAIN_FORM_DISTANCE, /* (r+1) */
    REFRAIN_FORM_MODULO,   /* ((r+1) mod 16) */
    REFRAIN_FORM_XOR,      /* (r xor 2) */
    REFRAIN_FORMS
};

/* A formula of one construct, and the ranks that have it. */
struct refrain_formula_row {
    struct refrain_learner_view view;
    enum refrain_formula_type type;
    char *formula;              /* the chosen one of `forms` */
    char *forms[REFRAIN_FORMS]; /* ranks have all forms, other values only REFRAIN_FORM_PLAIN; null: not available */
    size_t same[REFRAIN_FORMS]; /* number of rows of the construct with the same text */
    uint64_t values, kept;      /* of one rank */
    int32_t rank;
    bool left_early;   /* a loop that was sometimes left early, or a do loop that may have been */
    double share;      /* of a decision without a short formula: fraction of true values; else -1 */
    size_t n_ranks;    /* ranks with this formula */
    const char *ranks; /* in the first of equal rows: text; null: the row was joined to an earlier one */
};

struct refrain_formula_rows {
    struct refrain_formula_row *rows;
    size_t n, capacity;
    const struct refrain_process *process; /* the one that is being added */
    bool all;                              /* include learners that only the replay needs */
    bool no_memory;
};

/* Adds the formulas of the rank. False without memory. */
bool refrain_formula_rows_add(struct refrain_formula_rows *rows, const struct refrain_process *process);

/* Joins equal rows of different ranks, and drops all but the first. `steps`: ranks may be written as 0-14:2. False
 * without memory. */
bool refrain_formula_rows_merge(struct refrain_formula_rows *rows, bool steps);

void refrain_formula_rows_sort(struct refrain_formula_rows *rows, enum refrain_formula_order order);

/* The fraction of the values of a row that is kept exactly. */
double refrain_formula_captured(const struct refrain_formula_row *row);

void refrain_formula_rows_free(struct refrain_formula_rows *rows);

#endif
