/* system_call.h: calls of the system from probes, which must keep all registers of the program, and errno: the C library's
 * functions may use vector registers already where they are found for the first time. */
#ifndef REFRAIN_SYSTEM_CALL_H
#define REFRAIN_SYSTEM_CALL_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the kernel returns: on x86-64 -errno when it fails, elsewhere -1. */
static inline long refrain_call_system(long number, uintptr_t first, uintptr_t second, uintptr_t third) {
#if defined(__x86_64__)
    long result = number;
    __asm__ volatile("syscall" : "+a"(result) : "D"(first), "S"(second), "d"(third) : "rcx", "r11", "memory");
    return result;
#else
    int saved = errno;
    long result = syscall(number, first, second, third);
    errno = saved;
    return result;
#endif
}

#endif
