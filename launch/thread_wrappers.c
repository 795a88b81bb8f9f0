/* thread_wrappers.c: librefrain-threads.so, which `refrain record --threads=pthread` preloads. It wraps calls of the
 * thread library, and lets the monitor record them (refrain/thread_calls.h). Until the monitor has opened a trace, and
 * in processes without one, calls are only forwarded. */
#define _GNU_SOURCE
#include <refrain/thread_calls.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORTED __attribute__((visibility("default")))

static const struct refrain_thread_calls *calls; /* null: nothing is recorded */
static __thread bool is_of_library;              /* the program did not create this thread */
EXPORTED refrain_threads_attach_function refrain_threads_attach;

void refrain_threads_attach(const struct refrain_thread_calls *with) {
    __atomic_store_n(&calls, with, __ATOMIC_RELEASE);
}

static inline void *begin(enum refrain_construct_class class, const void *object, void *return_address,
                          void *frame_address) {
    const struct refrain_thread_calls *with = __atomic_load_n(&calls, __ATOMIC_ACQUIRE);
    return with && !is_of_library ? with->begin(class, object, return_address, frame_address) : NULL;
}

static inline void end(void *begun) {
    if (begun)
        calls->end(begun);
}

/* The function of the C library. Conditions have an older version, with another layout, in glibc on x86-64. Other
 * functions are not looked for by version: a search that fails allocates memory, and an allocator may lock mutexes. */
static __attribute__((noinline)) void *look_for(const char *name) {
    void *found = NULL;
#if defined(__GLIBC__) && defined(__x86_64__)
    if (strncmp(name, "pthread_cond_", 13) == 0)
        found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
#endif
    return found ? found : dlsym(RTLD_NEXT, name);
}

/* Defines the wrapper of a function. `object`: the mutex, condition or barrier that the call waits for. */
#define WRAPPER(name, class, object, declared, passed)                                                                 \
    EXPORTED int name declared {                                                                                       \
        static int(*known) declared;                                                                                   \
        int(*real) declared = __atomic_load_n(&known, __ATOMIC_RELAXED);                                               \
        if (__builtin_expect(!real, 0)) {                                                                              \
            *(void **)&real = look_for(#name);                                                                         \
            if (!real)                                                                                                 \
                return ENOSYS;                                                                                         \
            __atomic_store_n(&known, real, __ATOMIC_RELAXED);                                                          \
        }                                                                                                              \
        void *begun =                                                                                                  \
            begin(REFRAIN_CONSTRUCT_##class, object, __builtin_return_address(0), __builtin_frame_address(0));         \
        int status = real passed;                                                                                      \
        end(begun);                                                                                                    \
        return status;                                                                                                 \
    }

WRAPPER(pthread_mutex_lock, MUTEX_LOCK, mutex, (pthread_mutex_t * mutex), (mutex))
WRAPPER(pthread_mutex_trylock, MUTEX_TRYLOCK, mutex, (pthread_mutex_t * mutex), (mutex))
WRAPPER(pthread_mutex_timedlock, MUTEX_TIMEDLOCK, mutex, (pthread_mutex_t * mutex, const struct timespec *until),
        (mutex, until))
WRAPPER(pthread_mutex_unlock, MUTEX_UNLOCK, mutex, (pthread_mutex_t * mutex), (mutex))
WRAPPER(pthread_cond_wait, COND_WAIT, condition, (pthread_cond_t * condition, pthread_mutex_t *mutex),
        (condition, mutex))
WRAPPER(pthread_cond_timedwait, COND_TIMEDWAIT, condition,
        (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until), (condition, mutex, until))
WRAPPER(pthread_cond_signal, COND_SIGNAL, condition, (pthread_cond_t * condition), (condition))
WRAPPER(pthread_cond_broadcast, COND_BROADCAST, condition, (pthread_cond_t * condition), (condition))
WRAPPER(pthread_barrier_wait, BARRIER_WAIT, barrier, (pthread_barrier_t * barrier), (barrier))
WRAPPER(pthread_join, JOIN, NULL, (pthread_t thread, void **result), (thread, result))

/* ---- threads ---- */

/* Start function of a thread and its argument; `place` is the return address of the call that creates it. */
struct start {
    void *(*function)(void *);
    void *argument, *place;
    bool is_of_program;
};

static void *run(void *data) {
    struct start start = *(struct start *)data;
    free(data);
    is_of_library = !start.is_of_program;
    void *begun = begin(REFRAIN_CONSTRUCT_THREAD, NULL, start.place, __builtin_frame_address(0));
    void *result = start.function(start.argument);
    end(begun);
    return result;
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                            void *argument) {
    static int (*known)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    const struct refrain_thread_calls *with = __atomic_load_n(&calls, __ATOMIC_ACQUIRE);
    void *place = __builtin_return_address(0);
    if (!__atomic_load_n(&known, __ATOMIC_RELAXED)) {
        void *found = look_for("pthread_create");
        __atomic_store_n((void **)&known, found, __ATOMIC_RELAXED);
    }
    if (!known)
        return ENOSYS;
    struct start *start = with ? malloc(sizeof *start) : NULL;
    if (!start)
        return known(thread, attributes, function, argument);
    *start = (struct start){function, argument, place, !is_of_library && with->is_of_program(place)};
    void *begun = begin(REFRAIN_CONSTRUCT_CREATE, NULL, place, __builtin_frame_address(0));
    int status = known(thread, attributes, run, start);
    end(begun);
    if (status != 0)
        free(start);
    return status;
}
