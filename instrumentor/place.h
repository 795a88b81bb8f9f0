/* place.h: where in the text a probe may stand (walk.h).
 *
 * Both ends of an insertion are next to tokens that are spelled in the file, outside any macro invocation; what lies
 * between them is then the same sequence of tokens after preprocessing as libclang saw. An operand that begins with an
 * invocation is taken when the macro is one operand by itself (a literal, or in parentheses).
 */
#ifndef REFRAIN_PLACE_H
#define REFRAIN_PLACE_H

#include "source.h"

/* Each returns false when no probe may stand there. */

/* keyword (condition) body: the place between the parentheses. */
bool refrain_place_condition(const struct refrain_source *source, unsigned begin, const char *keyword,
                             struct refrain_span condition, unsigned body, struct refrain_span *place);

/* do body while (condition) */
bool refrain_place_do(const struct refrain_source *source, struct refrain_span body, struct refrain_span condition,
                      struct refrain_span *place);

/* for (a; b; c) body: the place between the semicolons; empty when there is no condition. */
bool refrain_place_for(const struct refrain_source *source, unsigned begin, unsigned body, struct refrain_span *place);

/* The operator between two operands when it is spelled there: its token's index; count of tokens when it is not. */
size_t refrain_place_operator(const struct refrain_source *source, struct refrain_span left, unsigned right);

/* The operand that ends before the token `operator`. */
bool refrain_place_operand(const struct refrain_source *source, struct refrain_span operand, size_t operator,
                           struct refrain_span *place);

/* callee(arguments) */
bool refrain_place_call(const struct refrain_source *source, struct refrain_span call);

/* Whether a statement may be written before the one that begins at `begin`; `previous` is where the one before ends. */
bool refrain_place_statement(const struct refrain_source *source, unsigned begin, unsigned previous);

/* After the body's brace and local label declarations. */
bool refrain_place_frame(const struct refrain_source *source, unsigned body, unsigned *offset);

#endif
