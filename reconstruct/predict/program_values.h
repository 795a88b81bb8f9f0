/* program_values.h: lists of the values that ranks had at one point -> expressions (proxy.h -> program.h). */
#ifndef REFRAIN_PROGRAM_VALUES_H
#define REFRAIN_PROGRAM_VALUES_H

#include "predict/program.h"
#include "predict/proxy.h"

/* Finds the value whose lists these are, one list a rank. `peers`: lists of the ranks that the values are for; null:
 * none. Where the peer is none, a value is free. is_condition: values are 0 or 1, and the expression is a condition.
 * False without memory; the caller frees *value in any case. */
bool refrain_value_find(struct refrain_proxy *proxy, const struct refrain_proxy_list *lists,
                        const struct refrain_proxy_list *peers, bool is_condition, struct refrain_value *value);

/* The same for a value of an item in a loop, whose values begin anew or change when the loop begins. *value stays as it
 * is if they do not, or if they are a table even so. */
bool refrain_value_find_pace(struct refrain_proxy *proxy, size_t item, const struct refrain_proxy_list *lists,
                             bool is_condition, struct refrain_value *value);

#endif
