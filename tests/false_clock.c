/* false_clock.c: a preloaded library with clocks that are wrong in a known way. Each node of REFRAIN_FALSE_NODE ranks
 * gets a boot id, which refrain reads, and clocks that are off by some seconds and run too fast or too slow, depending
 * on the number of the node. CLOCK_MONOTONIC is ahead by REFRAIN_FALSE_JUMP nanoseconds once the program sets this
 * variable. With REFRAIN_FALSE_STEP, refrain's clocks do not depend on the load of the machine: they advance by so many
 * nanoseconds with each read, and by REFRAIN_FALSE_PASSED. For processes with REFRAIN_CLOCK=gettime on one machine. The
 * program can still ask the system for the true time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OFFSET_NS 2700000000 /* from a node to the next; every other one is behind */
#define DRIFT_DIVISOR 20000  /* 50 ppm from a node to the next */

/* A number of nanoseconds that was set. */
static long long set_ns(const char *name) {
    const char *ns = getenv(name);
    return ns ? atoll(ns) : 0;
}

static long node(void) {
    const char *rank = getenv("PMI_RANK"), *each = getenv("REFRAIN_FALSE_NODE");
    return rank && each ? atol(rank) / atol(each) : 0;
}

/* MPI libraries call the functions that are replaced here, too. A library that takes the ranks for those of several
 * machines may use the network, and then MPI_Finalize may not end. */
static bool is_refrain(void *caller) {
    Dl_info info;
    return dladdr(caller, &info) && strstr(info.dli_fname, "librefrain");
}

int clock_gettime(clockid_t id, struct timespec *t) {
    static long long first[2], reads;
    int status = (int)syscall(SYS_clock_gettime, id, t);
    if (status != 0 || (id != CLOCK_MONOTONIC && id != CLOCK_REALTIME))
        return status;
    long long now = t->tv_sec * 1000000000LL + t->tv_nsec, n = node(), step = set_ns("REFRAIN_FALSE_STEP");
    long long *start = &first[id == CLOCK_REALTIME];
    if (*start == 0)
        *start = now;
    if (step > 0 && is_refrain(__builtin_return_address(0)))
        now = *start + ++reads * step + set_ns("REFRAIN_FALSE_PASSED");
    if (id == CLOCK_MONOTONIC)
        now += set_ns("REFRAIN_FALSE_JUMP");
    now += (n % 2 ? -n : n) * OFFSET_NS + (now - *start) / DRIFT_DIVISOR * n;
    t->tv_sec = now / 1000000000;
    t->tv_nsec = now % 1000000000;
    return 0;
}

static int false_boot_id(void) {
    char text[] = "00000000-0000-4000-8000-000000000000\n";
    text[0] = (char)('a' + node() % 6);
    text[1] = (char)('0' + node() / 6 % 10);
    int fd = memfd_create("boot_id", MFD_CLOEXEC);
    if (write(fd, text, sizeof text - 1) < 0 || lseek(fd, 0, SEEK_SET) != 0)
        return -1;
    return fd;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int mode = va_arg(arguments, int);
    va_end(arguments);
    if (strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 && is_refrain(__builtin_return_address(0)))
        return false_boot_id();
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
