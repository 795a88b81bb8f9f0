/* begin.h: a probe, or the monitor's part of an MPI call, begins and ends. Between the two context->busy is set, so
 * that another probe of the same thread, in a signal handler, does nothing but count itself. */
#ifndef REFRAIN_BEGIN_H
#define REFRAIN_BEGIN_H

#include "arch/arch.h"
#include "context.h"
#include "run/loaded_units.h"
#include "run/pool.h"
#include <refrain/trace.h>
#include <stddef.h>

static inline struct refrain_context *refrain_begin(void) {
    struct refrain_context *context = refrain_thread_context;
    refrain_place = NULL;
    if (__builtin_expect(context == NULL, 0)) {
        context = refrain_context();
        if (!context)
            return NULL;
    }
    if (__builtin_expect(context->busy, 0)) {
        if (context->trace_file && context->busy != REFRAIN_PAUSED)
            refrain_lose(REFRAIN_LOSS_INTERRUPTED, 1);
        return NULL;
    }
    context->busy = 1;
    refrain_keep_order();
    return context;
}

/* The same where the thread's context is at hand, and no probe has begun. */
static inline void refrain_begin_in(struct refrain_context *context) {
    context->busy = 1;
    refrain_keep_order();
}

static inline void refrain_end(struct refrain_context *context) {
    refrain_publish(&context->busy, 0); /* a thread that ends the trace looks at it */
}

#endif
