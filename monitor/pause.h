/* pause.h: a process that is not traced for a while (refrain_pause, refrain pause).
 *
 *     header.pause: 1 --> a thread's next MPI call, or refrain_pause() itself --> region "paused" on its shadow stack
 *                   0 --> its next MPI call, or refrain_resume() itself       --> the region ends
 *
 * The word in the header is what all threads follow; it is also written from outside, through the trace file. While a
 * thread is paused `context->busy` is REFRAIN_PAUSED: probes find it so and do nothing, but those by which a function
 * is left that was open before: it is ended, and the pause goes on below it. Requests that complete in a pause are
 * given back after it, as those that another thread completed; messages are counted (untold.h). */
#ifndef REFRAIN_PAUSE_H
#define REFRAIN_PAUSE_H

#include "context.h"
#include "run/pool.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* The thread follows the header where that says something else; not inside an MPI call. `frame_address`: of the
 * function that was called, as for refrain_drop_above_caller(). */
REFRAIN_HIDDEN void refrain_pause_follow(struct refrain_context *context, const void *frame_address);

/* An MPI call is about to be told. True where it is not to be: it is counted. */
static inline bool refrain_pause_call(struct refrain_context *context, const void *frame_address) {
    if (__builtin_expect(!context->thread || !(refrain_trace_file.header->pause | context->thread->paused), 1))
        return false;
    refrain_pause_follow(context, frame_address);
    context->thread->untold_calls += context->thread->paused;
    return context->thread->paused;
}

/* The function with this frame is left (refrain_probe_leave) while the thread is paused, if it is. */
REFRAIN_HIDDEN void refrain_pause_leave(uintptr_t frame);

/* The thread ends. */
REFRAIN_HIDDEN void refrain_pause_end(struct refrain_context *context);

#endif
