/* info_many.h: what refrain info says of many ranks: what they have in common once, and which are exceptions. */
#ifndef REFRAIN_INFO_MANY_H
#define REFRAIN_INFO_MANY_H

#include "commands/info_learned.h"

/* Looks at all ranks and prints it. Shows progress where that takes long. */
enum refrain_status refrain_info_print_many(const struct refrain_trace *trace, struct refrain_error *error);

#endif
