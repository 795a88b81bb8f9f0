/* timeline_pages.h: pages of a timeline, for timeline.c and timeline_merge.c. */
#ifndef REFRAIN_TIMELINE_PAGES_H
#define REFRAIN_TIMELINE_PAGES_H

#include "arch/arch.h"
#include "run/pool.h"
#include "timeline.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdint.h>

#define REFRAIN_TIMELINE_ROOM_BYTES (2 * REFRAIN_TIME_NUMBER_BYTES) /* for one entry */
#define REFRAIN_TIMELINE_NEVER (~(uint64_t)0)
#define REFRAIN_TIMELINE_QUANTA_SHIFT 6u /* an entry of several blocks has less than 2 * 2^6 quanta */

/* Merges pages, so that one more is free. */
REFRAIN_HIDDEN void refrain_timeline_merge(struct refrain_timeline_writer *writer);

static inline unsigned refrain_timeline_log2(uint64_t n) {
    return n ? 63u - (unsigned)__builtin_clzll(n) : 0;
}

/* Sets the longest duration of the page's entries. */
static inline void refrain_timeline_set_length(struct refrain_time_page *page, uint64_t entry_ticks) {
    page->entry_shift = (uint8_t)(refrain_timeline_log2(entry_ticks - 1) + 1);
    page->quantum_shift = (uint8_t)(refrain_timeline_log2(entry_ticks) - REFRAIN_TIMELINE_QUANTA_SHIFT);
}

static inline unsigned char *refrain_timeline_put_number(unsigned char *at, uint64_t number) {
    for (; number >= 128; number >>= 7)
        *at++ = (unsigned char)(number | 128);
    *at++ = (unsigned char)number;
    return at;
}

/* Writes an entry of several blocks. All bytes there are 0. The first byte is stored last, since readers use it to see
 * whether there is an entry. */
static inline unsigned char *refrain_timeline_put_several(unsigned char *at, uint64_t blocks, uint64_t quanta) {
    if (__builtin_expect((blocks | quanta) < 128, 1)) { /* the usual case */
        at[1] = (unsigned char)quanta;
        refrain_commit();
        at[0] = (unsigned char)blocks;
        return at + 2;
    }
    unsigned char *next =
        refrain_timeline_put_number(blocks < 128 ? at + 1 : refrain_timeline_put_number(at + 1, blocks >> 7), quanta);
    refrain_commit();
    *at = (unsigned char)(blocks < 128 ? blocks : blocks | 128);
    return next;
}

static inline struct refrain_time_page *refrain_timeline_page(uint32_t reference) {
    return reference ? refrain_at_reference(reference) : NULL;
}

/* Marks the page as free. It stays with the writer until one is needed. */
static inline void refrain_timeline_set_free(struct refrain_timeline_writer *writer, struct refrain_time_page *page) {
    page->first_block = REFRAIN_TIME_PAGE_FREE;
    refrain_commit();
    page->next = writer->spare ? refrain_reference(writer->spare) : 0;
    writer->spare = page;
}

static inline struct refrain_time_page *refrain_timeline_take_free(struct refrain_timeline_writer *writer) {
    struct refrain_time_page *page = writer->spare;
    writer->spare = refrain_timeline_page(page->next);
    return page;
}

/* Ends the timeline here: its thread writes no further times. */
static inline void refrain_timeline_stop(struct refrain_timeline_writer *writer) {
    writer->limit = NULL;
    writer->entry_ticks = 0;
    writer->most_ticks = REFRAIN_TIMELINE_NEVER;
    if (writer->timeline)
        writer->timeline->end_block = REFRAIN_TIME_STOPPED;
}

#endif
