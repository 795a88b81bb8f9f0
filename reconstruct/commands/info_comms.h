/* info_comms.h: prints the communicators of a run, with the numbers that events show (refrain info). */
#ifndef REFRAIN_INFO_COMMS_H
#define REFRAIN_INFO_COMMS_H

#include "model/trace_read.h"

#include <jansson.h>

/* Prints the communicators that the program made: their numbers in events, name and members. Communicators with the
 * same name and members share an entry. `verbose`: a line for each, else three in a line. If there are many, prints the
 * first ones. False without memory. */
bool refrain_info_print_comms(const struct refrain_trace *trace, bool verbose);

/* All of them, with every member. */
json_t *refrain_info_comms_json(const struct refrain_trace *trace);

#endif
