/* false_perf.c: a preloaded library that lets perf_event_open(2) answer as on other machines.
 * REFRAIN_FALSE_PERF=forbidden: refuses all events. =user: refuses events of the processor that count in the kernel,
 * too, and counts page faults instead of other ones. =none: knows no events of the processor. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long do_syscall(long number, const long *a) {
    long result;
    register long a3 __asm__("r10") = a[3], a4 __asm__("r8") = a[4], a5 __asm__("r9") = a[5];
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(a3), "r"(a4), "r"(a5)
                     : "rcx", "r11", "memory");
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

long syscall(long number, ...) {
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    const char *as = getenv("REFRAIN_FALSE_PERF");
    if (number != SYS_perf_event_open || !as)
        return do_syscall(number, a);
    struct perf_event_attr attributes = *(struct perf_event_attr *)a[0];
    errno = 0;
    if (strcmp(as, "forbidden") == 0)
        errno = EPERM;
    else if (attributes.type != PERF_TYPE_SOFTWARE && strcmp(as, "none") == 0)
        errno = ENOENT;
    else if (attributes.type != PERF_TYPE_SOFTWARE && !attributes.exclude_kernel)
        errno = EACCES;
    if (errno)
        return -1;
    if (attributes.type != PERF_TYPE_SOFTWARE) {
        attributes.type = PERF_TYPE_SOFTWARE;
        attributes.config = PERF_COUNT_SW_PAGE_FAULTS;
    }
    a[0] = (long)&attributes;
    return do_syscall(number, a);
}
