/* formula_rows.h: what refrain formulas shows: a row for each formula of a construct (trace -> text, JSON).
 *
 *     learners of a rank --add--> a row each --merge--> one of the ranks that have the same formula --sort--> shown */
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

/* How values that are ranks are told: more ranks may have the same formula in one of these than in another. */
enum refrain_formula_form {
    REFRAIN_FORM_PLAIN,    /* 3 */
    REFRAIN_FORM_DISTANCE, /* (r+1) */
    REFRAIN_FORM_MODULO,   /* ((r+1) mod 16) */
    REFRAIN_FORM_XOR,      /* (r xor 2) */
    REFRAIN_FORMS
};

/* A formula of one construct, on the ranks where it is the same. */
struct refrain_formula_row {
    struct refrain_learner_view view;
    enum refrain_formula_type type;
    char *formula;              /* the one that is shown: one of the following */
    char *forms[REFRAIN_FORMS]; /* of ranks all, else REFRAIN_FORM_PLAIN only; null: not */
    size_t same[REFRAIN_FORMS]; /* rows of the construct that have the same text */
    uint64_t values, kept;      /* of one rank */
    int32_t rank;
    bool left_early;   /* a loop, at times: its counts are not those of single visits */
    double share;      /* of a decision without a short formula: of its values, those that are true; else -1 */
    size_t n_ranks;    /* that share it */
    const char *ranks; /* text, of the first of equal rows; null: the row is one of those before it */
};

struct refrain_formula_rows {
    struct refrain_formula_row *rows;
    size_t n, capacity;
    const struct refrain_process *process; /* that is being added */
    bool all;                              /* also what only the replay needs */
    bool no_memory;
};

/* Adds the formulas of the rank. False without memory. */
bool refrain_formula_rows_add(struct refrain_formula_rows *rows, const struct refrain_process *process);

/* Brings equal rows of different ranks together; those after the first are dropped. `steps`: ranks may be listed as
 * 0-14:2. False without memory. */
bool refrain_formula_rows_merge(struct refrain_formula_rows *rows, bool steps);

void refrain_formula_rows_sort(struct refrain_formula_rows *rows, enum refrain_formula_order order);

/* The part of a row's values that is held exactly. */
double refrain_formula_captured(const struct refrain_formula_row *row);

void refrain_formula_rows_free(struct refrain_formula_rows *rows);

#endif
