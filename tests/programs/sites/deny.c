/* deny.c: preloaded: the process's memory cannot be opened as a file, or, with SLOW_CODE set, writing to it takes its
 * time. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

volatile int under_way; /* writes that are taking their time */
static int memory = -1; /* the file */

int open(const char *path, int how, ...) {
    va_list rest;
    va_start(rest, how);
    mode_t mode = how & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    int is_memory = strcmp(path, "/proc/self/mem") == 0;
    if (is_memory && !getenv("SLOW_CODE")) {
        errno = EACCES;
        return -1;
    }
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, how, mode);
    if (is_memory)
        memory = file;
    return file;
}

ssize_t pwrite(int file, const void *bytes, size_t n, off_t at) {
    if (file == memory && file >= 0) {
        under_way++;
        usleep(200000);
        under_way--;
    }
    return syscall(SYS_pwrite64, file, bytes, n, at);
}
