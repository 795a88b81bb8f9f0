/* outside.h: private memory beside the trace file, charged as it is touched (settings.h has the sizes).
 *
 * For each thread the most that its shadow stack and its table of call sites may need is reserved as addresses. The
 * budget has memory for a small part of that in each thread, and some more that the threads share. Any thread may call
 * these functions. */
#ifndef REFRAIN_OUTSIDE_H
#define REFRAIN_OUTSIDE_H

#include "context.h"
#include "visibility.h"
#include <refrain/settings.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets what all threads share of `total` bytes. Called once, before the first thread is traced. Returns the number of
 * entries in a thread's table of call sites, a power of two. */
REFRAIN_HIDDEN uint32_t refrain_outside_open(uint64_t total, uint32_t threads);

/* Entries of a shadow stack that each thread has in any case. */
#define REFRAIN_OUTSIDE_FIRST_ENTRIES (REFRAIN_OUTSIDE_STACK_BYTES / sizeof(struct refrain_entry))

/* Makes the thread's shadow stack longer. False where it is as long as it may be, or no shared memory is left. */
REFRAIN_HIDDEN bool refrain_outside_grow_stack(struct refrain_context *context);

/* Charges the pages of the thread's table of call sites that hold these bytes, where they are not charged yet. False
 * where no shared memory is left. */
REFRAIN_HIDDEN bool refrain_outside_touch_addresses(struct refrain_context *context, const void *at, size_t bytes);

#endif
