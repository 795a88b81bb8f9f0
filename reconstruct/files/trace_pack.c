/* trace_pack.c: opens a file that refrain pack wrote (trace_files.h). */
#define _GNU_SOURCE
#include "files/trace_files.h"
#include "model/trace_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum refrain_status refrain_pack_load(struct refrain_trace *trace, bool *is_pack, struct refrain_error *error) {
    struct stat status;
    char magic[8];
    *is_pack = false;
    int fd = open(trace->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        pread(fd, magic, sizeof magic, 0) != (ssize_t)sizeof magic || !refrain_ranks_are_packed(magic, sizeof magic)) {
        if (fd >= 0)
            close(fd);
        return REFRAIN_OK; /* the reader of trace files reports what is wrong */
    }
    *is_pack = true;
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return REFRAIN_FAIL(error, "%s: cannot be mapped: %s", trace->path, strerror(errno));
    enum refrain_status result = refrain_ranks_unpack(trace, trace->path, bytes, (size_t)status.st_size, error);
    munmap(bytes, (size_t)status.st_size);
    return result;
}
