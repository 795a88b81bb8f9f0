/* process.h: identifies a process beyond its number (monitor and tools).
 *
 * The system reuses the numbers of processes that have ended. A later process with the same number has another start
 * time, or another boot id. So number, start time and boot id together identify a process. They are read from /proc;
 * nothing here allocates or prints. */
#ifndef REFRAIN_PROCESS_H
#define REFRAIN_PROCESS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Values from /proc/PID/stat. */
struct refrain_process_stat {
    char state; /* 'Z': a zombie: it has ended, and its parent has not waited for it */
    long parent;
    unsigned long long start; /* clock ticks since boot */
};

/* Reads the beginning of a file as text. False if it cannot be read. */
static inline bool refrain_process_read(const char *path, char *text, size_t bytes) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, bytes - 1);
    close(fd);
    text[n < 0 ? 0 : n] = 0;
    return n > 0;
}

/* False if there is no such process, or if its file is not readable. */
static inline bool refrain_process_stat(long pid, struct refrain_process_stat *stat) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    const char *after = refrain_process_read(path, text, sizeof text)
                            ? strrchr(text, ')')
                            : NULL; /* the name before it may contain any characters */
    return after &&
           sscanf(after + 1, " %c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                  &stat->state, &stat->parent, &stat->start) == 3;
}

/* The boot id of the system; zeroes if it is not available. */
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
