/* call_overflow.h: counts the operations of overflow sites by partner (struct refrain_overflow_row). */
#ifndef REFRAIN_CALL_OVERFLOW_H
#define REFRAIN_CALL_OVERFLOW_H

#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* Counts an operation with its parameters. False if operations of this kind are not counted, or without memory; then
 * the host learns them. By the calling thread for its own sites. */
REFRAIN_HIDDEN bool refrain_overflow_count(struct refrain_overflow_site *overflow, enum refrain_operation operation,
                                           const int64_t *parameters);

#endif
