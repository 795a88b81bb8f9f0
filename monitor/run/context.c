/* context.c: gives each thread its context. A thread takes one (contexts.c) at its first probe and returns it when it
 * ends. */
#define _GNU_SOURCE
#include "context.h"
#include "arch/registers.h"
#include "begin.h"
#include "run/pool.h"
#include "run/tracing.h"
#include <refrain/settings.h>
#include <refrain/trace.h>

#include <pthread.h>

#define MOST_KEYS 32u /* pthread_setspecific() allocates memory for higher keys, which no probe may do */

static pthread_key_t ends; /* in a thread that has a context, its value is this context */
static bool has_ends;

/* The context of all threads that are not traced. It is always busy, so probes do nothing. Its allowance accounts for
 * their cost. */
static struct refrain_context not_traced = {.busy = 1, .allowance = {.probes = REFRAIN_ALLOWANCE_PROBES}};

/* Number of probes that ran while another thread was opening the trace file. */
static uint64_t early;

void refrain_context_count_early(void) {
    if (__atomic_load_n(&early, __ATOMIC_RELAXED))
        refrain_lose(REFRAIN_LOSS_INTERRUPTED, __atomic_exchange_n(&early, 0, __ATOMIC_RELAXED));
}

static void take_context(void *taken) {
    struct refrain_context **context = taken;
    if (!refrain_tracing_open()) {
        __atomic_fetch_add(&early, 1, __ATOMIC_RELAXED); /* only this probe is lost */
        return;
    }
    refrain_context_count_early();
    *context = refrain_trace_file.base ? refrain_tracing_take_context() : NULL;
    refrain_thread_context = *context ? *context : &not_traced;
    if (*context && has_ends)
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
