/* image.c: makes a checked image of the bytes of a trace file, and undoes unfinished changes (trace_parts.h). */
#include "model/gathered_times.h"
#include "model/trace_parts.h"
#include <refrain/settings.h>

#include <stdlib.h>
#include <string.h>

#define MOST_RANKS (1 << 24)

/* ---- the header ---- */

enum refrain_status refrain_image_check_version(const char *path, uint32_t version, struct refrain_error *error) {
    if (version == __builtin_bswap32(REFRAIN_TRACE_VERSION))
        return REFRAIN_FAIL(error, "%s: written on a machine of the other byte order, which this refrain cannot read",
                            path);
    if (version > REFRAIN_TRACE_VERSION)
        return REFRAIN_FAIL(error,
                            "%s: written by a newer refrain (trace version %u, this one reads up to %u): update "
                            "refrain",
                            path, version, REFRAIN_TRACE_VERSION);
    if (version != 0 && version < REFRAIN_TRACE_OLDEST)
        return REFRAIN_FAIL(error,
                            "%s: written by an older refrain (trace version %u, this one reads from %u on): read it "
                            "with the refrain that wrote it, or trace the program again",
                            path, version, REFRAIN_TRACE_OLDEST);
    return REFRAIN_OK;
}

enum refrain_status refrain_image_check(const char *path, const struct refrain_header *header, uint64_t bytes,
                                        struct refrain_error *error) {
    static const char nothing[sizeof header->magic];
    if (memcmp(header->magic, nothing, sizeof nothing) == 0)
        return REFRAIN_FAIL(error, "%s: the process ended before its trace was set up: there is nothing in it", path);
    if (memcmp(header->magic, REFRAIN_MAGIC, sizeof header->magic) != 0)
        return REFRAIN_FAIL(error, "%s: is not a refrain trace (byte 0: no \"refrain\" mark)", path);
    if (refrain_image_check_version(path, header->version, error))
        return REFRAIN_ERROR;
    if (header->version == 0 || header->header_bytes != REFRAIN_HEADER_BYTES)
        return REFRAIN_FAIL(error,
                            "%s: the header at byte 0 makes no sense (version %u, %u bytes): the file is damaged", path,
                            header->version, header->header_bytes);
    uint64_t used = refrain_used_until(header);
    if (header->bytes < bytes || used > bytes)
        return REFRAIN_FAIL(error, "%s: %s: %llu bytes, but its header says %llu; copy it again from where it was made",
                            path, bytes < header->bytes ? "truncated" : "damaged", (unsigned long long)bytes,
                            (unsigned long long)(used > bytes ? used : header->bytes));
    if (header->pool_used < REFRAIN_HEADER_BYTES || header->pool_used > header->bytes || header->n_threads == 0 ||
        header->n_threads > REFRAIN_MAXIMUM_THREADS || header->mode == REFRAIN_MODE_OFF ||
        header->mode > REFRAIN_MODE_BOTH || header->size < 0 || header->size > MOST_RANKS || header->rank < -1 ||
        header->rank >= (header->size > 0 ? header->size : MOST_RANKS) || header->clock > 1 ||
        header->resident.n > REFRAIN_RESIDENT_POINTS)
        return REFRAIN_FAIL(error, "%s: the header at byte 0 contradicts itself: the file is damaged", path);
    return REFRAIN_OK;
}

/* ---- the bytes ---- */

void refrain_process_unload(struct refrain_process *process) {
    if (process->mapped)
        process->release(process);
    if (process->release_events)
        process->release_events(process);
    process->mapped = NULL;
    process->release_events = NULL;
}

static void release_copy(struct refrain_process *process) {
    free(process->mapped);
}

bool refrain_image_make_private(struct refrain_process *process) {
    if (process->mapped)
        return true;
    void *copy = aligned_alloc(16, (process->image_bytes + 15) & ~(size_t)15);
    if (!copy)
        return false;
    memcpy(copy, process->image, process->image_bytes);
    process->mapped = copy;
    process->release = release_copy;
    process->image = copy;
    process->header = copy;
    return true;
}

/* ---- journals ---- */

/* Takes back the counts that an unfinished change added. `at`: offset of the journal. */
static enum refrain_status undo_tally(struct refrain_process *process, uint64_t at,
                                      const struct refrain_journal *journal, struct refrain_error *error) {
    if (!journal->tally_bytes)
        return REFRAIN_OK;
    uint64_t counts = at + sizeof *journal + journal->tally_at;
    uint64_t tally = (uint64_t)journal->before.tally * REFRAIN_ALIGNMENT_BYTES;
    if (!refrain_process_at(process, counts, journal->tally_bytes, "the counts of a journal", error) ||
        !refrain_process_at(process, tally, journal->tally_bytes, "counts that a journal restores", error))
        return REFRAIN_ERROR;
    unsigned char *image = process->mapped;
    memmove(image + tally, image + counts, journal->tally_bytes);
    return REFRAIN_OK;
}

enum refrain_status refrain_image_undo(struct refrain_process *process, const struct refrain_journal *in_image,
                                       struct refrain_error *error) {
    /* A damaged journal may overwrite itself in the image. Work with the copy that was checked. */
    const struct refrain_journal copy = *in_image, *journal = &copy;
    uint64_t at = (uint64_t)((const unsigned char *)in_image - process->image), at_formula = at + sizeof copy;
    unsigned char *image = process->mapped;
    if (journal->learner % 8 ||
        !refrain_process_at(process, journal->learner, sizeof journal->before, "the learner of a journal", error))
        return refrain_process_damaged(process, at, "a journal names a learner that cannot be one", error);
    if (((const struct refrain_learner *)(image + journal->learner))->changes % 2 == 0)
        return REFRAIN_OK; /* the learner is whole, and the journal is from a later change */
    memcpy(image + journal->learner, &journal->before, sizeof journal->before);
    if (undo_tally(process, at, journal, error))
        return REFRAIN_ERROR;
    if (!journal->before.body || !journal->formula_bytes)
        return REFRAIN_OK;
    uint64_t body = (uint64_t)journal->before.body * REFRAIN_ALIGNMENT_BYTES;
    uint64_t kept_from = sizeof(struct refrain_formula) + (uint64_t)journal->first_item * sizeof(struct refrain_item);
    if (journal->formula_bytes < sizeof(struct refrain_formula) || kept_from > journal->formula_bytes ||
        !refrain_process_at(process, at, sizeof *journal + (uint64_t)journal->formula_bytes, "a journal", error) ||
        !refrain_process_at(process, body, journal->formula_bytes, "the formula of a journal", error))
        return refrain_process_damaged(process, at, "a journal's formula leads out of the trace file", error);
    memmove(image + body, image + at_formula, sizeof(struct refrain_formula));
    memmove(image + body + kept_from, image + at_formula + kept_from, journal->formula_bytes - kept_from);
    uint32_t last_reference = ((const struct refrain_formula *)(image + body))->archive_last;
    if (!last_reference)
        return REFRAIN_OK;
    uint64_t last = (uint64_t)last_reference * REFRAIN_ALIGNMENT_BYTES;
    if (!refrain_process_at(process, last, sizeof(struct refrain_archive), "the archive of a journal", error))
        return REFRAIN_ERROR;
    ((struct refrain_archive *)(image + last))->used = (uint16_t)journal->archive_last_used;
    return REFRAIN_OK;
}

static enum refrain_status undo_journals(struct refrain_process *process, struct refrain_error *error) {
    for (uint32_t t = 0; t < process->header->n_threads; t++) {
        uint64_t at = (uint64_t)process->threads[t].journal * REFRAIN_ALIGNMENT_BYTES;
        if (at == 0)
            continue;
        const struct refrain_journal *journal = refrain_process_at(process, at, sizeof *journal, "a journal", error);
        enum refrain_status status = journal ? REFRAIN_OK : REFRAIN_ERROR;
        if (journal && journal->learner)
            status = refrain_image_undo(process, journal, error);
        if (status)
            return status;
    }
    return REFRAIN_OK;
}

/* True if the journal of a thread holds a change to undo. The image must then be writable. */
static bool has_journal(const struct refrain_process *process) {
    for (uint32_t t = 0; t < process->header->n_threads; t++) {
        uint64_t at = (uint64_t)process->threads[t].journal * REFRAIN_ALIGNMENT_BYTES;
        const struct refrain_journal *journal = refrain_process_at(process, at, sizeof *journal, "a journal", NULL);
        if (journal && journal->learner)
            return true;
    }
    return false;
}

/* ---- clocks that went back ---- */

/* True if a thread seems to end before it began. Its end is then corrected (trace_clock.c). */
static bool has_no_end(const struct refrain_process *process) {
    for (uint32_t t = 0; t < process->header->n_threads; t++)
        if (refrain_thread_has_no_end(&process->threads[t]))
            return true;
    return false;
}

/* ---- all of it ---- */

static bool find_threads(struct refrain_process *process, struct refrain_error *error) {
    process->threads = refrain_process_at(process, process->header->threads,
                                          (uint64_t)process->header->n_threads * sizeof *process->threads,
                                          "the table of threads", error);
    if (process->threads && process->header->threads % 8) {
        refrain_process_damaged(process, process->header->threads, "the table of threads is out of place", error);
        process->threads = NULL;
    }
    return process->threads != NULL;
}

/* Moves pages of times, so that all bytes in use are the first header->pool_used bytes. */
static enum refrain_status gather_times(struct refrain_process *process, struct refrain_error *error) {
    if (!refrain_times_are_apart(process))
        return REFRAIN_OK;
    if (!refrain_image_make_private(process))
        return REFRAIN_FAIL_MEMORY(error);
    return find_threads(process, error) ? refrain_times_gather(process, error) : REFRAIN_ERROR;
}

enum refrain_status refrain_image_begin(struct refrain_process *process, struct refrain_error *error) {
    if (!find_threads(process, error) || gather_times(process, error))
        return REFRAIN_ERROR;
    if (process->header->finished) /* in the copy of a running process, the latest records may lie beyond */
        process->image_bytes = (size_t)process->header->pool_used;
    if (!process->mapped && (has_journal(process) || has_no_end(process)) && !refrain_image_make_private(process))
        return REFRAIN_FAIL_MEMORY(error);
    if (!find_threads(process, error))
        return REFRAIN_ERROR;
    return undo_journals(process, error);
}

/* ---- bounds ---- */

enum refrain_status refrain_process_damaged(const struct refrain_process *process, uint64_t offset, const char *why,
                                            struct refrain_error *error) {
    return REFRAIN_FAIL(error, "%s: byte %llu: %s: the file is damaged", process->path, (unsigned long long)offset,
                        why);
}

const void *refrain_process_at(const struct refrain_process *process, uint64_t offset, uint64_t bytes, const char *what,
                               struct refrain_error *error) {
    if (offset < REFRAIN_HEADER_BYTES || offset % 4 || offset > process->image_bytes ||
        bytes > process->image_bytes - offset) {
        REFRAIN_FAIL(error, "%s: byte %llu: %s cannot lie there: the file is damaged", process->path,
                     (unsigned long long)offset, what);
        return NULL;
    }
    return process->image + offset;
}
