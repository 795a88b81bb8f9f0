/* region_list.h: adds user regions, and functions without probes, to the list in the trace file. */
#ifndef REFRAIN_REGION_LIST_H
#define REFRAIN_REGION_LIST_H

#include "visibility.h"
#include <refrain/trace.h>

/* Adds a new record to the list and gives it a number. Any thread. */
REFRAIN_HIDDEN void refrain_region_add(struct refrain_region_name *record);

#endif
