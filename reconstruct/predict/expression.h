/* expression.h: the expressions of a program's values (program.h), evaluated for a rank.
 *
 *     "rank == 0 ? -1 : (rank - 1) % side(2, 0)"
 *
 * Numbers, `rank`, `ranks`, the operators of C without assignments (? || && ^ == != < <= > >= + - * / %), parentheses,
 * and the functions side(n, i), log2_of(n), block(n, parts, i), transposed(rank, columns, rows) of proxy_terms.inc. */
#ifndef REFRAIN_EXPRESSION_H
#define REFRAIN_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

enum refrain_expression_result {
    REFRAIN_EXPRESSION_OK,
    REFRAIN_EXPRESSION_WRONG, /* it is no expression */
    REFRAIN_EXPRESSION_UNDEFINED, /* it has no value here: a division by zero, a number beyond 64 bits */
};

/* Evaluates the text. *end: where it ends or goes wrong; may be null. */
enum refrain_expression_result refrain_expression_evaluate(const char *text, int64_t rank, int64_t ranks,
                                                           int64_t *value, const char **end);

#endif
