/* info_comms.h: what refrain info says of communicators: whose number is which. */
#ifndef REFRAIN_INFO_COMMS_H
#define REFRAIN_INFO_COMMS_H

#include "model/trace_read.h"

#include <jansson.h>

/* Prints a line for each communicator but MPI_COMM_WORLD and MPI_COMM_SELF: the number that events have it under, its
 * name and its members. Of many, the first. */
void refrain_info_print_comms(const struct refrain_trace *trace);

/* All of them, with every member. */
json_t *refrain_info_comms_json(const struct refrain_trace *trace);

#endif
