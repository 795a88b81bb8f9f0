/* arch_generic.h: any other processor (arch.h says what all of it is). */
#ifndef REFRAIN_ARCH_GENERIC_H
#define REFRAIN_ARCH_GENERIC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REFRAIN_FRAME_ADDRESS ((void *)((uintptr_t *)__builtin_dwarf_cfa() - 2))

#define REFRAIN_ARCH_HAS_COUNTER 0

static inline uint64_t refrain_arch_counter(void) {
    return 0;
}

static inline bool refrain_arch_counter_is_steady(void) {
    return false;
}

static inline void refrain_arch_wait(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline bool refrain_arch_displace(const void *from, size_t bytes) {
    (void)from;
    (void)bytes;
    return false;
}

static inline bool refrain_arch_copy_long(unsigned char *to, const unsigned char *from, size_t bytes) {
    (void)to;
    (void)from;
    (void)bytes;
    return false;
}

static inline bool refrain_arch_read_metric(uint32_t index, uint64_t *value) {
    (void)index;
    (void)value;
    return false;
}

static inline long refrain_arch_call_system(long number, uintptr_t first, uintptr_t second, uintptr_t third) {
    int saved = errno;
    long result = syscall(number, first, second, third);
    if (result < 0)
        result = -errno;
    errno = saved;
    return result;
}

#endif
