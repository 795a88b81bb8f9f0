/* live_timeline.c: copies timelines of a running process, which grow and whose pages are merged meanwhile
 * (live_timeline.h). */
#include "files/live_timeline.h"

int refrain_settle_tries = 200;

/* Keeps the first `entries` entries of a copied page, which are complete, and clears the rest. Returns the number of
 * the block after them. */
static uint64_t keep_entries(struct refrain_time_page *page, unsigned entries, uint64_t end_block) {
    struct refrain_time_entry entry;
    uint64_t block = page->first_block;
    unsigned at = 0, next;
    for (; entries > 0 && block < end_block && (next = refrain_time_entry(page, at, &entry)); entries--, at = next)
        block += entry.blocks;
    for (; at < sizeof page->entries; at++)
        page->entries[at] = 0;
    return block;
}

static unsigned count_entries(const struct refrain_time_page *page) {
    struct refrain_time_entry entry;
    unsigned n = 0;
    for (unsigned at = 0; (at = refrain_time_entry(page, at, &entry)); n++)
        ;
    return n;
}

/* Copies the page at `offset`, which must begin with block `first`. False if it does not, or if it changed
 * meanwhile. `merges`: counter of the timeline, which the process increments before it reuses a page. */
static bool copy_page(const struct refrain_settling *live, uint64_t offset, uint64_t first,
                      const volatile uint32_t *merges) {
    struct refrain_time_page *page = (struct refrain_time_page *)(live->image + offset);
    const volatile struct refrain_time_page *original = (const volatile void *)(live->file + offset);
    uint64_t entries = offset + offsetof(struct refrain_time_page, entries);
    uint32_t before = *merges;
    refrain_settling_copy(live, offset,
                          offsetof(struct refrain_time_page, entries)); /* a page with a successor is complete */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    refrain_settling_copy(live, entries, sizeof page->entries);
    unsigned n = count_entries(page); /* the last entry may have been copied half-written */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    refrain_settling_copy(live, entries, sizeof page->entries);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (page->first_block != first || original->first_block != first || *merges != before)
        return false;
    keep_entries(page, n, REFRAIN_TIME_PAGE_FREE);
    return true;
}

/* Copies a timeline page by page. Each page begins where the entries of the page before end. If pages are merged
 * meanwhile, begins again. False if that happens too often: the pages copied so far are a valid beginning. */
static bool copy_timeline(struct refrain_settling *live, uint64_t at) {
    struct refrain_timeline *timeline = (struct refrain_timeline *)(live->image + at);
    const volatile struct refrain_timeline *original = (const volatile void *)(live->file + at);
    struct refrain_time_page *last = NULL;
    for (int i = 0; i < refrain_settle_tries; i++) {
        uint64_t block = 0;
        uint32_t reference;
        refrain_settling_copy(live, at, sizeof *timeline);
        last = NULL;
        for (reference = timeline->first; reference;) {
            uint64_t offset = (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES, next;
            struct refrain_time_page *page;
            if (!refrain_settling_has(live, offset, sizeof *page) || !copy_page(live, offset, block, &original->merges))
                break;
            page = (struct refrain_time_page *)(live->image + offset);
            next = (uint64_t)page->next * REFRAIN_ALIGNMENT_BYTES;
            if (next && refrain_settling_has(live, next, sizeof *page)) {
                uint64_t end = ((const volatile struct refrain_time_page *)(live->file + next))->first_block;
                if (end <= block || keep_entries(page, UINT32_MAX, end) < end)
                    break; /* each page has later blocks than the one before, so the list is not circular */
                block = end;
            }
            last = page;
            reference = page->next;
        }
        if (!reference)
            return true;
    }
    timeline->end_block = 0;
    if (last)
        last->next = 0;
    else
        timeline->first = 0;
    return false;
}

void refrain_settle_timelines(struct refrain_settling *live) {
    const struct refrain_header *header = (const struct refrain_header *)live->image;
    for (uint32_t t = 0; t < header->n_threads; t++) {
        uint64_t at = header->threads + t * sizeof(struct refrain_thread);
        if (!refrain_settling_has(live, at, sizeof(struct refrain_thread)))
            return;
        struct refrain_thread *thread = (struct refrain_thread *)(live->image + at);
        refrain_settling_copy(live, at + offsetof(struct refrain_thread, timeline), sizeof thread->timeline);
        uint64_t timeline = (uint64_t)thread->timeline * REFRAIN_ALIGNMENT_BYTES;
        if (timeline && refrain_settling_has(live, timeline, sizeof(struct refrain_timeline)) &&
            !copy_timeline(live, timeline))
            live->left_out++;
        refrain_settling_copy(live, at + offsetof(struct refrain_thread, last_ticks), sizeof thread->last_ticks);
    }
}
