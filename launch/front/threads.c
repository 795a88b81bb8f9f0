/* threads.c: wraps pthread_create, so that threads are sampled from their first instruction on (REFRAIN_SAMPLE;
 * monitor/sample/sample.h). Without samples, it only forwards the call. */
#define _GNU_SOURCE
#include "front.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
#define EXPORTED __attribute__((visibility("default")))

/* Start function of a thread and its argument. */
struct start {
    void *(*function)(void *);
    void *argument;
};

static void *begin(void *data) {
    struct start start = *(struct start *)data;
    void *wrappers = refrain_front_wrappers();
    void (*begin_thread)(void) = NULL;
    free(data);
    if (wrappers)
        *(void **)&begin_thread = dlsym(wrappers, "refrain_sample_begin_thread");
    if (begin_thread)
        begin_thread();
    return start.function(start.argument);
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                            void *argument) {
    static create_function *real;
    create_function *next = __atomic_load_n(&real, __ATOMIC_RELAXED);
    if (!next) {
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
        if (!next)
            return ENOSYS; /* a program without the thread library */
        __atomic_store_n(&real, next, __ATOMIC_RELAXED);
    }
    const char *samples = getenv("REFRAIN_SAMPLE");
    struct start *start = samples && *samples ? malloc(sizeof *start) : NULL;
    if (!start)
        return next(thread, attributes, function, argument);
    *start = (struct start){function, argument};
    int status = next(thread, attributes, begin, start);
    if (status != 0)
        free(start);
    return status;
}
