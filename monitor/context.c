/* context.c: which context the calling thread has: taken, when it first comes to a probe, from contexts.c. */
#define _GNU_SOURCE
#include "region_open.h"
#include "registers.h"
#include "step.h"

/* Threads that are not traced: every probe finds it busy. They share one allowance for what that costs. */
static struct refrain_context not_traced = {.busy = 1, .allowance = {.probes = REFRAIN_ALLOWANCE_PROBES}};

static void take_context(void *taken) {
    struct refrain_context **context = taken;
    if (!refrain_region_open())
        return; /* another thread is opening it: this probe is early, later ones count */
    *context = refrain_region.base ? refrain_region_take_context() : NULL;
    refrain_thread_context = *context ? *context : &not_traced;
}

struct refrain_context *refrain_context(void) {
    struct refrain_context *context = NULL;
    if (refrain_thread_context != &not_traced)
        refrain_keep_vectors(take_context, &context);
    return context;
}

void refrain_context_drop(void) {
    refrain_thread_context = &not_traced;
}

struct refrain_context *refrain_context_untraced(void) {
    return refrain_thread_context == &not_traced ? &not_traced : NULL;
}
