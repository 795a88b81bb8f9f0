/* mprotect.c: preloaded, an mprotect that refuses code, or, with SLOW_MPROTECT set, takes its time with it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

volatile int under_way; /* calls that are taking their time */

int mprotect(void *begin, size_t bytes, int how) {
    if (how & PROT_EXEC) {
        if (!getenv("SLOW_MPROTECT")) {
            errno = EACCES;
            return -1;
        }
        under_way++;
        usleep(200000);
        under_way--;
    }
    return (int)syscall(SYS_mprotect, begin, bytes, how);
}
