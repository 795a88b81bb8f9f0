/* context.c: gives each thread its context. A thread takes one (contexts.c) at its first probe and returns it when it
 * ends. */
#define _GNU_SOURCE
#include "context.h"
#include "arch/registers.h"
#include "begin.h"
#include "run/contexts.h"
#include "run/pool.h"
#include "run/tracing.h"
#include <refrain/settings.h>
#include <refrain/trace.h>

#include <pthread.h>

#define MOST_KEYS 32u /* pthread_setspecific() allocates memory for higher keys, which no probe may do */

static pthread_key_t ends; /* in a thread that has a context, its value is this context */
static bool has_ends;

static void take_context(void *taken) {
    struct refrain_context **context = taken;
    if (!refrain_tracing_open()) {
        refrain_context_came_early(); /* only this probe is lost */
        return;
    }
    refrain_context_count_early();
    *context = refrain_trace_file.base ? refrain_tracing_take_context() : NULL;
    if (!*context) {
        refrain_context_drop();
        return;
    }
    refrain_thread_context = *context;
    if (has_ends)
        pthread_setspecific(ends, *context);
}

/* Called when a thread ends. Destructors that run later may make MPI calls; then the thread takes a context again. */
static void thread_ends(void *context) {
    if (refrain_thread_context == context)
        refrain_tracing_give_context(context);
}

static __attribute__((constructor(101))) void make_key(void) {
    has_ends = pthread_key_create(&ends, thread_ends) == 0 && ends < MOST_KEYS;
}

struct refrain_context *refrain_context(void) {
    struct refrain_context *context = NULL;
    if (!refrain_context_untraced())
        refrain_keep_vectors(take_context, &context);
    return context;
}
