/* describe.c: see describe.h. */
#define _GNU_SOURCE
#include "describe.h"
#include "configure.h"
#include "monitor.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char *refrain_executable_name(char *path, size_t bytes) {
    ssize_t n = readlink("/proc/self/exe", path, bytes - 1);
    path[n < 0 ? 0 : n] = 0;
    const char *slash = strrchr(path, '/');
    return n > 0 ? (slash ? slash + 1 : path) : "a.out";
}

static void read_boot_id(uint64_t id[2]) {
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    char text[64] = "";
    if (fd >= 0) {
        ssize_t n = read(fd, text, sizeof text - 1);
        text[n < 0 ? 0 : n] = 0;
        close(fd);
    }
    unsigned digits = 0;
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
    read_boot_id(header->boot_id);
}
