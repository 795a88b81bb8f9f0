/* place.h: finds positions for probes in the text (walk.h).
 *
 * Both ends of an insertion are next to tokens that are spelled in the file, outside of macro invocations. So the
 * text between them has the same tokens after preprocessing that libclang saw. An operand that begins with an
 * invocation is accepted if the macro is a single operand: a literal, or in parentheses. */
#ifndef REFRAIN_PLACE_H
#define REFRAIN_PLACE_H

#include "source.h"

/* A function that returns a bool returns false if no probe can be inserted. */

/* keyword (condition) body: the text between the parentheses. */
bool refrain_place_condition(const struct refrain_source *source, unsigned begin, const char *keyword,
                             struct refrain_span condition, unsigned body, struct refrain_span *place);

/* do body while (condition) */
bool refrain_place_do(const struct refrain_source *source, struct refrain_span body, struct refrain_span condition,
                      struct refrain_span *place);

/* for (a; b; c) body: the text between the semicolons; empty without a condition. */
bool refrain_place_for(const struct refrain_source *source, unsigned begin, unsigned body, struct refrain_span *place);

/* Index of the token of the operator between two operands, if it is spelled there; else the number of tokens. */
size_t refrain_place_operator(const struct refrain_source *source, struct refrain_span left, unsigned right);

/* The operand that ends before the token `operator`. */
bool refrain_place_operand(const struct refrain_source *source, struct refrain_span operand, size_t operator,
                           struct refrain_span * place);

/* callee(arguments) */
bool refrain_place_call(const struct refrain_source *source, struct refrain_span call);

/* True if a statement can be inserted before the one at `begin`; `previous`: end of the statement before. */
bool refrain_place_statement(const struct refrain_source *source, unsigned begin, unsigned previous);

/* After the opening brace of the body and its local label declarations. */
bool refrain_place_frame(const struct refrain_source *source, unsigned body, unsigned *offset);

#endif
