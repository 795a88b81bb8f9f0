/* write_all.h: writes memory to a file completely (monitor and tools; not installed). */
#ifndef REFRAIN_WRITE_ALL_H
#define REFRAIN_WRITE_ALL_H

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* Writes `n` bytes, in as many parts as the system needs. False after a failure; errno is the reason. */
static inline bool refrain_write_all(int fd, const unsigned char *bytes, size_t n) {
    while (n > 0) {
        ssize_t written = write(fd, bytes, n);
        if (written <= 0)
            return false;
        bytes += written;
        n -= (size_t)written;
    }
    return true;
}

#endif
