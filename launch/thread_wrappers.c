/* thread_wrappers.c: librefrain-threads.so, which `refrain record --threads=pthread` preloads. It wraps calls of the
 * thread library, and lets the monitor record them (refrain/thread_calls.h). Until the monitor has opened a trace, and
 * in processes without one, calls are only forwarded. */
#define _GNU_SOURCE
#include <refrain/thread_calls.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
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

static inline void *begin(enum refrain_construct_class class, const volatile void *object, void *return_address,
                          void *frame_address) {
    const struct refrain_thread_calls *with = __atomic_load_n(&calls, __ATOMIC_ACQUIRE);
    return with && !is_of_library ? with->begin(class, (const void *)(uintptr_t)object, return_address, frame_address)
                                  : NULL;
}

static inline void end(void *begun) {
    if (begun)
        calls->end(begun);
}

/* The function of the C library. Conditions have an older version, with another layout, in glibc on x86-64. Other
 * functions are not looked for by version: a search that fails allocates memory, and an allocator may lock mutexes.
 * errno stays. */
static __attribute__((noinline)) void *look_for(const char *name) {
    int before = errno;
    void *found = NULL;
#if defined(__GLIBC__) && defined(__x86_64__)
    if (strncmp(name, "pthread_cond_", 13) == 0 && strcmp(name, "pthread_cond_clockwait") != 0)
        found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
#endif
    if (!found)
        found = dlsym(RTLD_NEXT, name);
    errno = before;
    return found;
}

/* The functions that only wait or release: FUNCTION(name, class, object, declared, passed). `object`: the mutex,
 * condition, barrier or lock. */
#define MUTEX pthread_mutex_t *mutex
#define CONDITION pthread_cond_t *condition
#define RWLOCK pthread_rwlock_t *lock
#define SPIN pthread_spinlock_t *lock
#define UNTIL const struct timespec *until
#define FUNCTIONS(FUNCTION)                                                                                            \
    FUNCTION(pthread_mutex_lock, MUTEX_LOCK, mutex, (MUTEX), (mutex))                                                  \
    FUNCTION(pthread_mutex_unlock, MUTEX_UNLOCK, mutex, (MUTEX), (mutex))                                              \
    FUNCTION(pthread_mutex_trylock, MUTEX_TRYLOCK, mutex, (MUTEX), (mutex))                                            \
    FUNCTION(pthread_mutex_timedlock, MUTEX_TIMEDLOCK, mutex, (MUTEX, UNTIL), (mutex, until))                          \
    FUNCTION(pthread_mutex_clocklock, MUTEX_CLOCKLOCK, mutex, (MUTEX, clockid_t clock, UNTIL), (mutex, clock, until))  \
    FUNCTION(pthread_cond_wait, COND_WAIT, condition, (CONDITION, MUTEX), (condition, mutex))                          \
    FUNCTION(pthread_cond_timedwait, COND_TIMEDWAIT, condition, (CONDITION, MUTEX, UNTIL), (condition, mutex, until))  \
    FUNCTION(pthread_cond_clockwait, COND_CLOCKWAIT, condition, (CONDITION, MUTEX, clockid_t clock, UNTIL),            \
             (condition, mutex, clock, until))                                                                         \
    FUNCTION(pthread_cond_signal, COND_SIGNAL, condition, (CONDITION), (condition))                                    \
    FUNCTION(pthread_cond_broadcast, COND_BROADCAST, condition, (CONDITION), (condition))                              \
    FUNCTION(pthread_barrier_wait, BARRIER_WAIT, barrier, (pthread_barrier_t * barrier), (barrier))                    \
    FUNCTION(pthread_rwlock_rdlock, RWLOCK_RDLOCK, lock, (RWLOCK), (lock))                                             \
    FUNCTION(pthread_rwlock_wrlock, RWLOCK_WRLOCK, lock, (RWLOCK), (lock))                                             \
    FUNCTION(pthread_rwlock_tryrdlock, RWLOCK_TRYRDLOCK, lock, (RWLOCK), (lock))                                       \
    FUNCTION(pthread_rwlock_trywrlock, RWLOCK_TRYWRLOCK, lock, (RWLOCK), (lock))                                       \
    FUNCTION(pthread_rwlock_timedrdlock, RWLOCK_TIMEDRDLOCK, lock, (RWLOCK, UNTIL), (lock, until))                     \
    FUNCTION(pthread_rwlock_timedwrlock, RWLOCK_TIMEDWRLOCK, lock, (RWLOCK, UNTIL), (lock, until))                     \
    FUNCTION(pthread_rwlock_clockrdlock, RWLOCK_CLOCKRDLOCK, lock, (RWLOCK, clockid_t clock, UNTIL),                   \
             (lock, clock, until))                                                                                     \
    FUNCTION(pthread_rwlock_clockwrlock, RWLOCK_CLOCKWRLOCK, lock, (RWLOCK, clockid_t clock, UNTIL),                   \
             (lock, clock, until))                                                                                     \
    FUNCTION(pthread_rwlock_unlock, RWLOCK_UNLOCK, lock, (RWLOCK), (lock))                                             \
    FUNCTION(pthread_spin_lock, SPIN_LOCK, lock, (SPIN), (lock))                                                       \
    FUNCTION(pthread_spin_trylock, SPIN_TRYLOCK, lock, (SPIN), (lock))                                                 \
    FUNCTION(pthread_spin_unlock, SPIN_UNLOCK, lock, (SPIN), (lock))                                                   \
    FUNCTION(pthread_join, JOIN, NULL, (pthread_t thread, void **result), (thread, result))                            \
    FUNCTION(pthread_tryjoin_np, TRYJOIN, NULL, (pthread_t thread, void **result), (thread, result))                   \
    FUNCTION(pthread_timedjoin_np, TIMEDJOIN, NULL, (pthread_t thread, void **result, UNTIL), (thread, result, until)) \
    FUNCTION(pthread_clockjoin_np, CLOCKJOIN, NULL, (pthread_t thread, void **result, clockid_t clock, UNTIL),         \
             (thread, result, clock, until))

/* The functions of the C library; null: not looked for yet, or the library has no such function. */
static struct {
    int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
#define POINTER(name, class, object, declared, passed) int(*name) declared;
    FUNCTIONS(POINTER)
} real;

static void *find(void *pointer, const char *name) {
    void *found = __atomic_load_n((void **)pointer, __ATOMIC_RELAXED);
    if (__builtin_expect(!found, 0)) {
        found = look_for(name);
        __atomic_store_n((void **)pointer, found, __ATOMIC_RELAXED);
    }
    return found;
}

/* Before the program runs: a search needs the loader's lock, and a thread that waits for this lock may hold a mutex of
 * the program. Only constructors of other libraries can come earlier; their calls search for themselves. */
static __attribute__((constructor)) void find_all(void) {
#define FIND(name, class, object, declared, passed) find(&real.name, #name);
    FUNCTIONS(FIND)
    find(&real.pthread_create, "pthread_create");
}

#define WRAPPER(name, class, object, declared, passed)                                                                 \
    EXPORTED int name declared {                                                                                       \
        if (!find(&real.name, #name))                                                                                  \
            return ENOSYS;                                                                                             \
        void *begun =                                                                                                  \
            begin(REFRAIN_CONSTRUCT_##class, object, __builtin_return_address(0), __builtin_frame_address(0));         \
        int status = real.name passed;                                                                                 \
        end(begun);                                                                                                    \
        return status;                                                                                                 \
    }
FUNCTIONS(WRAPPER)

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
    const struct refrain_thread_calls *with = __atomic_load_n(&calls, __ATOMIC_ACQUIRE);
    void *place = __builtin_return_address(0);
    if (!find(&real.pthread_create, "pthread_create"))
        return ENOSYS;
    struct start *start = with ? malloc(sizeof *start) : NULL;
    if (!start)
        return real.pthread_create(thread, attributes, function, argument);
    *start = (struct start){function, argument, place, !is_of_library && with->is_of_program(place)};
    void *begun = begin(REFRAIN_CONSTRUCT_CREATE, NULL, place, __builtin_frame_address(0));
    int status = real.pthread_create(thread, attributes, run, start);
    end(begun);
    if (status != 0)
        free(start);
    return status;
}
