/* begin.h: begins and ends a probe, or the monitor's part of an MPI call. In between context->busy is set. So another
 * probe of the same thread, in a signal handler, only counts itself. */
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

/* The same if the caller has the thread's context, and no probe has begun. */
static inline void refrain_begin_in(struct refrain_context *context) {
    context->busy = 1;
    refrain_keep_order();
}

static inline void refrain_end(struct refrain_context *context) {
    refrain_publish(&context->busy, 0); /* published, since a thread that ends the trace reads it */
}

#endif
