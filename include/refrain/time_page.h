/* time_page.h: when the blocks of a thread ended, one after the other (monitor -> reader).
 *
 * The order of a thread's clock reads is known to a replay, so durations need no key:
 *
 *     struct refrain_timeline -> page -> page -> ... -> page being written
 *
 *     page: | first block, when it began, exactly | item item item ... | 0 0 0 |
 *     item: a span of blocks: how many quanta from the end of the item before it to the end of its last block
 *
 * An item of a page covers the blocks of one multiple of 2^span_shift to the next; the first and the last item of a
 * page may cover less, since a page begins where the one before it ends. The end of each item is counted from the start
 * of its page in whole quanta, so that rounding errors do not add up. As long as memory lasts an item is one block.
 * Then pages that follow each other are merged into one whose items span more blocks, and count in longer quanta.
 *
 * An item is a number, its quanta + 1. Where items span several blocks, long ones are told apart: the number is twice
 * the quanta of the others, + 1 if there are such, + 1; for each of them follow twice its place in the item, + 1 if it
 * is not the last, and its quanta. A number is written seven bits a byte, least significant first, the highest bit set
 * but in the last byte. The first byte of an item is never 0, and is stored last: what follows a kill or stands there
 * when another process looks is a beginning. A merged page is linked by one store. The pages that it replaces get
 * first_block REFRAIN_TIME_PAGE_FREE before they are used again, so that who still looks at them finds that the blocks
 * do not continue.
 */
#ifndef REFRAIN_TIME_PAGE_H
#define REFRAIN_TIME_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_TIME_PAGE_BYTES 1024u
#define REFRAIN_TIME_ITEMS_BYTES (REFRAIN_TIME_PAGE_BYTES - 32u)
#define REFRAIN_TIME_NUMBER_BYTES 10u /* most of a number */
#define REFRAIN_TIME_LEAST_PAGES 8u   /* of a thread: one written, one kept for merging, and some that are merged */
#define REFRAIN_TIME_PAGE_FREE (~(uint64_t)0)
#define REFRAIN_TIME_QUANTUM_NS 16u /* at first; the power of two of ticks below it */

struct refrain_time_page {
    uint64_t first_block; /* number of its first block in the thread, from 0 */
    uint64_t first_ticks; /* when that block began */
    uint32_t next;        /* reference of the page after it, 0 = it is the last */
    uint8_t span_shift;
    uint8_t quantum_shift; /* a quantum is 2^quantum_shift ticks */
    uint16_t reserved;
    uint64_t reserved_too;
    unsigned char items[REFRAIN_TIME_ITEMS_BYTES];
};

/* One per thread that has a timeline. */
struct refrain_timeline {
    uint32_t first;      /* reference of the first page */
    uint32_t pages;      /* taken from the pool */
    uint32_t most_pages; /* that may be taken */
    uint32_t stopped;    /* 1: there was no memory to go on with: it ends before its thread */
    uint64_t merges;     /* of two pages into one */
    uint64_t backwards;  /* clock reads that told an earlier time than the one before them */
};

#define REFRAIN_TIME_LONG_BLOCKS 8u /* most of an item that are told apart */
struct refrain_time_long_block {
    uint64_t at; /* which block of the item it is, from 0 */
    uint64_t quanta;
};

struct refrain_time_item {
    uint64_t quanta; /* in all */
    uint32_t n_long; /* blocks told apart, in their order */
    struct refrain_time_long_block long_block[REFRAIN_TIME_LONG_BLOCKS];
};

/* Reads a number that begins at items[at]; returns where the next one begins, 0 when it does not end in the page. */
static inline unsigned refrain_time_number(const unsigned char *items, unsigned at, uint64_t *number) {
    uint64_t value = 0;
    for (unsigned shift = 0; at < REFRAIN_TIME_ITEMS_BYTES && shift < 64; shift += 7) {
        unsigned char byte = items[at++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *number = value;
            return at;
        }
    }
    return 0;
}

/* Reads the item that begins at `at`; returns where the next one begins, 0 when nothing more was written. */
static inline unsigned refrain_time_item(const struct refrain_time_page *page, unsigned at,
                                         struct refrain_time_item *item) {
    uint64_t number;
    item->n_long = 0;
    if (at >= REFRAIN_TIME_ITEMS_BYTES || page->items[at] == 0)
        return 0;
    at = refrain_time_number(page->items, at, &number);
    if (at == 0)
        return 0;
    item->quanta = number - 1;
    if (page->span_shift == 0)
        return at;
    bool more = item->quanta & 1;
    item->quanta >>= 1;
    while (more && at) {
        struct refrain_time_long_block *block = &item->long_block[item->n_long];
        if (item->n_long++ == REFRAIN_TIME_LONG_BLOCKS)
            return 0;
        at = refrain_time_number(page->items, at, &block->at);
        if (at)
            at = refrain_time_number(page->items, at, &block->quanta);
        if (at)
            item->quanta += block->quanta;
        more = block->at & 1;
        block->at >>= 1;
    }
    return at;
}

/* The block after the last of an item that begins with `block` in a page whose blocks end before `end`. */
static inline uint64_t refrain_time_item_end(const struct refrain_time_page *page, uint64_t block, uint64_t end) {
    uint64_t span = (uint64_t)1 << (page->span_shift & 63), next = (block | (span - 1)) + 1;
    return next < end && next != 0 ? next : end;
}

#endif
