/* slow_end.c: preloaded, makes a process take up to ten milliseconds to end, as a library may that has something to put
 * in order then. A launcher may say something else when processes end later, also without refrain (test_leave.sh). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void wait_a_moment(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint32_t mixed = ((uint32_t)now.tv_nsec ^ (uint32_t)getpid() << 16) * 2654435761u;
    now = (struct timespec){0, (long)(mixed >> 8) % 10000000};
    nanosleep(&now, NULL);
}

static void __attribute__((destructor)) at_exit(void) {
    wait_a_moment();
}

void _exit(int status) {
    wait_a_moment();
    void (*end)(int) = (void (*)(int))(uintptr_t)dlsym(RTLD_NEXT, "_exit");
    end(status);
    abort();
}
