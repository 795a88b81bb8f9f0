/* context.c: which context the calling thread has: taken, when it first comes to a probe, from contexts.c, and given
 * back when the thread ends. */
#define _GNU_SOURCE
#include "context.h"
#include "arch/registers.h"
#include "begin.h"
#include "run/pool.h"
#include "run/tracing.h"
#include <refrain/settings.h>
#include <refrain/trace.h>

#include <pthread.h>

#define MOST_KEYS 32u /* what a thread keeps for further ones is allocated, which no probe may do */

static pthread_key_t ends; /* its value, of a thread that has a context, is the context */
static bool has_ends;

/* Threads that are not traced: every probe finds it busy. They share one allowance for what that costs. */
static struct refrain_context not_traced = {.busy = 1, .allowance = {.probes = REFRAIN_ALLOWANCE_PROBES}};

/* Probes that threads met while another one was opening the trace file. */
static uint64_t early;

void refrain_context_count_early(void) {
    if (__atomic_load_n(&early, __ATOMIC_RELAXED))
        refrain_lose(REFRAIN_LOSS_INTERRUPTED, __atomic_exchange_n(&early, 0, __ATOMIC_RELAXED));
}

static void take_context(void *taken) {
    struct refrain_context **context = taken;
    if (!refrain_tracing_open()) {
        __atomic_fetch_add(&early, 1, __ATOMIC_RELAXED); /* this probe is lost, later ones are not */
        return;
    }
    refrain_context_count_early();
    *context = refrain_trace_file.base ? refrain_tracing_take_context() : NULL;
    refrain_thread_context = *context ? *context : &not_traced;
    if (*context && has_ends)
        pthread_setspecific(ends, *context);
}

/* A thread ends, or one of its own destructors that come after this one is still to make a call: then it takes a
 * context again. */
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
