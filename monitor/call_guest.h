/* call_guest.h: what operations of guests tell, counted by partner (struct refrain_guest_row). */
#ifndef REFRAIN_CALL_GUEST_H
#define REFRAIN_CALL_GUEST_H

#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* Counts an operation with its parameters. False where it is none that is counted so, or there is no room: its host is
 * to learn them. The calling thread's own. */
REFRAIN_HIDDEN bool refrain_guest_count(struct refrain_guest *guest, enum refrain_operation operation,
                                        const int64_t *parameters);

#endif
