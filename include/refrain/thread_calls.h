/* thread_calls.h: what librefrain-threads.so (launch/thread_wrappers.c) calls in the monitor (monitor/thread_calls.c).
 */
#ifndef REFRAIN_RECORD_THREAD_CALLS_H
#define REFRAIN_RECORD_THREAD_CALLS_H

#include <refrain/construct_names.h>

struct refrain_thread_calls {
    /* A call begins. `object`: the mutex, condition, barrier or lock; null: none. `return_address`: of the call.
     * `frame_address`: of the function that the program called. Returns what `end` needs; null: it is not recorded. */
    void *(*begin)(enum refrain_construct_class class, const void *object, void *return_address, void *frame_address);
    /* The call has ended. The thread that began it calls this. `begun` is not null. */
    void (*end)(void *begun);
    /* True if this is code of the program, and calls of the thread are recorded now (monitor/thread_calls.h). */
    int (*is_of_program)(void *return_address);
};

/* Name of a function in librefrain-threads.so. After the monitor has called it, the library records calls through
 * `calls`. */
#define REFRAIN_THREAD_CALLS_ATTACH "refrain_threads_attach"
typedef void refrain_threads_attach_function(const struct refrain_thread_calls *calls);

#endif
