/* timeline.c: items of more than a byte, pages, and what is done when there is no memory for another (timeline.h). */
#define _GNU_SOURCE
#include "timeline.h"
#include "configure.h"
#include "monitor.h"

#include <string.h>

#define ROOM_BYTES (2 * REFRAIN_TIME_NUMBER_BYTES) /* for an item */
#define QUANTA_SHIFT 6u /* an item of several blocks lasts less than twice so many quanta, as a power of two */
#define LARGEST_ITEM_SHIFT 62u
#define PAGE_ITEMS 384u /* of several blocks, that a page has room for at least where they are of usual size */
#define MOST_PAGE_ITEMS (REFRAIN_TIME_ITEMS_BYTES / 2)
#define LONGER_BY 8u /* items of two pages that are merged are made longer by this part until the page holds them */
#define PAIRS_LOOKED_AT 64u /* before two pages are merged */
#define NEVER (~(uint64_t)0)

static void commit(void) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static unsigned log2_of(uint64_t n) {
    return n ? 63u - (unsigned)__builtin_clzll(n) : 0;
}

/* The page's items last at most so many ticks. */
static void set_length(struct refrain_time_page *page, uint64_t item_ticks) {
    page->item_shift = (uint8_t)(log2_of(item_ticks - 1) + 1);
    page->quantum_shift = (uint8_t)(log2_of(item_ticks) - QUANTA_SHIFT);
}

/* ---- items ---- */

static unsigned char *put_number(unsigned char *at, uint64_t number) {
    for (; number >= 128; number >>= 7)
        *at++ = (unsigned char)(number | 128);
    *at++ = (unsigned char)number;
    return at;
}

/* An item of one block, and one of several. The bytes there are 0; the first one is stored last, as that is what a
 * reader goes by. */
static unsigned char *put_single(unsigned char *at, uint64_t quanta) {
    uint64_t number = quanta + 1;
    unsigned char *next = number < 128 ? at + 1 : put_number(at + 1, number >> 7);
    commit();
    *at = (unsigned char)(number < 128 ? number : number | 128);
    return next;
}

static unsigned char *put_several(unsigned char *at, uint64_t blocks, uint64_t quanta) {
    unsigned char *next = put_number(blocks < 128 ? at + 1 : put_number(at + 1, blocks >> 7), quanta);
    commit();
    *at = (unsigned char)(blocks < 128 ? blocks : blocks | 128);
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

/* A page that is made of others, and the item begun in it. */
struct merging {
    struct refrain_time_page *page;
    unsigned char *at, *end;
    uint64_t most_ticks;  /* that an item may last */
    uint64_t quanta;      /* of the items written */
    uint64_t blocks;      /* of the item begun, ... */
    uint64_t begin_ticks; /* ... when it began, ... */
    uint64_t end_ticks;   /* ... and when it ends so far */
};

/* The item begun ends. False when it does not fit. */
static bool end_merged(struct merging *merging) {
    uint64_t from_start = merging->end_ticks - merging->page->first_ticks;
    uint64_t end = (int64_t)from_start < 0 ? 0 : from_start >> merging->page->quantum_shift;
    if (merging->at + ROOM_BYTES > merging->end)
        return false;
    if (end < merging->quanta)
        end = merging->quanta;
    merging->at = put_several(merging->at, merging->blocks, end - merging->quanta);
    merging->quanta = end;
    merging->blocks = 0;
    merging->begin_ticks = merging->end_ticks;
    return true;
}

/* Adds the items of `from`, whose blocks end before `end_block` and whose time ends at `end_ticks`. */
static bool add_page(struct merging *merging, const struct refrain_time_page *from, uint64_t end_block,
                     uint64_t end_ticks) {
    struct refrain_time_item item;
    uint64_t block = from->first_block, quanta = 0;
    for (unsigned at = 0; block < end_block && (at = refrain_time_item(from, at, &item));) {
        quanta += item.quanta;
        block += item.blocks;
        uint64_t ticks = block >= end_block ? end_ticks : from->first_ticks + (quanta << from->quantum_shift);
        if (merging->blocks > 0 && ticks - merging->begin_ticks > merging->most_ticks && !end_merged(merging))
            return false;
        merging->blocks += item.blocks;
        merging->end_ticks = ticks;
    }
    return true;
}

/* Makes `page` of `a` and `b`, which `after` follows; false when that is too much. */
static bool merge_with(struct refrain_time_page *page, const struct refrain_time_page *a,
                       const struct refrain_time_page *b, const struct refrain_time_page *after, uint64_t item_ticks) {
    clear_page(page);
    page->first_ticks = a->first_ticks;
    set_length(page, item_ticks);
    struct merging merging = {.page = page,
                              .most_ticks = item_ticks,
                              .at = page->items,
                              .end = page->items + sizeof page->items,
                              .begin_ticks = a->first_ticks,
                              .end_ticks = a->first_ticks};
    if (!add_page(&merging, a, b->first_block, b->first_ticks) ||
        !add_page(&merging, b, after->first_block, after->first_ticks) || (merging.blocks > 0 && !end_merged(&merging)))
        return false;
    page->next = b->next;
    commit();
    page->first_block = a->first_block;
    return true;
}

/* Items of several blocks last so long at least that their quanta are not shorter than those of single blocks. */
static uint64_t item_ticks_at_least(const struct refrain_timeline_writer *writer, uint64_t ticks) {
    uint64_t least = (uint64_t)1 << (writer->first_quantum_shift + QUANTA_SHIFT);
    return ticks < least ? least : ticks >> LARGEST_ITEM_SHIFT ? (uint64_t)1 << LARGEST_ITEM_SHIFT : ticks;
}

/* When the page after this one begins. */
static uint64_t end_of(const struct refrain_time_page *page) {
    return page_at(page->next)->first_ticks;
}

/* Merges the two pages after `before` (null: the first two); returns a page that is free now. */
static struct refrain_time_page *merge_after(struct refrain_timeline_writer *writer, struct refrain_time_page *before) {
    struct refrain_timeline *timeline = writer->timeline;
    struct refrain_time_page *a = page_at(before ? before->next : timeline->first), *b = page_at(a->next),
                             *page = writer->spare;
    uint64_t item_ticks = item_ticks_at_least(writer, (end_of(b) - a->first_ticks) / MOST_PAGE_ITEMS);
    while (!merge_with(page, a, b, page_at(b->next), item_ticks))
        item_ticks = item_ticks_at_least(writer, item_ticks + item_ticks / LONGER_BY);
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

/* Makes room by merging two pages: of the next ones, in turns, those that take the least time together, which is at
 * most two pages' share of the run. So items become about equally long all over the run, whatever happened in it. */
static struct refrain_time_page *merge_next(struct refrain_timeline_writer *writer) {
    struct refrain_timeline *timeline = writer->timeline;
    struct refrain_time_page *before = writer->swept, *finest = NULL;
    uint64_t least_ticks = NEVER;
    for (uint32_t i = 0, looked_at = 0; i <= timeline->pages && looked_at < PAIRS_LOOKED_AT; i++) {
        struct refrain_time_page *a = page_at(before ? before->next : timeline->first), *b = page_at(a->next);
        if (!b || b == writer->page) {
            before = NULL;
            continue;
        }
        uint64_t ticks = end_of(b) - a->first_ticks;
        if (ticks < least_ticks) {
            least_ticks = ticks;
            finest = before;
        }
        looked_at++;
        before = a;
    }
    return merge_after(writer, finest);
}

/* ---- pages ---- */

static struct refrain_time_page *take_page(struct refrain_timeline *timeline) {
    struct refrain_time_page *page =
        timeline->pages < timeline->most_pages ? refrain_pool_take(sizeof *page, REFRAIN_POOL_VALUES) : NULL;
    if (page)
        timeline->pages++;
    return page;
}

/* The page now begun, whose items last at most so many ticks; 0: each is one block. */
static void begin_page(struct refrain_timeline_writer *writer, struct refrain_time_page *page, uint64_t block,
                       uint64_t now, uint64_t item_ticks) {
    page->first_ticks = now;
    page->item_shift = 0;
    page->quantum_shift = (uint8_t)writer->first_quantum_shift;
    if (item_ticks > 0)
        set_length(page, item_ticks);
    commit();
    page->first_block = block;
    writer->page = page;
    writer->at = page->items;
    writer->almost = page->items + sizeof page->items - ROOM_BYTES;
    writer->limit = item_ticks == 0 ? writer->almost : NULL;
    writer->first_ticks = now;
    writer->item_ticks = item_ticks == 0 ? 0 : now;
    writer->most_ticks = item_ticks;
    writer->blocks = 0;
    writer->quanta = 0;
    writer->quantum_shift = page->quantum_shift;
    writer->further = 0;
    writer->block = block;
}

static void stop(struct refrain_timeline_writer *writer) {
    writer->limit = NULL;
    writer->item_ticks = 0;
    writer->most_ticks = NEVER;
    if (writer->timeline)
        writer->timeline->stopped = 1;
}

/* Number of the block after the last that the page tells of. */
static uint64_t next_block(const struct refrain_timeline_writer *writer) {
    return writer->limit ? writer->block + (uint64_t)(writer->at - writer->page->items) - writer->further
                         : writer->block;
}

/* How long items are to last, so that all pages together hold those of a run of `ticks`. */
static uint64_t item_ticks_for(const struct refrain_timeline_writer *writer, uint64_t ticks) {
    return item_ticks_at_least(writer, ticks / (writer->timeline->pages * (uint64_t)PAGE_ITEMS));
}

/* The page is full: another one is begun, which is as fine as memory lasts: at first block by block. */
static void turn_page(struct refrain_timeline_writer *writer, uint64_t now) {
    struct refrain_timeline *timeline = writer->timeline;
    struct refrain_time_page *full = writer->page, *page = take_page(timeline);
    uint64_t block = next_block(writer);
    uint64_t item_ticks = 0;
    if (!page) {
        if (timeline->pages < REFRAIN_TIME_LEAST_PAGES) {
            stop(writer);
            return;
        }
        page = merge_next(writer);
        item_ticks = item_ticks_for(writer, now - page_at(timeline->first)->first_ticks);
    }
    begin_page(writer, page, block, now, item_ticks);
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
    uint64_t quanta = quanta_until(writer, end) - quanta_until(writer, end - elapsed);
    if ((int64_t)elapsed < 0) {
        writer->timeline->backwards++;
        quanta = 0;
    }
    unsigned char *at = put_single(writer->at, quanta);
    writer->further += (uint32_t)(at - writer->at) - 1;
    writer->at = at;
}

/* The item of several blocks that was begun ended at `ticks`. */
static void end_several(struct refrain_timeline_writer *writer, uint64_t ticks) {
    uint64_t end = quanta_until(writer, ticks - writer->first_ticks);
    if (end < writer->quanta)
        end = writer->quanta;
    writer->at = put_several(writer->at, writer->blocks, end - writer->quanta);
    writer->quanta = end;
    writer->block += writer->blocks;
    writer->blocks = 0;
    writer->item_ticks = ticks;
}

/* A block that would make the item begun too long begins another one. */
static void begin_several(struct refrain_timeline_writer *writer, uint64_t now, uint64_t elapsed) {
    if ((int64_t)elapsed < 0) {
        writer->timeline->backwards++;
        writer->item_ticks = now;
    } else if (writer->blocks > 0) {
        end_several(writer, now - elapsed);
        if (writer->at >= writer->almost)
            turn_page(writer, now - elapsed);
    }
    writer->blocks++;
}

void refrain_timeline_item(struct refrain_timeline_writer *writer, uint64_t now, uint64_t elapsed) {
    if (!writer->limit) {
        begin_several(writer, now, elapsed);
        return;
    }
    end_single(writer, now, elapsed);
    if (writer->at >= writer->almost)
        turn_page(writer, now);
}

void refrain_timeline_finish(struct refrain_timeline_writer *writer, uint64_t now) {
    if (writer->limit || !writer->timeline || writer->timeline->stopped || writer->blocks == 0)
        return;
    end_several(writer, now);
    turn_page(writer, now);
}

void refrain_timeline_open(struct refrain_context *context) {
    struct refrain_timeline_writer *writer = &context->timeline;
    const struct refrain_header *header = refrain_trace_file.header;
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
    begin_page(writer, page, 0, context->thread->start_ticks, 0);
    commit();
    timeline->first = refrain_reference(page);
}
