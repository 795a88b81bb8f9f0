/* info_left.h: what refrain info says of constructs that the instrumentor left as they are (REFRAIN_LEFT). */
#ifndef REFRAIN_INFO_LEFT_H
#define REFRAIN_INFO_LEFT_H

#include "model/trace_read.h"

#include <jansson.h>

/* Prints how many there are in the program, and `most` of them with the reason; nothing where there is none. False
 * without memory. */
bool refrain_info_print_left(const struct refrain_trace *trace, size_t most);

/* All of them. Null without memory. */
json_t *refrain_info_left_json(const struct refrain_trace *trace);

#endif
