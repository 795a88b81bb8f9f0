/* yield.c: librefrain-yield.so, for runs with more ranks than cores. MPICH over UCX polls without ever giving up the
 * processor, so that a rank that waits keeps the rank it waits for from running. Preloaded, this wraps UCX's progress
 * function and yields after it has found nothing to do for a while. refrain-run sets it up. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

#define POLLS_BEFORE_YIELD 50u

unsigned ucp_worker_progress(void *worker);

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker) {
    static unsigned (*progress)(void *);
    static __thread unsigned fruitless;
    if (!progress)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned done = progress ? progress(worker) : 0;
    if (done) {
        fruitless = 0;
    } else if (++fruitless >= POLLS_BEFORE_YIELD) {
        fruitless = 0;
        sched_yield();
    }
    return done;
}
