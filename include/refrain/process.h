/* process.h: which process a number of one means (monitor and tools).
 *
 * The system gives the number of a process that has ended to another one. That one began later, or since the system
 * itself began anew, so that number, start and boot id together are of one process alone. Read from /proc; nothing here
 * allocates or prints. */
#ifndef REFRAIN_PROCESS_H
#define REFRAIN_PROCESS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What /proc/PID/stat tells. */
struct refrain_process_stat {
    char state; /* 'Z': it has ended, and nobody has asked how */
    long parent;
    unsigned long long start; /* clock ticks since the system began */
};

/* The beginning of a file, as text; false where it cannot be read. */
static inline bool refrain_process_read(const char *path, char *text, size_t bytes) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, bytes - 1);
    close(fd);
    text[n < 0 ? 0 : n] = 0;
    return n > 0;
}

/* False where there is no such process, or its file is not to be seen. */
static inline bool refrain_process_stat(long pid, struct refrain_process_stat *stat) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    const char *after =
        refrain_process_read(path, text, sizeof text) ? strrchr(text, ')') : NULL; /* the name before it
                                                                                      may hold anything */
    return after &&
           sscanf(after + 1, " %c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                  &stat->state, &stat->parent, &stat->start) == 3;
}

/* Of the system since it began; zeroes where it does not tell. */
static inline void refrain_process_boot_id(uint64_t id[2]) {
    char text[64];
    unsigned digits = 0;
    id[0] = id[1] = 0;
    if (!refrain_process_read("/proc/sys/kernel/random/boot_id", text, sizeof text))
        return;
    for (const char *p = text; *p && digits < 32; p++) {
        unsigned digit = *p >= '0' && *p <= '9'   ? (unsigned)(*p - '0')
                         : *p >= 'a' && *p <= 'f' ? (unsigned)(*p - 'a') + 10
                                                  : 16;
        if (digit < 16) {
            id[digits / 16] = id[digits / 16] << 4 | digit;
            digits++;
        }
    }
}

#endif
