/* thread_calls.h: what librefrain-threads.so (launch/thread_wrappers.c) calls in the monitor (monitor/thread_calls.c)
 * at calls of the thread library, and librefrain-record.so (launch/front/ompt.c) at constructs of OpenMP. */
#ifndef REFRAIN_RECORD_THREAD_CALLS_H
#define REFRAIN_RECORD_THREAD_CALLS_H

#include <refrain/construct_names.h>
#include <stdint.h>

/* What a call is about; and a construct, of which the runtime says when it begins. */
struct refrain_thread_call {
    enum refrain_construct_class class;
    bool block;           /* region of the block of an OpenMP construct */
    const void *object;   /* the mutex, condition, barrier or lock; null: none */
    const void *mutex;    /* that a wait for a condition gives back, and gets again; null: none */
    uint32_t thread;      /* number of the thread that CREATE creates or THREAD is, from 1 on; 0: unknown */
    void *return_address; /* of the call */
    void *frame_address;  /* of the function that the program called */
};

struct refrain_thread_calls {
    /* A call begins. Returns what `end` needs; null: it is not recorded. */
    void *(*begin)(const struct refrain_thread_call *call);
    /* The call has ended. The thread that began it calls this. `begun` is not null. `thread`: number of the thread that
     * the call has waited for; 0: none, or unknown. */
    void (*end)(void *begun, uint32_t thread);
    /* A construct is nested too deeply for its library to record it: counts it as lost. */
    void (*lose)(void);
    /* True if this is code of the program, and calls of the thread are recorded now (monitor/thread_calls.h). */
    int (*is_of_program)(void *return_address);
};

/* Names of functions in librefrain-threads.so and librefrain-record.so. After the monitor has called it, the library
 * records calls through `calls`. */
#define REFRAIN_THREAD_CALLS_ATTACH "refrain_threads_attach"
#define REFRAIN_OPENMP_ATTACH "refrain_openmp_attach"
typedef void refrain_threads_attach_function(const struct refrain_thread_calls *calls);

#endif
