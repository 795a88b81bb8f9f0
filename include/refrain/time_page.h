/* time_page.h: when the blocks of a thread ended, in order (monitor -> reader).
 *
 * A replay knows the order of the clock reads of a thread, so times need no key:
 *
 *     struct refrain_timeline -> page -> page -> ... -> current page
 *
 *     page: | first block, when it began (see below) | entry entry entry ... | 0 0 0 |
 *     entry: one block or several: number of quanta from the end of the entry before it to the end of its last block
 *
 * The time is exact in pages that were never merged. While there is memory, an entry is one block: a number, its quanta
 * + 1. When memory is full, pages are merged: consecutive pages are rewritten into one page less. Their entries last at
 * most 2^entry_shift ticks, or are a single longer block. Such an entry has two numbers: its blocks and its quanta. The
 * clock is divided into quanta of 2^quantum_shift ticks. An entry counts them from the quantum in which it begins to
 * the quantum in which it ends. Longer quanta begin where shorter ones do, so rounding errors do not add up, however
 * often pages are merged.
 *
 * A number has seven bits per byte, the lowest first; the highest bit is set in all bytes but the last. The first
 * byte of an entry is never 0, and is stored last. So a reader of a killed or running process finds whole entries up
 * to some time. A merged page is linked by one store. Until the merged pages after it are written, the blocks at its
 * end are in the next page, too: a page is read only up to the first block of the next page.
 *
 *     merged | entry entry entry |      -->      | entry entry | not merged yet | --> page
 *                          ^ up to here       ^ first block
 *
 * Replaced pages get first_block REFRAIN_TIME_PAGE_FREE before they are used again. So a reader that still looks at
 * them sees that the blocks do not continue. */
#ifndef REFRAIN_TIME_PAGE_H
#define REFRAIN_TIME_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_TIME_PAGE_BYTES 1024u
#define REFRAIN_TIME_ENTRIES_BYTES (REFRAIN_TIME_PAGE_BYTES - 32u)
#define REFRAIN_TIME_NUMBER_BYTES 10u /* of the longest number */
#define REFRAIN_TIME_LEAST_PAGES 8u   /* of a thread: the current page, one for merging, and some merged ones */
#define REFRAIN_TIME_PAGE_FREE (~(uint64_t)0)
#define REFRAIN_TIME_QUANTUM_NS                                                                                        \
    16u /* at first a quantum is the largest power of two of ticks that lasts no longer than this */

struct refrain_time_page {
    uint64_t first_block; /* number of its first block in the thread, from 0 */
    uint64_t first_ticks; /* when this block began */
    uint32_t next;        /* reference of the next page, 0 = last */
    uint8_t
        entry_shift; /* 0: each entry is one block; else an entry of several blocks lasts at most 2^entry_shift ticks */
    uint8_t quantum_shift; /* a quantum is 2^quantum_shift ticks */
    uint16_t reserved;
    uint32_t ahead; /* for the monitor only: a page that was once a little after this one; 0: unknown */
    uint32_t reserved_too;
    unsigned char entries[REFRAIN_TIME_ENTRIES_BYTES];
};

#define REFRAIN_TIME_STOPPED (~(uint64_t)0)

/* One per thread that has a timeline. */
struct refrain_timeline {
    uint32_t first;      /* reference of the first page */
    uint32_t pages;      /* taken from the pool */
    uint32_t most_pages; /* limit of pages */
    uint32_t merges;     /* pages that were merged or moved; incremented before the replaced pages become free */
    uint64_t end_block;  /* number of the block after the last, at the last clock read of the thread; 0: blocks may
                            follow; REFRAIN_TIME_STOPPED: memory was full, so it ends before its thread */
    uint64_t backwards;  /* clock reads that were earlier than the one before them */
};

struct refrain_time_entry {
    uint64_t blocks, quanta;
};

/* Reads a number at entries[at]. Returns the position after it; 0 if it does not end in the page. */
static inline unsigned refrain_time_number(const unsigned char *entries, unsigned at, uint64_t *number) {
    uint64_t value = 0;
    for (unsigned shift = 0; at < REFRAIN_TIME_ENTRIES_BYTES && shift < 64; shift += 7) {
        unsigned char byte = entries[at++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *number = value;
            return at;
        }
    }
    return 0;
}

/* Reads the entry at `at`. Returns the position after it; 0 if nothing more was written. */
static inline unsigned refrain_time_entry(const struct refrain_time_page *page, unsigned at,
                                          struct refrain_time_entry *entry) {
    const unsigned char *bytes = page->entries + at;
    if (__builtin_expect(at + 1 < REFRAIN_TIME_ENTRIES_BYTES && bytes[0] > 0 && bytes[0] < 128,
                         1)) { /* the common case */
        if (page->entry_shift == 0) {
            *entry = (struct refrain_time_entry){.blocks = 1, .quanta = bytes[0] - 1u};
            return at + 1;
        }
        if (__builtin_expect(bytes[1] < 128, 1)) {
            *entry = (struct refrain_time_entry){.blocks = bytes[0], .quanta = bytes[1]};
            return at + 2;
        }
    }
    *entry = (struct refrain_time_entry){.blocks = 1};
    if (at >= REFRAIN_TIME_ENTRIES_BYTES || page->entries[at] == 0)
        return 0;
    if (page->entry_shift > 0) {
        at = refrain_time_number(page->entries, at, &entry->blocks);
        return at ? refrain_time_number(page->entries, at, &entry->quanta) : 0;
    }
    at = refrain_time_number(page->entries, at, &entry->quanta);
    entry->quanta--;
    return at;
}

/* The beginning of the quantum in which an entry ends. `quanta`: sum of the page's entries up to this one. The entry
 * itself may end later in this quantum. */
static inline uint64_t refrain_time_page_ticks(const struct refrain_time_page *page, uint64_t quanta) {
    return ((page->first_ticks >> page->quantum_shift) + quanta) << page->quantum_shift;
}

#endif
