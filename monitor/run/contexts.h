/* contexts.h: the contexts of all threads that can be traced.
 *
 * Memory for all contexts is reserved before the first event (tracing.c). A context is filled when its thread runs its
 * first probe (context.c). So a thread that never starts touches no page of this memory. */
#ifndef REFRAIN_CONTEXTS_H
#define REFRAIN_CONTEXTS_H

#include "context.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* Bytes in the trace file for the records and journals of `n` threads. */
REFRAIN_HIDDEN uint64_t refrain_contexts_bytes(uint32_t n);

/* Reserves memory for all contexts and their tables, opens the file of recorded events if there is to be one, and fills
 * the first context. False without memory, with errno set. */
REFRAIN_HIDDEN bool refrain_contexts_make(void);

/* The context of the first thread. */
REFRAIN_HIDDEN struct refrain_context *refrain_contexts_first(void);

/* Returns a context that no running thread has: that of a thread that has ended, if there is one, else a new one. Null
 * if all are in use; this is counted as a loss. Any thread. */
REFRAIN_HIDDEN struct refrain_context *refrain_contexts_take(void);

/* Lets another thread take this context. The calling thread ends, and has no open activation. */
REFRAIN_HIDDEN void refrain_contexts_give(const struct refrain_context *context);

/* True if a thread has an open activation of the function with this slot number. Reads the stacks of running threads,
 * so it may miss an activation that begins at the same time. */
REFRAIN_HIDDEN bool refrain_contexts_have_open(uint64_t function);

/* True if no other thread is learning now, and none has learned since the last call of this function. */
REFRAIN_HIDDEN bool refrain_contexts_are_still(void);

/* Ends tracing in the calling thread (in the child of a fork). */
REFRAIN_HIDDEN void refrain_context_drop(void);

/* The context that all untraced threads share, if the calling thread is one of them; else null. */
REFRAIN_HIDDEN struct refrain_context *refrain_context_untraced(void);

/* A probe ran while another thread was opening the trace file. */
REFRAIN_HIDDEN void refrain_context_came_early(void);

/* Counts such probes as lost, unless they are counted already. */
REFRAIN_HIDDEN void refrain_context_count_early(void);

#endif
