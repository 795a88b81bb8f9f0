/* outside.h: private memory beside the trace file, which is charged when it is touched (settings.h has the sizes).
 *
 * Each thread has addresses for the largest shadow stack and table of call sites that it may need. The budget has
 * memory for a small part of them in each thread, and a rest that all threads share. Any thread may call these
 * functions. */
#ifndef REFRAIN_OUTSIDE_H
#define REFRAIN_OUTSIDE_H

#include "context.h"
#include "visibility.h"
#include <refrain/settings.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets what all threads share of `total` bytes. To be called once, before the first thread is traced. Returns the
 * number of entries in a thread's table of call sites, a power of two. */
REFRAIN_HIDDEN uint32_t refrain_outside_open(uint64_t total, uint32_t threads);

/* Entries of the shadow stack that each thread has without a charge. */
#define REFRAIN_OUTSIDE_FIRST_ENTRIES (REFRAIN_OUTSIDE_STACK_BYTES / sizeof(struct refrain_entry))

/* Enlarges the thread's shadow stack. False if it has its full size, or if no shared memory is left. */
REFRAIN_HIDDEN bool refrain_outside_grow_stack(struct refrain_context *context);

/* Charges the pages of the thread's table of call sites that hold these bytes, unless they are charged already. False
 * if no shared memory is left. */
REFRAIN_HIDDEN bool refrain_outside_touch_addresses(struct refrain_context *context, const void *at, size_t bytes);

#endif
