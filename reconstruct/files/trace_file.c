/* trace_file.c: maps a trace file, and the file of recorded events beside it (trace_parts.h). */
#define _GNU_SOURCE
#include "files/trace_files.h"
#include "model/trace_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_STEP_BYTES ((size_t)1 << 20)

/* ---- the image ---- */

/* Copies the used part of a file that may still grow, until the copy has all that is in use. */
static enum refrain_status copy_region(int fd, struct refrain_process *process, struct refrain_error *error) {
    unsigned char *image = process->mapped;
    uint64_t used = ((const struct refrain_header *)process->image)->pool_used, done = 0;
    while (done < used) {
        size_t step = used - done < COPY_STEP_BYTES ? (size_t)(used - done) : COPY_STEP_BYTES;
        ssize_t n = pread(fd, image + done, step, (off_t)done);
        if (n <= 0)
            return REFRAIN_FAIL(error, "%s: cannot be read at byte %llu: %s", process->path, (unsigned long long)done,
                                n < 0 ? strerror(errno) : "it became shorter while it was read");
        done += (uint64_t)n;
        struct refrain_header header;
        if (done >= used && pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header && header.pool_used > used &&
            header.pool_used <= process->image_bytes)
            used = header.pool_used;
    }
    return REFRAIN_OK;
}

static void unmap(struct refrain_process *process) {
    munmap(process->mapped, process->mapped_bytes);
}

static enum refrain_status map_region(int fd, const struct refrain_header *header, struct refrain_process *process,
                                      size_t file_bytes, struct refrain_error *error) {
    process->image_bytes = file_bytes;
    /* Unwritten pages of a private mapping would show what the process writes, so an unfinished trace is copied. */
    int flags = header->finished ? MAP_PRIVATE : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    process->mapped = mmap(NULL, process->image_bytes, PROT_READ | PROT_WRITE, flags, header->finished ? fd : -1, 0);
    if (process->mapped == MAP_FAILED) {
        process->mapped = NULL;
        return REFRAIN_FAIL(error, "%s: cannot be mapped: %s", process->path, strerror(errno));
    }
    process->mapped_bytes = process->image_bytes;
    process->release = unmap;
    process->image = process->mapped;
    process->header = process->mapped;
    if (header->finished)
        return REFRAIN_OK;
    memcpy(process->mapped, header, sizeof *header);
    enum refrain_status status = copy_region(fd, process, error);
    if (!status) {
        void *file = mmap(NULL, process->image_bytes, PROT_READ, MAP_SHARED, fd, 0);
        if (file == MAP_FAILED)
            return REFRAIN_FAIL(error, "%s: cannot be mapped: %s", process->path, strerror(errno));
        refrain_process_settle(process, file);
        munmap(file, process->image_bytes);
        status = refrain_image_check(process->path, process->header, file_bytes, error);
    }
    return status;
}

/* ---- all of it ---- */

/* Reads a packed file through a mapping that is removed afterwards. */
static enum refrain_status load_packed(int fd, struct refrain_process *process, size_t file_bytes,
                                       struct refrain_error *error) {
    void *file = mmap(NULL, file_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file == MAP_FAILED)
        return REFRAIN_FAIL(error, "%s: cannot be mapped: %s", process->path, strerror(errno));
    enum refrain_status status = refrain_image_unpack(process, file, file_bytes, error);
    munmap(file, file_bytes);
    return status ? status : refrain_image_begin(process, error);
}

static enum refrain_status load(int fd, struct refrain_process *process, struct refrain_error *error) {
    struct stat file;
    struct refrain_header header;
    if (fstat(fd, &file) != 0)
        return REFRAIN_FAIL(error, "%s: %s", process->path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return REFRAIN_FAIL(error, "%s: is not a file", process->path);
    ssize_t n = pread(fd, &header, sizeof header, 0);
    if (n < 0)
        return REFRAIN_FAIL(error, "%s: cannot be read: %s", process->path, strerror(errno));
    process->file_bytes = (size_t)file.st_size;
    if (refrain_image_is_packed(&header, (size_t)n))
        return load_packed(fd, process, (size_t)file.st_size, error);
    if ((size_t)n < sizeof header || file.st_size < (off_t)REFRAIN_HEADER_BYTES) {
        bool ours = (size_t)n >= sizeof header.magic && memcmp(header.magic, REFRAIN_MAGIC, sizeof header.magic) == 0;
        return REFRAIN_FAIL(error, "%s: %s (%lld bytes are no header)", process->path,
                            ours ? "truncated: copy it again from where it was made" : "is not a refrain trace",
                            (long long)file.st_size);
    }
    enum refrain_status status = refrain_image_check(process->path, &header, (uint64_t)file.st_size, error);
    if (!status)
        status = map_region(fd, &header, process, (size_t)file.st_size, error);
    return status ? status : refrain_image_begin(process, error);
}

static void unmap_events(struct refrain_process *process) {
    if (process->events)
        munmap((void *)(uintptr_t)process->events, process->events_bytes);
}

/* Maps the recorded events, if the process has any. */
static enum refrain_status map_events(struct refrain_process *process, struct refrain_error *error) {
    struct stat file;
    int fd = process->events_path ? open(process->events_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0 && (!process->events_path || errno == ENOENT)) {
        process->events_path = NULL;
        return REFRAIN_OK;
    }
    if (fd < 0 || fstat(fd, &file) != 0) {
        int failed = errno;
        if (fd >= 0)
            close(fd);
        return REFRAIN_FAIL(error, "%s: %s", process->events_path, strerror(failed));
    }
    void *bytes = file.st_size > 0 ? mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (file.st_size > 0 && bytes == MAP_FAILED)
        return REFRAIN_FAIL(error, "%s: cannot be mapped: %s", process->events_path, strerror(errno));
    process->events = file.st_size > 0 ? bytes : NULL;
    process->events_bytes = (size_t)file.st_size;
    process->release_events = unmap_events;
    return REFRAIN_OK;
}

enum refrain_status refrain_process_load(struct refrain_process *process, struct refrain_error *error) {
    int fd = open(process->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return REFRAIN_FAIL(error, "%s: %s", process->path, strerror(errno));
    enum refrain_status status = load(fd, process, error);
    close(fd);
    return status ? status : map_events(process, error);
}
