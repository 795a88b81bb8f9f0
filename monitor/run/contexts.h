/* contexts.h: the contexts of all threads that can be traced: memory for all of them is taken before the first event
 * (tracing.c), and each is made when its thread first runs a probe (context.c), so that threads that are never started
 * touch no page. */
#ifndef REFRAIN_CONTEXTS_H
#define REFRAIN_CONTEXTS_H

#include "context.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* Bytes of the trace file that the records and journals of `n` threads take. */
REFRAIN_HIDDEN uint64_t refrain_contexts_bytes(uint32_t n);

/* Takes room for all of them and their tables in the trace file, opens the file where events are recorded, and makes
 * the first. False with errno set when there is no memory. */
REFRAIN_HIDDEN bool refrain_contexts_make(void);

/* The context that the first thread will get. */
REFRAIN_HIDDEN struct refrain_context *refrain_contexts_first(void);

/* A context that no running thread has: that of a thread which has ended, if there is one, else a new one. Null, and a
 * loss is counted, when none is left. Any thread. */
REFRAIN_HIDDEN struct refrain_context *refrain_contexts_take(void);

/* The calling thread ends, and nothing is open in it: another one may take its context. */
REFRAIN_HIDDEN void refrain_contexts_give(const struct refrain_context *context);

/* Has any thread an activation of the function with this slot number open? A look at the stacks of running threads,
 * which may miss one that begins at this moment. */
REFRAIN_HIDDEN bool refrain_contexts_have_open(uint64_t function);

/* True if no other thread is learning now, and none has learned since the last call of this function. */
REFRAIN_HIDDEN bool refrain_contexts_are_still(void);

#endif
