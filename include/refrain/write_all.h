/* write_all.h: a whole piece of memory into a file (monitor and tools; not installed). */
#ifndef REFRAIN_WRITE_ALL_H
#define REFRAIN_WRITE_ALL_H

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* Writes `n` bytes, in as many parts as the system takes. False where it takes no more; errno says why. */
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
