/* info_left.h: the part of refrain info about constructs that have no probes, with the reason (REFRAIN_LEFT). */
#ifndef REFRAIN_INFO_LEFT_H
#define REFRAIN_INFO_LEFT_H

#include "model/trace_read.h"

#include <jansson.h>

/* Prints how many such constructs the program has, and up to `most` of them. Prints nothing if it has none. False
 * without memory. */
bool refrain_info_print_left(const struct refrain_trace *trace, size_t most);

/* All of them as JSON. Null without memory. */
json_t *refrain_info_left_json(const struct refrain_trace *trace);

#endif
