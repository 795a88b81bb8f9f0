/* user.h: records of regions, markers and counters that a program names (refrain/refrain.h), for user.c and pause.c. */
#ifndef REFRAIN_USER_H
#define REFRAIN_USER_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The thread's record with this name and use. Makes it if there is none. Null if the pool is full. Inside a probe. */
REFRAIN_HIDDEN struct refrain_region_name *refrain_user_record(struct refrain_context *context, const char *name,
                                                               enum refrain_region_use use);

/* Records a value of `record`, which is never entered: with the time of a new clock read, or (`ends_block` false) with
 * that of the latest one. Inside a probe. */
REFRAIN_HIDDEN void refrain_user_record_value(struct refrain_context *context, struct refrain_region_name *record,
                                              int64_t value, bool ends_block);

/* The record of the region on top of the shadow stack, in which nothing was called. */
static inline struct refrain_region_name *refrain_user_record_on_top(const struct refrain_context *context) {
    return (struct refrain_region_name *)(void *)((char *)context->top->last -
                                                  offsetof(struct refrain_region_name, inside));
}

#endif
