/* formula_text.h: a learner's formula in the notation of Yan, Jin and Schmidt, section 2.3 (learner -> text).
 *
 *     a^n                     a, n times
 *     (a b .. z)^n            from a to z in equal steps, n times over
 *     a^p b^q (c^r d^s)^n     a prologue, then a cycle
 *     (3+2i 5^(i))^{i<n}      nested: i counts 0 .. n-1; values and counts are affine in the counters around them
 *     a b c [n more, again]   n further values of a cycle that is written out once, among the terms before
 *     ... +r                  the last cycle has begun once more: r further values of it
 *     {n: a b c ...}          a summary of n values, the most frequent first; their order is not known
 */
#ifndef REFRAIN_FORMULA_TEXT_H
#define REFRAIN_FORMULA_TEXT_H

#include <refrain/formula.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The first four are those of the paper. All but the last keep the sequence exactly. An archive is no formula. */
enum refrain_formula_type {
    REFRAIN_TYPE_IDENTITY,  /* one value */
    REFRAIN_TYPE_GENERAL,   /* runs of values, one after the other */
    REFRAIN_TYPE_ITERATION, /* values in equal steps, repeated */
    REFRAIN_TYPE_CYCLE,     /* runs, repeated, after a prologue of runs */
    REFRAIN_TYPE_NESTED,    /* one formula of another kind: cycles of cycles, triangles; after a prologue */
    REFRAIN_TYPE_SEVERAL,   /* formulas one after the other */
    REFRAIN_TYPE_ARCHIVE,   /* more than half of the values are written one by one */
    REFRAIN_TYPE_SUMMARY,   /* the end of the sequence is not exact */
    REFRAIN_TYPES
};

const char *refrain_formula_type_name(enum refrain_formula_type type);

/* True for formulas; false for archives and summaries. */
bool refrain_formula_type_captures(enum refrain_formula_type type);

/* Writes a constant value. */
typedef void refrain_show_value(FILE *file, const void *data, int64_t value);

/* The formula as text, which the caller frees; null without memory. Sets *type. `own_rank`: the values are ranks,
 * and are written as distances to this one, "r+1", except those of a summary; may be null. `show`: writes values;
 * null: as numbers. A damaged learner gives "(damaged: ...)". */
char *refrain_formula_text(const void *image, size_t image_bytes, const struct refrain_learner *learner,
                           const int32_t *own_rank, refrain_show_value *show, const void *data,
                           enum refrain_formula_type *type);

#endif
