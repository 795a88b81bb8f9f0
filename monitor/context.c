/* context.c: the thread-local context, taken from those that were set up when the region was opened. */
#define _GNU_SOURCE
#include "region_open.h"
#include "step.h"

__thread struct refrain_context *refrain_thread_context;

/* Threads that are not traced: every probe finds it busy. */
static struct refrain_context not_traced = {.busy = 1};

struct refrain_context *refrain_context(void) {
    if (refrain_thread_context == &not_traced)
        return NULL;
    if (!refrain_region_open())
        return NULL; /* another thread is opening it: this probe is early, later ones count */
    struct refrain_context *context = refrain_region.base ? refrain_region_take_context() : NULL;
    refrain_thread_context = context ? context : &not_traced;
    return context;
}

void refrain_context_drop(void) {
    refrain_thread_context = &not_traced;
}
