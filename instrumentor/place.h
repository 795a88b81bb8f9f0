/* place.h: finds the positions in a source file where the text of a probe can be inserted (walk.h).
 *
 * A probe is inserted around an expression or in front of a statement. Each end of the insertion has to be beside a
 * token that is written in the file itself, not in a macro. Then the text between the two ends is, after preprocessing,
 * the code that libclang saw. An operand may begin with a macro if this macro is a whole operand: a literal, or text in
 * parentheses. */
#ifndef REFRAIN_PLACE_H
#define REFRAIN_PLACE_H

#include "source.h"

/* The functions that return a bool return false if no probe can be inserted. Offsets are in bytes of the file. */

/* For `keyword (condition) body`: *place is the text between the parentheses. */
bool refrain_place_condition(const struct refrain_source *source, unsigned begin, const char *keyword,
                             struct refrain_span condition, unsigned body, struct refrain_span *place);

/* For `do body while (condition)`: *place is the text between the parentheses. */
bool refrain_place_do(const struct refrain_source *source, struct refrain_span body, struct refrain_span condition,
                      struct refrain_span *place);

/* For `for (a; b; c) body`: *place is b, the text between the semicolons. It is empty if there is no condition. */
bool refrain_place_for(const struct refrain_source *source, unsigned begin, unsigned body, struct refrain_span *place);

/* Index of the operator's token between the operand `left` and the operand at `right`. The number of tokens if the
 * operator comes from a macro. */
size_t refrain_place_operator(const struct refrain_source *source, struct refrain_span left, unsigned right);

/* *place is the operand in front of the token `operator`. */
bool refrain_place_operand(const struct refrain_source *source, struct refrain_span operand, size_t operator,
                           struct refrain_span * place);

/* True if a probe can be inserted around the call `callee(arguments)`. */
bool refrain_place_call(const struct refrain_source *source, struct refrain_span call);

/* True if a probe can be inserted before the statement at `begin`. The statement before it ends at `previous`. */
bool refrain_place_statement(const struct refrain_source *source, unsigned begin, unsigned previous);

/* Sets *offset to the position for a function's own declarations: after the brace that opens its body, and after
 * __label__ declarations. */
bool refrain_place_frame(const struct refrain_source *source, unsigned body, unsigned *offset);

#endif
