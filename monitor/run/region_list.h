/* region_list.h: the names of user regions and phases. */
#ifndef REFRAIN_REGION_LIST_H
#define REFRAIN_REGION_LIST_H

#include "visibility.h"
#include <refrain/trace.h>

/* Puts a new record into the list of regions. Any thread. */
REFRAIN_HIDDEN void refrain_region_add(struct refrain_region_name *record);

#endif
