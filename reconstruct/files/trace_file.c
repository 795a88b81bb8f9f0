/* trace_file.c: a region file becomes a private image whose learners are whole (trace_read.h). */
#define _GNU_SOURCE
#include "trace_parts.h"
#include <refrain/settings.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_RANKS (1 << 24)
#define COPY_STEP_BYTES ((size_t)1 << 20)

/* ---- what the file claims ---- */

static enum refrain_status check_header(const char *path, const struct refrain_header *header, uint64_t file_bytes,
                                        struct refrain_error *error) {
    static const char nothing[sizeof header->magic];
    if (memcmp(header->magic, nothing, sizeof nothing) == 0)
        return REFRAIN_FAIL(error, "%s: the process ended before its trace was set up: there is nothing in it", path);
    if (memcmp(header->magic, REFRAIN_MAGIC, sizeof header->magic) != 0)
        return REFRAIN_FAIL(error, "%s: is not a refrain trace (byte 0: no \"refrain\" mark)", path);
    if (header->version == __builtin_bswap32(REFRAIN_TRACE_VERSION))
        return REFRAIN_FAIL(error, "%s: written on a machine of the other byte order, which this refrain cannot read",
                            path);
    if (header->version > REFRAIN_TRACE_VERSION)
        return REFRAIN_FAIL(error,
                            "%s: written by a newer refrain (trace version %u, this one reads up to %u): update "
                            "refrain",
                            path, header->version, REFRAIN_TRACE_VERSION);
    if (header->version == 0 || header->header_bytes != REFRAIN_HEADER_BYTES)
        return REFRAIN_FAIL(error,
                            "%s: the header at byte 0 makes no sense (version %u, %u bytes): the file is damaged", path,
                            header->version, header->header_bytes);
    if (header->bytes != file_bytes)
        return REFRAIN_FAIL(error, "%s: %s: %llu bytes, but its header says %llu; copy it again from where it was made",
                            path, file_bytes < header->bytes ? "truncated" : "damaged", (unsigned long long)file_bytes,
                            (unsigned long long)header->bytes);
    if (header->pool_used < REFRAIN_HEADER_BYTES || header->pool_used > header->bytes || header->n_threads == 0 ||
        header->n_threads > REFRAIN_MAXIMUM_THREADS || header->mode == REFRAIN_MODE_OFF ||
        header->mode > REFRAIN_MODE_BOTH || header->size < 0 || header->size > MOST_RANKS || header->rank < -1 ||
        (header->size > 0 && header->rank >= header->size) || header->clock > 1)
        return REFRAIN_FAIL(error, "%s: the header at byte 0 contradicts itself: the file is damaged", path);
    return REFRAIN_OK;
}

/* ---- the image ---- */

/* Copies the part in use of a file that may still grow: until what was copied covers what is in use. */
static enum refrain_status copy_region(int fd, struct refrain_process *process, struct refrain_error *error) {
    unsigned char *image = process->mapped;
    uint64_t used = ((const struct refrain_header *)process->region)->pool_used, done = 0;
    while (done < used) {
        size_t step = used - done < COPY_STEP_BYTES ? (size_t)(used - done) : COPY_STEP_BYTES;
        ssize_t n = pread(fd, image + done, step, (off_t)done);
        if (n <= 0)
            return REFRAIN_FAIL(error, "%s: cannot be read at byte %llu: %s", process->path, (unsigned long long)done,
                                n < 0 ? strerror(errno) : "it became shorter while it was read");
        done += (uint64_t)n;
        struct refrain_header header;
        if (done >= used && pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header && header.pool_used > used &&
            header.pool_used <= process->region_bytes)
            used = header.pool_used;
    }
    return REFRAIN_OK;
}

static enum refrain_status map_region(int fd, const struct refrain_header *header, struct refrain_process *process,
                                      struct refrain_error *error) {
    /* Pages of a private mapping that were not written to show what others write to the file: a trace that is not
     * finished is copied. */
    int flags = header->finished ? MAP_PRIVATE : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    process->region_bytes = (size_t)header->bytes;
    process->mapped = mmap(NULL, process->region_bytes, PROT_READ | PROT_WRITE, flags, header->finished ? fd : -1, 0);
    if (process->mapped == MAP_FAILED) {
        process->mapped = NULL;
        return REFRAIN_FAIL(error, "%s: cannot be mapped: %s", process->path, strerror(errno));
    }
    process->mapped_bytes = process->region_bytes;
    process->region = process->mapped;
    process->header = process->mapped;
    if (header->finished)
        return REFRAIN_OK;
    memcpy(process->mapped, header, sizeof *header);
    enum refrain_status status = copy_region(fd, process, error);
    if (!status) {
        void *file = mmap(NULL, process->region_bytes, PROT_READ, MAP_SHARED, fd, 0);
        if (file == MAP_FAILED)
            return REFRAIN_FAIL(error, "%s: cannot be mapped: %s", process->path, strerror(errno));
        refrain_process_settle(process, file);
        munmap(file, process->region_bytes);
        status = check_header(process->path, process->header, header->bytes, error);
    }
    return status;
}

/* ---- journals ---- */

static enum refrain_status undo(struct refrain_process *process, const struct refrain_journal *journal,
                                struct refrain_error *error) {
    uint64_t at = (uint64_t)((const unsigned char *)journal - process->region);
    unsigned char *image = process->mapped;
    if (journal->learner % 8 ||
        !refrain_process_at(process, journal->learner, sizeof journal->before, "the learner of a journal", error))
        return refrain_process_damaged(process, at, "a journal names a learner that cannot be one", error);
    if (((const struct refrain_learner *)(image + journal->learner))->changes % 2 == 0)
        return REFRAIN_OK; /* it is whole: the journal is of a later moment */
    memcpy(image + journal->learner, &journal->before, sizeof journal->before);
    if (!journal->before.body || !journal->formula_bytes)
        return REFRAIN_OK;
    uint64_t body = (uint64_t)journal->before.body * REFRAIN_UNIT_BYTES;
    const struct refrain_formula *before = (const struct refrain_formula *)journal->formula;
    uint64_t kept_from = sizeof *before + (uint64_t)journal->first_item * sizeof(struct refrain_item);
    if (journal->formula_bytes < sizeof *before || kept_from > journal->formula_bytes ||
        !refrain_process_at(process, at, sizeof *journal + (uint64_t)journal->formula_bytes, "a journal", error) ||
        !refrain_process_at(process, body, journal->formula_bytes, "the formula of a journal", error))
        return refrain_process_damaged(process, at, "a journal's formula leads out of the region", error);
    memmove(image + body, journal->formula, sizeof *before);
    memmove(image + body + kept_from, journal->formula + kept_from, journal->formula_bytes - kept_from);
    uint32_t last_reference = ((const struct refrain_formula *)(image + body))->archive_last;
    if (!last_reference)
        return REFRAIN_OK;
    uint64_t last = (uint64_t)last_reference * REFRAIN_UNIT_BYTES;
    if (!refrain_process_at(process, last, sizeof(struct refrain_archive), "the archive of a journal", error))
        return REFRAIN_ERROR;
    ((struct refrain_archive *)(image + last))->used = (uint16_t)journal->archive_last_used;
    return REFRAIN_OK;
}

static enum refrain_status undo_journals(struct refrain_process *process, struct refrain_error *error) {
    for (uint32_t t = 0; t < process->header->n_threads; t++) {
        uint64_t at = (uint64_t)process->threads[t].journal * REFRAIN_UNIT_BYTES;
        if (at == 0)
            continue;
        const struct refrain_journal *journal = refrain_process_at(process, at, sizeof *journal, "a journal", error);
        enum refrain_status status = journal ? REFRAIN_OK : REFRAIN_ERROR;
        if (journal && journal->learner)
            status = undo(process, journal, error);
        if (status)
            return status;
    }
    return REFRAIN_OK;
}

/* ---- all of it ---- */

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
    if ((size_t)n < sizeof header || file.st_size < (off_t)REFRAIN_HEADER_BYTES) {
        bool ours = (size_t)n >= sizeof header.magic && memcmp(header.magic, REFRAIN_MAGIC, sizeof header.magic) == 0;
        return REFRAIN_FAIL(error, "%s: %s (%lld bytes; a trace has at least %u)", process->path,
                            ours ? "truncated: copy it again from where it was made" : "is not a refrain trace",
                            (long long)file.st_size, REFRAIN_HEADER_BYTES);
    }
    enum refrain_status status = check_header(process->path, &header, (uint64_t)file.st_size, error);
    if (!status)
        status = map_region(fd, &header, process, error);
    if (status)
        return status;
    process->threads = refrain_process_at(process, process->header->threads,
                                          (uint64_t)process->header->n_threads * sizeof *process->threads,
                                          "the table of threads", error);
    return process->threads ? undo_journals(process, error) : REFRAIN_ERROR;
}

enum refrain_status refrain_process_load(struct refrain_process *process, struct refrain_error *error) {
    int fd = open(process->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return REFRAIN_FAIL(error, "%s: %s", process->path, strerror(errno));
    enum refrain_status status = load(fd, process, error);
    close(fd);
    return status;
}

void refrain_process_unload(struct refrain_process *process) {
    if (process->mapped)
        munmap(process->mapped, process->mapped_bytes);
    process->mapped = NULL;
}

/* ---- bounds ---- */

enum refrain_status refrain_process_damaged(const struct refrain_process *process, uint64_t offset, const char *why,
                                            struct refrain_error *error) {
    return REFRAIN_FAIL(error, "%s: byte %llu: %s: the file is damaged", process->path, (unsigned long long)offset,
                        why);
}

const void *refrain_process_at(const struct refrain_process *process, uint64_t offset, uint64_t bytes, const char *what,
                               struct refrain_error *error) {
    if (offset < REFRAIN_HEADER_BYTES || offset % 4 || offset > process->region_bytes ||
        bytes > process->region_bytes - offset) {
        REFRAIN_FAIL(error, "%s: byte %llu: %s cannot lie there: the file is damaged", process->path,
                     (unsigned long long)offset, what);
        return NULL;
    }
    return process->region + offset;
}
