/* thread_calls.h: what librefrain-threads.so (launch/threads.c) calls in the monitor (monitor/thread_calls.c). */
#ifndef REFRAIN_RECORD_THREAD_CALLS_H
#define REFRAIN_RECORD_THREAD_CALLS_H

#include <refrain/construct_names.h>

struct refrain_thread_calls {
    /* A call begins. `object`: the mutex, condition or barrier; null: none. `return_address`: of the call.
     * `frame_address`: of the function that the program called. Returns what `end` needs; null: it is not recorded. */
    void *(*begin)(enum refrain_construct_class class, const void *object, void *return_address, void *frame_address);
    /* It ends. `begun` is not null. By the same thread. */
    void (*end)(void *begun);
    /* True if this is code of the program, and the thread is in no call of MPI. */
    int (*is_of_program)(void *return_address);
};

/* In librefrain-threads.so: from now on, calls are recorded through these functions. */
#define REFRAIN_THREAD_CALLS_ATTACH "refrain_threads_attach"
typedef void refrain_threads_attach_function(const struct refrain_thread_calls *calls);

#endif
