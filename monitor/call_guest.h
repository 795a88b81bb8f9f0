/* call_guest.h: counts the operations of overflow sites by partner (struct refrain_guest_row). */
#ifndef REFRAIN_CALL_GUEST_H
#define REFRAIN_CALL_GUEST_H

#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* Counts an operation with its parameters. False if operations of this kind are not counted, or without memory; then
 * the host learns them. By the calling thread for its own sites. */
REFRAIN_HIDDEN bool refrain_guest_count(struct refrain_guest *guest, enum refrain_operation operation,
                                        const int64_t *parameters);

#endif
