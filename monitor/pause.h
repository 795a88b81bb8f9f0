/* pause.h: suspends tracing for a time (refrain_pause, refrain pause).
 *
 *     header.pause: 1 --> a thread's next MPI call, or refrain_pause() itself --> region "paused" on its shadow stack
 *                   0 --> its next MPI call, or refrain_resume() itself       --> the region ends
 *
 * All threads follow the word, also at recorded calls of pthreads. It is also written from outside, through the trace
 * file. While a thread is paused, `context->busy` is REFRAIN_PAUSED, so probes do nothing. One exception: if the
 * program leaves a function that was open when the pause began, the function's activation ends, and the region "paused"
 * begins again in its caller. If a request completes during a pause, its number in the trace becomes free after the
 * pause, as if another thread had completed the request. Messages and collectives are counted (untold.h). */
#ifndef REFRAIN_PAUSE_H
#define REFRAIN_PAUSE_H

#include "context.h"
#include "run/pool.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* Begins or ends the pause of the thread if the header says so. Begins no pause while the thread is inside an MPI
 * call. `frame_address`: of the
 * function that was called, as for refrain_drop_above_caller(). */
REFRAIN_HIDDEN void refrain_pause_follow(struct refrain_context *context, const void *frame_address);

/* Called before an MPI call is recorded. True if it must not be recorded; then it is counted. */
static inline bool refrain_pause_call(struct refrain_context *context, const void *frame_address) {
    if (__builtin_expect(!context->thread || !(refrain_trace_file.header->pause | context->thread->paused), 1))
        return false;
    refrain_pause_follow(context, frame_address);
    context->thread->untold_calls += context->thread->paused;
    return context->thread->paused;
}

/* Called by refrain_probe() and by site_run.c if the program leaves the function with this frame. Does something only
 * while the thread is paused. */
REFRAIN_HIDDEN void refrain_pause_leave(uintptr_t frame);

/* Ends the pause of a thread that ends. */
REFRAIN_HIDDEN void refrain_pause_end(struct refrain_context *context);

#endif
