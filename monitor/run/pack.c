/* pack.c: replaces the trace file by a packed file when the process ends (pack.h). */
#define _GNU_SOURCE
#include "run/pack.h"
#include "packed_file.h"
#include "run/configure.h"
#include "run/pool.h"
#include <refrain/trace.h>
#include <refrain/write_all.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRIES 3
#define PAGE_BYTES ((uint64_t)4096)

static struct refrain_packed_models models; /* used only here, at the end of the process */

/* Writes a file beside `path`, and renames it to `path` when it is complete. */
static bool replace(const char *path, const unsigned char *bytes, size_t n) {
    char beside[REFRAIN_PATH_BYTES + 160];
    struct stat status;
    if (stat(path, &status) != 0) /* The user has moved or removed the trace file. */
        return true;
    if ((size_t)snprintf(beside, sizeof beside, "%s.packed", path) >= sizeof beside)
        return false;
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, status.st_mode & 0777);
    if (fd < 0)
        return false;
    bool done = refrain_write_all(fd, bytes, n);
    done = close(fd) == 0 && done && rename(beside, path) == 0;
    if (!done)
        unlink(beside);
    return done;
}

/* Returns the unused blocks of the file to the file system. A later store gets new ones. */
static void give_back(const char *path, const struct refrain_header *header) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    uint64_t from = (header->pool_used + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1), until = refrain_free_until(header);
    if (fd < 0)
        return;
    if (from < until)
        (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(until - from));
    close(fd);
}

static uint64_t processor_ns(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void refrain_pack_trace_file(const char *path, bool may_pack, bool (*still)(void)) {
    const struct refrain_header *header = refrain_trace_file.header;
    uint64_t until = refrain_used_until(header), used = refrain_used_bytes(header), begin_ns = processor_ns();
    if (!may_pack) {
        give_back(path, header);
        return;
    }
    size_t most = refrain_packed_most_bytes(until), n = 0;
    unsigned char *file = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (int i = 0; file != MAP_FAILED && n == 0 && i < TRIES; i++) {
        const char *wrong;
        if (!still())
            continue;
        n = refrain_packed_file_write(header, until, file, &models, &wrong);
        if (!still() || refrain_used_bytes(header) != used)
            n = 0;
    }
    if (n > 0)
        refrain_packed_file_set_pack_ns(file, processor_ns() - begin_ns);
    if (n == 0 || !replace(path, file, n))
        give_back(path, header);
    if (file != MAP_FAILED)
        munmap(file, most);
}
