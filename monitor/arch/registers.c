/* registers.c: calls of other libraries from probes (arch/registers.h). */
#define _GNU_SOURCE
#include "arch/registers.h"
#include "arch/arch.h"

#include <pthread.h>

struct call {
    void (*function)(void *argument);
    void *argument;
};

static void call_uncancelled(void *of) {
    const struct call *call = of;
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    call->function(call->argument);
    pthread_setcancelstate(before, NULL);
}

void refrain_keep_vectors(void (*function)(void *argument), void *argument) {
    refrain_arch_call_keeping_vectors(call_uncancelled, &(struct call){function, argument});
}
