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

static inline void *begin(const struct refrain_thread_call *call) {
    const struct refrain_thread_calls *with = __atomic_load_n(&calls, __ATOMIC_ACQUIRE);
    return with && !is_of_library ? with->begin(call) : NULL;
}

static inline void end(void *begun, uint32_t thread) {
    if (begun)
        calls->end(begun, thread);
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

/* The functions that only wait or release: FUNCTION(name, class, object, released, declared, passed). `object`: the
 * mutex, condition, barrier or lock. `released`: the mutex of a condition. */
#define MUTEX pthread_mutex_t *mutex
#define CONDITION pthread_cond_t *condition
#define RWLOCK pthread_rwlock_t *lock
#define SPIN pthread_spinlock_t *lock
#define UNTIL const struct timespec *until
#define FUNCTIONS(FUNCTION)                                                                                            \
    FUNCTION(pthread_mutex_lock, MUTEX_LOCK, mutex, NULL, (MUTEX), (mutex))                                            \
    FUNCTION(pthread_mutex_unlock, MUTEX_UNLOCK, mutex, NULL, (MUTEX), (mutex))                                        \
    FUNCTION(pthread_mutex_trylock, MUTEX_TRYLOCK, mutex, NULL, (MUTEX), (mutex))                                      \
    FUNCTION(pthread_mutex_timedlock, MUTEX_TIMEDLOCK, mutex, NULL, (MUTEX, UNTIL), (mutex, until))                    \
    FUNCTION(pthread_mutex_clocklock, MUTEX_CLOCKLOCK, mutex, NULL, (MUTEX, clockid_t clock, UNTIL),                   \
             (mutex, clock, until))                                                                                    \
    FUNCTION(pthread_cond_wait, COND_WAIT, condition, mutex, (CONDITION, MUTEX), (condition, mutex))                   \
    FUNCTION(pthread_cond_timedwait, COND_TIMEDWAIT, condition, mutex, (CONDITION, MUTEX, UNTIL),                      \
             (condition, mutex, until))                                                                                \
    FUNCTION(pthread_cond_clockwait, COND_CLOCKWAIT, condition, mutex, (CONDITION, MUTEX, clockid_t clock, UNTIL),     \
             (condition, mutex, clock, until))                                                                         \
    FUNCTION(pthread_cond_signal, COND_SIGNAL, condition, NULL, (CONDITION), (condition))                              \
    FUNCTION(pthread_cond_broadcast, COND_BROADCAST, condition, NULL, (CONDITION), (condition))                        \
    FUNCTION(pthread_barrier_wait, BARRIER_WAIT, barrier, NULL, (pthread_barrier_t * barrier), (barrier))              \
    FUNCTION(pthread_rwlock_rdlock, RWLOCK_RDLOCK, lock, NULL, (RWLOCK), (lock))                                       \
    FUNCTION(pthread_rwlock_wrlock, RWLOCK_WRLOCK, lock, NULL, (RWLOCK), (lock))                                       \
    FUNCTION(pthread_rwlock_tryrdlock, RWLOCK_TRYRDLOCK, lock, NULL, (RWLOCK), (lock))                                 \
    FUNCTION(pthread_rwlock_trywrlock, RWLOCK_TRYWRLOCK, lock, NULL, (RWLOCK), (lock))                                 \
    FUNCTION(pthread_rwlock_timedrdlock, RWLOCK_TIMEDRDLOCK, lock, NULL, (RWLOCK, UNTIL), (lock, until))               \
    FUNCTION(pthread_rwlock_timedwrlock, RWLOCK_TIMEDWRLOCK, lock, NULL, (RWLOCK, UNTIL), (lock, until))               \
    FUNCTION(pthread_rwlock_clockrdlock, RWLOCK_CLOCKRDLOCK, lock, NULL, (RWLOCK, clockid_t clock, UNTIL),             \
             (lock, clock, until))                                                                                     \
    FUNCTION(pthread_rwlock_clockwrlock, RWLOCK_CLOCKWRLOCK, lock, NULL, (RWLOCK, clockid_t clock, UNTIL),             \
             (lock, clock, until))                                                                                     \
    FUNCTION(pthread_rwlock_unlock, RWLOCK_UNLOCK, lock, NULL, (RWLOCK), (lock))                                       \
    FUNCTION(pthread_spin_lock, SPIN_LOCK, lock, NULL, (SPIN), (lock))                                                 \
    FUNCTION(pthread_spin_trylock, SPIN_TRYLOCK, lock, NULL, (SPIN), (lock))                                           \
    FUNCTION(pthread_spin_unlock, SPIN_UNLOCK, lock, NULL, (SPIN), (lock))

/* The functions that wait for a thread: FUNCTION(name, class, declared, passed). */
#define JOINS(FUNCTION)                                                                                                \
    FUNCTION(pthread_join, JOIN, (pthread_t thread, void **result), (thread, result))                                  \
    FUNCTION(pthread_tryjoin_np, TRYJOIN, (pthread_t thread, void **result), (thread, result))                         \
    FUNCTION(pthread_timedjoin_np, TIMEDJOIN, (pthread_t thread, void **result, UNTIL), (thread, result, until))       \
    FUNCTION(pthread_clockjoin_np, CLOCKJOIN, (pthread_t thread, void **result, clockid_t clock, UNTIL),               \
             (thread, result, clock, until))

/* The functions of the C library; null: not looked for yet, or the library has no such function. */
static struct {
    int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
#define POINTER(name, class, object, released, declared, passed) int(*name) declared;
#define JOIN_POINTER(name, class, declared, passed) int(*name) declared;
    FUNCTIONS(POINTER)
    JOINS(JOIN_POINTER)
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
#define FIND(name, ...) find(&real.name, #name);
    FUNCTIONS(FIND)
    JOINS(FIND)
    find(&real.pthread_create, "pthread_create");
}

#define WRAPPER(name, class, object, released, declared, passed)                                                       \
    EXPORTED int name declared {                                                                                       \
        if (!find(&real.name, #name))                                                                                  \
            return ENOSYS;                                                                                             \
        void *begun = begin(&(struct refrain_thread_call){REFRAIN_CONSTRUCT_##class, false,                            \
                                                          (const void *)(uintptr_t)object, released, 0,                \
                                                          __builtin_return_address(0), __builtin_frame_address(0)});   \
        int status = real.name passed;                                                                                 \
        end(begun, 0);                                                                                                 \
        return status;                                                                                                 \
    }
FUNCTIONS(WRAPPER)

/* ---- threads ---- */

/* The latest threads that were created, by their number. A thread enters itself before it runs the program's code. */
#define KNOWN_THREADS 256u
static uint32_t n_threads;
static struct {
    pthread_t thread; /* 0: none, it was joined, or its C library reuses its id */
    uint32_t number;  /* 0: the program did not create it */
} known[KNOWN_THREADS];

static void forget(pthread_t thread) {
    for (unsigned i = 0; i < KNOWN_THREADS; i++)
        if (__atomic_load_n(&known[i].thread, __ATOMIC_RELAXED) == thread)
            __atomic_store_n(&known[i].thread, 0, __ATOMIC_RELEASE);
}

static void enter_thread(uint32_t number) {
    forget(pthread_self());
    if (number == 0)
        return;
    unsigned i = number % KNOWN_THREADS;
    __atomic_store_n(&known[i].thread, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&known[i].number, number, __ATOMIC_RELEASE);
    __atomic_store_n(&known[i].thread, pthread_self(), __ATOMIC_RELEASE);
}

/* The number of a thread that has ended and was joined; 0: unknown. Numbers above `most` belong to threads that were
 * created after the call that joined it began: they have the same id. */
static uint32_t take_joined(pthread_t thread, uint32_t most) {
    for (unsigned i = 0; i < KNOWN_THREADS; i++) {
        if (__atomic_load_n(&known[i].thread, __ATOMIC_ACQUIRE) != thread)
            continue;
        uint32_t number = __atomic_load_n(&known[i].number, __ATOMIC_ACQUIRE);
        if (number > most)
            continue;
        __atomic_store_n(&known[i].thread, 0, __ATOMIC_RELEASE);
        return number;
    }
    return 0;
}

#define JOIN_WRAPPER(name, class, declared, passed)                                                                    \
    EXPORTED int name declared {                                                                                       \
        uint32_t most = __atomic_load_n(&n_threads, __ATOMIC_RELAXED);                                                 \
        if (!find(&real.name, #name))                                                                                  \
            return ENOSYS;                                                                                             \
        void *begun = begin(&(struct refrain_thread_call){REFRAIN_CONSTRUCT_##class, false, NULL, NULL, 0,             \
                                                          __builtin_return_address(0), __builtin_frame_address(0)});   \
        int status = real.name passed;                                                                                 \
        end(begun, status == 0 ? take_joined(thread, most) : 0);                                                       \
        return status;                                                                                                 \
    }
JOINS(JOIN_WRAPPER)

/* Start function of a thread and its argument; `return_address` is that of the call that creates it. */
struct start {
    void *(*function)(void *);
    void *argument, *return_address;
    uint32_t number; /* 0: the program does not create it */
};

static void *run(void *data) {
    struct start start = *(struct start *)data;
    free(data);
    is_of_library = start.number == 0;
    enter_thread(start.number);
    void *begun = begin(&(struct refrain_thread_call){REFRAIN_CONSTRUCT_THREAD, false, NULL, NULL, start.number,
                                                      start.return_address, __builtin_frame_address(0)});
    void *result = start.function(start.argument);
    end(begun, 0);
    return result;
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                            void *argument) {
    const struct refrain_thread_calls *with = __atomic_load_n(&calls, __ATOMIC_ACQUIRE);
    void *return_address = __builtin_return_address(0);
    if (!find(&real.pthread_create, "pthread_create"))
        return ENOSYS;
    struct start *start = with ? malloc(sizeof *start) : NULL;
    if (!start)
        return real.pthread_create(thread, attributes, function, argument);
    bool is_of_program = !is_of_library && with->is_of_program(return_address);
    uint32_t number = is_of_program ? __atomic_add_fetch(&n_threads, 1, __ATOMIC_RELAXED) : 0;
    *start = (struct start){function, argument, return_address, number};
    void *begun = begin(&(struct refrain_thread_call){REFRAIN_CONSTRUCT_CREATE, false, NULL, NULL, number, return_address,
                                                      __builtin_frame_address(0)});
    int status = real.pthread_create(thread, attributes, run, start);
    end(begun, 0);
    if (status != 0)
        free(start);
    return status;
}
