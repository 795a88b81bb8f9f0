/* reserve.c: reserves disk space, within the limits that the system sets (reserve.h). */
#define _GNU_SOURCE
#include "run/reserve.h"
#include "run/configure.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t refrain_reserve_limit_bytes(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_cur;
}

int refrain_reserve(int fd, uint64_t offset, uint64_t bytes) {
    uint64_t limit = refrain_reserve_limit_bytes();
    if (bytes > limit || offset > limit - bytes)
        return EFBIG;
    int error = fallocate(fd, 0, (off_t)offset, (off_t)bytes) == 0 ? 0 : errno;
    if (error != EOPNOTSUPP && error != ENOSYS)
        return error;
    static bool said;
    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        refrain_say("the file system of the trace cannot reserve room: each block is written once before it is used, "
                    "which takes longer (see REFRAIN_DIRECTORY, REFRAIN_TOTAL_MEMORY)");
    error = posix_fallocate(fd, (off_t)offset, (off_t)bytes); /* writes zeros if the file system cannot reserve */
    return error ? error : fsync(fd) == 0 ? 0 : errno;        /* NFS reports a full disk only here */
}

static bool is_directory(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    errno = ENOTDIR;
    return S_ISDIR(status.st_mode);
}

bool refrain_reserve_directory(const char *path) {
    char part[REFRAIN_PATH_BYTES];
    size_t n = strlen(path);
    if (n >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (size_t i = 1; i <= n; i++)
        if (path[i] == '/' || path[i] == 0) {
            memcpy(part, path, i);
            part[i] = 0;
            if (mkdir(part, 0777) != 0 && !is_directory(part))
                return false;
        }
    return true;
}
