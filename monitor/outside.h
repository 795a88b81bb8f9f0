/* outside.h: private memory beside the trace file, charged as it is touched (settings.h has the sizes).
 *
 * Shadow stacks and tables of call sites are reserved for the most that a thread may need, but the budget has only a
 * little for each thread, and some more that those share which need it. Any thread. */
#ifndef REFRAIN_OUTSIDE_H
#define REFRAIN_OUTSIDE_H

#include "monitor.h"
#include <refrain/settings.h>

/* What all threads share of `total` bytes; once, before the first thread is traced. Returns how many entries the table
 * of call sites of a thread has, a power of two. */
REFRAIN_HIDDEN uint32_t refrain_outside_open(uint64_t total, uint32_t threads);

/* Entries of a shadow stack that each thread has in any case. */
#define REFRAIN_OUTSIDE_FIRST_ENTRIES (REFRAIN_OUTSIDE_STACK_BYTES / sizeof(struct refrain_entry))

/* Room for more activations of the thread: false where it has the most, or nothing is left to share. */
REFRAIN_HIDDEN bool refrain_outside_grow_stack(struct refrain_context *context);

/* Charges the pages of the thread's table of call sites that these bytes lie in, where they are not yet. */
REFRAIN_HIDDEN bool refrain_outside_touch_addresses(struct refrain_context *context, const void *at, size_t bytes);

#endif
