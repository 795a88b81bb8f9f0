/* mpi_lock.c: the lock of the wrappers' tables of MPI objects (mpi_state.h).
 *
 *     word    how often it has been taken (32 bits), the thread that holds it (32 bits, 0: it is free)
 *
 * A thread may lose control while it holds the lock: a signal handler jumps out of the code that it interrupted, or an
 * asynchronous pthread_cancel() ends the thread there. Then the lock is taken from it, since no thread needs it for
 * more than microseconds: by the thread itself at once, by others if the thread has ended, has run for another second,
 * or has slept for a minute. The interrupted change is counted as lost. */
#define _GNU_SOURCE
#include "arch/clock.h"
#include "arch/clock_system.h"
#include "mpi_state.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <sched.h>
#include <time.h>
#include <unistd.h>

#define HOLDER(word) ((pid_t)(uint32_t)(word))
#define TIME (UINT64_C(1) << 32)
#define SPINS 64u
#define MOST_RUN_NS 1000000000
#define MOST_WAIT_NS (UINT64_C(60) * 1000000000)

static uint64_t lock;
static __thread pid_t this_thread;

static bool take(uint64_t *seen) {
    uint64_t taken = ((*seen & ~(TIME - 1)) + TIME) | (uint32_t)this_thread;
    return __atomic_compare_exchange_n(&lock, seen, taken, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Sets *ns to the time that a thread has run, by the clock that the kernel has for each thread. False if it has ended.
 */
static bool time_of(pid_t thread, uint64_t *ns) {
    const unsigned of_thread = 4, scheduled = 2;
    struct timespec now;
    if (clock_gettime((clockid_t)(~(unsigned)thread << 3 | of_thread | scheduled), &now) != 0)
        return false;
    *ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    return true;
}

/* One that waits for the lock. */
struct waiter {
    uint64_t word, since_ns, ran_ns; /* as it was held, when this was first seen, and what the holder had run by then */
};

static bool is_left(struct waiter *waiter, uint64_t word) {
    uint64_t now = refrain_clock_gettime_ns(CLOCK_MONOTONIC), ran;
    if (!time_of(HOLDER(word), &ran))
        return true;
    if (waiter->word != word)
        *waiter = (struct waiter){word, now, ran};
    return ran - waiter->ran_ns > MOST_RUN_NS || now - waiter->since_ns > MOST_WAIT_NS;
}

void refrain_mpi_lock_wait(void) {
    struct waiter waiter = {0};
    if (!this_thread)
        this_thread = gettid();
    for (unsigned n = 1;; n++) {
        uint64_t word = __atomic_load_n(&lock, __ATOMIC_RELAXED);
        bool mine = HOLDER(word) == this_thread;
        if ((!HOLDER(word) || mine || (n % SPINS == 0 && is_left(&waiter, word))) && take(&word)) {
            if (HOLDER(word))
                refrain_lose(REFRAIN_LOSS_INTERRUPTED, 1);
            return;
        }
        if (n % SPINS == 0)
            sched_yield();
    }
}

/* Not what is taken from this thread meanwhile: it is looked at and given back in one. */
void refrain_mpi_lock_give(void) {
    uint64_t word = __atomic_load_n(&lock, __ATOMIC_RELAXED);
    if (HOLDER(word) == this_thread)
        __atomic_compare_exchange_n(&lock, &word, word & ~(TIME - 1), false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
