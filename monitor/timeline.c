/* timeline.c: items of more than a byte, pages, and what is done when there is no memory for another (timeline.h). */
#define _GNU_SOURCE
#include "timeline.h"
#include "configure.h"
#include "monitor.h"

#include <string.h>

#define LONG_BLOCK_BYTES (2 * REFRAIN_TIME_NUMBER_BYTES)
#define ROOM_BYTES (REFRAIN_TIME_NUMBER_BYTES + LONG_BLOCK_BYTES) /* for an item, with one long block at least */
#define LARGEST_SPAN_SHIFT 40u
#define QUANTA_SHIFT 5u        /* an item of mean length is to have 2^5 to 2^6 quanta */
#define LONG_BLOCK_QUANTA 128u /* two to four times as long as a mean item: told apart */
#define NEVER (~(uint64_t)0)

static void commit(void) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static unsigned log2_of(uint64_t n) {
    return n ? 63u - (unsigned)__builtin_clzll(n) : 0;
}

/* ---- items ---- */

static unsigned char *put_number(unsigned char *at, uint64_t number) {
    for (; number >= 128; number >>= 7)
        *at++ = (unsigned char)(number | 128);
    *at++ = (unsigned char)number;
    return at;
}

/* Adds a block to those that are told apart; where these are as many as may be, the shortest of them is left out. */
static void add_long_block(struct refrain_time_item *item, uint64_t at, uint64_t quanta) {
    struct refrain_time_long_block *blocks = item->long_block;
    uint32_t n = item->n_long;
    if (n == REFRAIN_TIME_LONG_BLOCKS) {
        uint32_t shortest = 0;
        for (uint32_t i = 1; i < n; i++)
            if (blocks[i].quanta < blocks[shortest].quanta)
                shortest = i;
        if (quanta <= blocks[shortest].quanta)
            return;
        for (uint32_t i = shortest; i + 1 < n; i++)
            blocks[i] = blocks[i + 1];
        n--;
    }
    blocks[n] = (struct refrain_time_long_block){at, quanta};
    item->n_long = n + 1;
}

/* Writes an item before `end`; the bytes there are 0. Those of its blocks are told apart that are long and find room.
 * The first byte comes last, as that is what a reader goes by. */
static unsigned char *put_item(unsigned char *at, const unsigned char *end, bool single,
                               const struct refrain_time_item *item) {
    const struct refrain_time_long_block *apart[REFRAIN_TIME_LONG_BLOCKS];
    uint64_t rest = item->quanta;
    size_t room = (size_t)(end - at) - REFRAIN_TIME_NUMBER_BYTES;
    unsigned n = 0;
    for (uint32_t i = 0; i < item->n_long; i++)
        if (item->long_block[i].quanta >= LONG_BLOCK_QUANTA && item->long_block[i].quanta <= rest &&
            room >= LONG_BLOCK_BYTES) {
            apart[n++] = &item->long_block[i];
            rest -= item->long_block[i].quanta;
            room -= LONG_BLOCK_BYTES;
        }
    uint64_t first = (single ? rest : rest << 1 | (n > 0)) + 1;
    unsigned char *next = first < 128 ? at + 1 : put_number(at + 1, first >> 7);
    for (unsigned i = 0; i < n; i++)
        next = put_number(put_number(next, apart[i]->at << 1 | (i + 1 < n)), apart[i]->quanta);
    commit();
    *at = (unsigned char)(first < 128 ? first : first | 128);
    return next;
}

/* ---- merging ---- */

static struct refrain_time_page *page_at(uint32_t reference) {
    return reference ? refrain_at_reference(reference) : NULL;
}

static void clear_page(struct refrain_time_page *page) {
    page->first_block = REFRAIN_TIME_PAGE_FREE;
    commit();
    page->next = 0;
    memset(page->items, 0, sizeof page->items);
}

/* A page that is made of others: the item begun, and where the next one goes. */
struct merging {
    struct refrain_time_page *page;
    unsigned char *at, *end;
    uint64_t quanta;               /* of the items written */
    uint64_t block;                /* first one of the item begun */
    struct refrain_time_item item; /* begun: its long blocks */
};

/* The item begun ends at `ticks`; the next one begins with `block`. False when it does not fit. */
static bool end_item(struct merging *merging, uint64_t block, uint64_t ticks) {
    uint64_t from_start = ticks - merging->page->first_ticks;
    uint64_t end = (int64_t)from_start < 0 ? 0 : from_start >> merging->page->quantum_shift;
    if (merging->at + ROOM_BYTES > merging->end)
        return false;
    if (end < merging->quanta)
        end = merging->quanta;
    merging->item.quanta = end - merging->quanta;
    merging->at = put_item(merging->at, merging->end, false, &merging->item);
    merging->quanta = end;
    merging->block = block;
    merging->item.n_long = 0;
    return true;
}

/* Adds the items of `from`, whose blocks end before `end_block` and whose time ends at `end_ticks`. */
static bool add_page(struct merging *merging, const struct refrain_time_page *from, uint64_t end_block,
                     uint64_t end_ticks) {
    struct refrain_time_item item;
    uint64_t block = from->first_block, quanta = 0;
    unsigned finer = (unsigned)merging->page->quantum_shift - from->quantum_shift;
    uint64_t inside = ((uint64_t)1 << merging->page->span_shift) - 1;
    for (unsigned at = 0; block < end_block && (at = refrain_time_item(from, at, &item));) {
        uint64_t next = refrain_time_item_end(from, block, end_block);
        if (from->span_shift == 0) {
            item.n_long = 1;
            item.long_block[0] = (struct refrain_time_long_block){0, item.quanta};
        }
        for (uint32_t i = 0; i < item.n_long; i++)
            if (item.long_block[i].quanta >> finer >= LONG_BLOCK_QUANTA)
                add_long_block(&merging->item, block + item.long_block[i].at - merging->block,
                               item.long_block[i].quanta >> finer);
        quanta += item.quanta;
        block = next;
        if ((block & inside) == 0 &&
            !end_item(merging, block,
                      block == end_block ? end_ticks : from->first_ticks + (quanta << from->quantum_shift)))
            return false;
    }
    return true;
}

/* Makes `page` of `a` and `b`, which `after` follows; false when that is too much. */
static bool merge_with(struct refrain_time_page *page, const struct refrain_time_page *a,
                       const struct refrain_time_page *b, const struct refrain_time_page *after, unsigned span_shift) {
    uint64_t ticks = after->first_ticks - a->first_ticks, blocks = after->first_block - a->first_block;
    unsigned mean = log2_of(ticks / ((blocks >> span_shift) + 1)),
             shift = mean > QUANTA_SHIFT ? mean - QUANTA_SHIFT : 0;
    clear_page(page);
    page->first_ticks = a->first_ticks;
    page->span_shift = (uint8_t)span_shift;
    page->quantum_shift = shift > a->quantum_shift ? (uint8_t)shift : a->quantum_shift;
    if (page->quantum_shift < b->quantum_shift)
        page->quantum_shift = b->quantum_shift;
    struct merging merging = {
        .page = page, .at = page->items, .end = page->items + sizeof page->items, .block = a->first_block};
    if (!add_page(&merging, a, b->first_block, b->first_ticks) ||
        !add_page(&merging, b, after->first_block, after->first_ticks))
        return false;
    if (merging.block != after->first_block && !end_item(&merging, after->first_block, after->first_ticks))
        return false;
    page->next = b->next;
    commit();
    page->first_block = a->first_block;
    return true;
}

/* Merges the two pages after `before` (null: the first two); returns a page that is free now. */
static struct refrain_time_page *merge_after(struct refrain_timeline_writer *writer, struct refrain_time_page *before) {
    struct refrain_timeline *timeline = writer->timeline;
    struct refrain_time_page *a = page_at(before ? before->next : timeline->first), *b = page_at(a->next),
                             *page = writer->spare;
    unsigned span_shift = (a->span_shift > b->span_shift ? a->span_shift : b->span_shift) + 1u;
    while (!merge_with(page, a, b, page_at(b->next), span_shift))
        span_shift++;
    commit();
    if (before)
        before->next = refrain_reference(page);
    else
        timeline->first = refrain_reference(page);
    commit();
    timeline->merges++;
    clear_page(a);
    clear_page(b);
    writer->spare = a;
    writer->swept = page;
    return b;
}

/* Makes room by merging two pages that are short in time: the next ones, in turns, that are not longer than two of
 * medium length. So all pages come to be of like length, whatever happened in them. */
static struct refrain_time_page *merge_next(struct refrain_timeline_writer *writer, uint64_t now) {
    struct refrain_timeline *timeline = writer->timeline;
    uint64_t run = now - page_at(timeline->first)->first_ticks, most = run / timeline->pages * 5 / 2, least = NEVER;
    struct refrain_time_page *before = writer->swept, *shortest = NULL;
    for (uint32_t i = 0; i <= timeline->pages; i++) {
        struct refrain_time_page *a = page_at(before ? before->next : timeline->first), *b = page_at(a->next);
        if (!b || b == writer->page) {
            before = NULL;
            continue;
        }
        uint64_t ticks = page_at(b->next)->first_ticks - a->first_ticks;
        if (ticks <= most)
            return merge_after(writer, before);
        if (ticks < least) {
            least = ticks;
            shortest = before;
        }
        before = a;
    }
    return merge_after(writer, shortest);
}

/* ---- pages ---- */

static struct refrain_time_page *take_page(struct refrain_timeline *timeline) {
    struct refrain_time_page *page =
        timeline->pages < timeline->most_pages ? refrain_pool_take(sizeof *page, REFRAIN_POOL_VALUES) : NULL;
    if (page)
        timeline->pages++;
    return page;
}

/* Items of the page now begun span 1 << span_shift blocks. */
static void begin_page(struct refrain_timeline_writer *writer, struct refrain_time_page *page, uint64_t block,
                       uint64_t now, unsigned span_shift, unsigned quantum_shift) {
    page->first_ticks = now;
    page->span_shift = (uint8_t)span_shift;
    page->quantum_shift = (uint8_t)quantum_shift;
    commit();
    page->first_block = block;
    writer->page = page;
    writer->at = page->items;
    writer->almost = page->items + sizeof page->items - ROOM_BYTES;
    writer->limit = span_shift == 0 ? writer->almost : NULL;
    writer->first_ticks = now;
    writer->quanta = 0;
    writer->quantum_shift = quantum_shift;
    writer->further = 0;
    writer->block = block;
    writer->span = writer->left = refrain_time_item_end(page, block, NEVER) - block;
    writer->usual = ((uint64_t)LONG_BLOCK_QUANTA << quantum_shift) - 1;
    writer->item.n_long = 0;
}

static void stop(struct refrain_timeline_writer *writer) {
    writer->limit = NULL;
    writer->left = writer->usual = NEVER;
    if (writer->timeline)
        writer->timeline->stopped = 1;
}

/* Number of the block after the last that the page tells of. */
static uint64_t next_block(const struct refrain_timeline_writer *writer) {
    return writer->limit ? writer->block + (uint64_t)(writer->at - writer->page->items) - writer->further
                         : writer->block;
}

/* What span makes a page of about `mean` ticks or a little more, when one of 1 << span_shift was of `ticks`. */
static unsigned span_shift_for(unsigned span_shift, uint64_t ticks, uint64_t mean) {
    uint64_t eighths = mean / (ticks / 10 + 1) + 1;
    unsigned raised = span_shift + log2_of(eighths * 2 - 1);
    return raised < 3 ? 0 : raised - 3 < LARGEST_SPAN_SHIFT ? raised - 3 : LARGEST_SPAN_SHIFT;
}

/* The page is full: another one is begun, which is as fine as memory lasts: at first block by block, then so that it
 * becomes as long as the others are in the middle. */
static void turn_page(struct refrain_timeline_writer *writer, uint64_t now) {
    struct refrain_timeline *timeline = writer->timeline;
    struct refrain_time_page *full = writer->page, *page = take_page(timeline);
    uint64_t block = next_block(writer);
    unsigned span_shift = 0, quantum_shift = writer->first_quantum_shift;
    if (!page) {
        if (timeline->pages < REFRAIN_TIME_LEAST_PAGES) {
            stop(writer);
            return;
        }
        page = merge_next(writer, now);
        uint64_t mean = (now - page_at(timeline->first)->first_ticks) / timeline->pages;
        uint64_t ticks = now - full->first_ticks, blocks = block - full->first_block;
        span_shift = span_shift_for(full->span_shift, ticks, mean);
        unsigned item_shift = log2_of(ticks / (blocks + 1)) + span_shift;
        if (span_shift > 0 && item_shift > quantum_shift + QUANTA_SHIFT)
            quantum_shift = item_shift - QUANTA_SHIFT;
    }
    begin_page(writer, page, block, now, span_shift, quantum_shift);
    commit();
    full->next = refrain_reference(page);
}

/* The quanta of the page up to `ticks` after its beginning. */
static uint64_t quanta_until(const struct refrain_timeline_writer *writer, uint64_t ticks) {
    return (int64_t)ticks < 0 ? 0 : ticks >> writer->quantum_shift;
}

/* An item that is one block. */
static void end_single(struct refrain_timeline_writer *writer, uint64_t now, uint64_t elapsed) {
    uint64_t end = now - writer->first_ticks;
    writer->item.quanta = quanta_until(writer, end) - quanta_until(writer, end - elapsed);
    if ((int64_t)elapsed < 0) {
        writer->timeline->backwards++;
        writer->item.quanta = 0;
    }
    unsigned char *at = put_item(writer->at, writer->almost + ROOM_BYTES, true, &writer->item);
    writer->further += (uint32_t)(at - writer->at) - 1;
    writer->at = at;
}

/* The item that began with writer->block, and ends `now`. */
static void end_several(struct refrain_timeline_writer *writer, uint64_t now) {
    uint64_t end = quanta_until(writer, now - writer->first_ticks);
    if (end < writer->quanta) {
        writer->timeline->backwards++;
        end = writer->quanta;
    }
    writer->item.quanta = end - writer->quanta;
    for (uint32_t i = 0; i < writer->item.n_long; i++)
        writer->item.long_block[i].quanta >>= writer->quantum_shift;
    writer->at = put_item(writer->at, writer->almost + ROOM_BYTES, false, &writer->item);
    writer->item.n_long = 0;
    writer->quanta = end;
    writer->block += writer->span;
    writer->span = writer->left = (uint64_t)1 << writer->page->span_shift;
}

void refrain_timeline_item(struct refrain_timeline_writer *writer, uint64_t now, uint64_t elapsed) {
    if (writer->limit) {
        end_single(writer, now, elapsed);
    } else {
        if (elapsed > writer->usual && (int64_t)elapsed > 0)
            add_long_block(&writer->item, writer->span - writer->left, elapsed);
        if (--writer->left > 0)
            return;
        end_several(writer, now);
    }
    if (writer->at >= writer->almost)
        turn_page(writer, now);
}

void refrain_timeline_finish(struct refrain_timeline_writer *writer, uint64_t now) {
    if (writer->limit || !writer->timeline || writer->timeline->stopped || writer->left == writer->span)
        return;
    writer->span -= writer->left;
    end_several(writer, now);
    turn_page(writer, now);
}

void refrain_timeline_open(struct refrain_context *context) {
    struct refrain_timeline_writer *writer = &context->timeline;
    const struct refrain_header *header = refrain_region.header;
    uint64_t pages = header->time_bytes / header->n_threads / sizeof(struct refrain_time_page);
    stop(writer);
    if (!context->learning || pages < REFRAIN_TIME_LEAST_PAGES)
        return;
    struct refrain_timeline *timeline = refrain_pool_take(sizeof *timeline, REFRAIN_POOL_VALUES);
    if (!timeline)
        return;
    timeline->most_pages = pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX;
    writer->timeline = timeline;
    struct refrain_time_page *page = take_page(timeline);
    writer->spare = take_page(timeline);
    context->thread->timeline = refrain_reference(timeline);
    if (!page || !writer->spare) {
        stop(writer);
        return;
    }
    uint64_t ns = header->last.monotonic_ns - header->start.monotonic_ns;
    uint64_t ticks = header->last.ticks - header->start.ticks;
    writer->first_quantum_shift = log2_of(ns ? ticks * REFRAIN_TIME_QUANTUM_NS / ns : REFRAIN_TIME_QUANTUM_NS);
    begin_page(writer, page, 0, context->thread->start_ticks, 0, writer->first_quantum_shift);
    commit();
    timeline->first = refrain_reference(page);
}
