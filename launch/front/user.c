/* user.c: forwards the calls of refrain/refrain.h to librefrain, once that is loaded (front.h). With -O2 the compiler
 * makes these calls jumps, so that librefrain sees the frame of the program. */
#define _GNU_SOURCE
#include "front.h"
#define REFRAIN_BUILDING
#pragma GCC visibility push(default)
#include <refrain/refrain.h>
#pragma GCC visibility pop

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

static bool is_known; /* `find` has succeeded */
static struct {
    void (*region_begin)(const char *name);
    void (*region_end)(void);
    void (*phase)(const char *name);
    void (*iteration)(const char *name, int64_t number);
    void (*marker)(const char *name);
    void (*counter)(const char *name, int64_t value);
    void (*pause)(void);
    void (*resume)(void);
} real;

/* Any thread; all find the same. Each call before MPI is loaded repeats the search. */
static bool find(void) {
    void *wrappers = __atomic_load_n(&is_known, __ATOMIC_ACQUIRE) ? NULL : refrain_front_wrappers();
    if (wrappers) {
        *(void **)&real.region_begin = dlsym(wrappers, "refrain_region_begin");
        *(void **)&real.region_end = dlsym(wrappers, "refrain_region_end");
        *(void **)&real.phase = dlsym(wrappers, "refrain_phase");
        *(void **)&real.iteration = dlsym(wrappers, "refrain_iteration");
        *(void **)&real.marker = dlsym(wrappers, "refrain_marker");
        *(void **)&real.counter = dlsym(wrappers, "refrain_counter");
        *(void **)&real.pause = dlsym(wrappers, "refrain_pause");
        *(void **)&real.resume = dlsym(wrappers, "refrain_resume");
        __atomic_store_n(&is_known, true, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&is_known, __ATOMIC_ACQUIRE);
}

void refrain_region_begin(const char *name) {
    if (find() && real.region_begin)
        real.region_begin(name);
}

void refrain_region_end(void) {
    if (find() && real.region_end)
        real.region_end();
}

void refrain_phase(const char *name) {
    if (find() && real.phase)
        real.phase(name);
}

void refrain_iteration(const char *name, int64_t number) {
    if (find() && real.iteration)
        real.iteration(name, number);
}

void refrain_marker(const char *name) {
    if (find() && real.marker)
        real.marker(name);
}

void refrain_counter(const char *name, int64_t value) {
    if (find() && real.counter)
        real.counter(name, value);
}

void refrain_pause(void) {
    if (find() && real.pause)
        real.pause();
}

void refrain_resume(void) {
    if (find() && real.resume)
        real.resume();
}
