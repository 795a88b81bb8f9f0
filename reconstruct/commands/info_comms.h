/* info_comms.h: what refrain info says of communicators: whose number is which. */
#ifndef REFRAIN_INFO_COMMS_H
#define REFRAIN_INFO_COMMS_H

#include "model/trace_read.h"

#include <jansson.h>

/* Prints the communicators that the program made: the numbers that events have them under, their name and their
 * members; those with the same name and members together. Of many it prints the first: verbose a line each, else three
 * in a line. False without memory. */
bool refrain_info_print_comms(const struct refrain_trace *trace, bool verbose);

/* All of them, with every member. */
json_t *refrain_info_comms_json(const struct refrain_trace *trace);

#endif
