/* describe.c: see describe.h. */
#define _GNU_SOURCE
#include "describe.h"
#include "configure.h"
#include "monitor.h"
#include <refrain/process.h>

#include <string.h>
#include <unistd.h>

const char *refrain_executable_name(char *path, size_t bytes) {
    ssize_t n = readlink("/proc/self/exe", path, bytes - 1);
    path[n < 0 ? 0 : n] = 0;
    const char *slash = strrchr(path, '/');
    return n > 0 ? (slash ? slash + 1 : path) : "a.out";
}

/* When it began, by which a reader tells it from a later process of the same number. */
static uint64_t own_start(void) {
    struct refrain_process_stat stat;
    return refrain_process_stat(getpid(), &stat) ? stat.start : 0;
}

void refrain_describe_process(struct refrain_header *header) {
    extern char **environ;
    char text[8192], path[REFRAIN_PATH_BYTES];
    size_t n = 0;
    for (char **e = environ; *e; e++) {
        size_t length = strlen(*e);
        if ((strncmp(*e, "REFRAIN_", 8) == 0 || strncmp(*e, "OMP_", 4) == 0) && n + length + 2 < sizeof text) {
            memcpy(text + n, *e, length);
            n += length;
            text[n++] = '\n';
        }
    }
    text[n] = 0;
    header->environment = refrain_pool_name(text);
    refrain_executable_name(path, sizeof path);
    header->executable = refrain_pool_name(path);
    header->start_directory = refrain_pool_name(refrain_configuration.start_directory);
    if (gethostname(path, sizeof path) == 0) {
        path[sizeof path - 1] = 0;
        header->host = refrain_pool_name(path);
    }
    refrain_process_boot_id(header->boot_id);
    header->process_start = own_start();
}
