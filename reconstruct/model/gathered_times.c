/* gathered_times.c: moves pages of times to the end of a trace's pool (gathered_times.h). */
#include "model/gathered_times.h"
#include "model/trace_parts.h"

#include <stdlib.h>
#include <string.h>

/* Pages of one timeline, and their new position. */
struct gathered {
    struct refrain_time_page *pages;
    uint64_t n, room, at; /* `at`: offset of the first page, once they have moved */
};

static bool is_inside(const struct refrain_process *process, uint64_t offset, uint64_t bytes) {
    return offset >= REFRAIN_HEADER_BYTES && offset <= process->image_bytes && bytes <= process->image_bytes - offset;
}

static bool is_apart(const struct refrain_process *process, uint64_t offset) {
    return offset + sizeof(struct refrain_time_page) > process->header->pool_used;
}

/* Offset of the timeline of a thread; 0: it has none. */
static uint64_t timeline_of(const struct refrain_process *process, uint32_t thread) {
    uint64_t offset = (uint64_t)process->threads[thread].timeline * REFRAIN_ALIGNMENT_BYTES;
    return is_inside(process, offset, sizeof(struct refrain_timeline)) ? offset : 0;
}

static bool has_pages_apart(const struct refrain_process *process, uint64_t timeline) {
    uint32_t reference = ((const struct refrain_timeline *)(process->image + timeline))->first;
    for (size_t met = 0; reference && met < process->image_bytes / sizeof(struct refrain_time_page); met++) {
        uint64_t offset = (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES;
        if (is_apart(process, offset))
            return true;
        if (!is_inside(process, offset, sizeof(struct refrain_time_page)))
            return false;
        reference = ((const struct refrain_time_page *)(process->image + offset))->next;
    }
    return false;
}

bool refrain_times_are_apart(const struct refrain_process *process) {
    for (uint32_t t = 0; t < process->header->n_threads; t++) {
        uint64_t timeline = timeline_of(process, t);
        if (timeline && has_pages_apart(process, timeline))
            return true;
    }
    return false;
}

/* Copies the pages of a timeline that lie beyond the pool, and sets the references to their new positions. */
static enum refrain_status collect(struct refrain_process *process, uint64_t timeline, struct gathered *gathered,
                                   struct refrain_error *error) {
    unsigned char *image = process->mapped;
    uint32_t *link = &((struct refrain_timeline *)(image + timeline))->first;
    for (size_t met = 0; *link && met < process->image_bytes / sizeof *gathered->pages; met++) {
        uint64_t offset = (uint64_t)*link * REFRAIN_ALIGNMENT_BYTES;
        struct refrain_time_page *page = (struct refrain_time_page *)(image + offset);
        bool apart = is_apart(process, offset);
        if (!is_inside(process, offset, sizeof *page) || (apart && gathered->n == gathered->room))
            return REFRAIN_FAIL(error,
                                "%s: truncated or damaged: there are no times at byte %llu, where the trace has some: "
                                "copy it again from where it was made",
                                process->path, (unsigned long long)offset);
        if (apart) {
            *link = (uint32_t)((gathered->at + gathered->n * sizeof *page) / REFRAIN_ALIGNMENT_BYTES);
            gathered->pages[gathered->n] = *page;
            page = &gathered->pages[gathered->n++];
        }
        link = &page->next;
    }
    return REFRAIN_OK;
}

static enum refrain_status gather(struct refrain_process *process, uint64_t timeline, struct refrain_error *error) {
    struct refrain_header *header = process->mapped;
    struct gathered gathered = {.at = (header->pool_used + REFRAIN_ALIGNMENT_BYTES - 1) &
                                      ~(uint64_t)(REFRAIN_ALIGNMENT_BYTES - 1)};
    if (gathered.at < process->image_bytes)
        gathered.room = (process->image_bytes - gathered.at) / sizeof *gathered.pages;
    gathered.pages = malloc((gathered.room + 1) * sizeof *gathered.pages);
    if (!gathered.pages)
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = collect(process, timeline, &gathered, error);
    if (!status && gathered.n > 0) {
        memcpy((unsigned char *)process->mapped + gathered.at, gathered.pages, gathered.n * sizeof *gathered.pages);
        header->pool_used = gathered.at + gathered.n * sizeof *gathered.pages;
    }
    free(gathered.pages);
    return status;
}

enum refrain_status refrain_times_gather(struct refrain_process *process, struct refrain_error *error) {
    struct refrain_header *header = process->mapped;
    enum refrain_status status = REFRAIN_OK;
    for (uint32_t t = 0; !status && t < header->n_threads; t++) {
        uint64_t timeline = timeline_of(process, t);
        if (timeline)
            status = gather(process, timeline, error);
    }
    header->times_from = header->bytes;
    return status;
}
