/* timeline.c: writes entries of more than two bytes and pages, and merges pages when there is no memory for another
 * (timeline.h). */
#define _GNU_SOURCE
#include "timeline.h"
#include "arch/arch.h"
#include "context.h"
#include "run/configure.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <limits.h>
#include <string.h>

#define ROOM_BYTES (2 * REFRAIN_TIME_NUMBER_BYTES) /* for one entry */
#define QUANTA_SHIFT 6u                            /* an entry of several blocks has less than 2 * 2^6 quanta */
#define LARGEST_ENTRY_SHIFT 62u
#define MOST_PAGE_ENTRIES (REFRAIN_TIME_ENTRIES_BYTES / 2)
#define LONGER_BY 16u      /* entries of merged pages are made longer by this part until they fit */
#define LONGER_PARTS 64u   /* the unit in which writer.longer is counted: this part of the mean */
#define MOST_LONGER 256u   /* largest value of writer.longer */
#define ROWS_LOOKED_AT 64u /* rows of pages compared before a merge */
#define PAGES_AHEAD 8u     /* pages whose heads are prefetched */
#define MERGED_OF 64u      /* if there are at least half as many pages, two are merged at a time */
#define NEVER (~(uint64_t)0)

static unsigned log2_of(uint64_t n) {
    return n ? 63u - (unsigned)__builtin_clzll(n) : 0;
}

/* Sets the longest duration of the page's entries. */
static void set_length(struct refrain_time_page *page, uint64_t entry_ticks) {
    page->entry_shift = (uint8_t)(log2_of(entry_ticks - 1) + 1);
    page->quantum_shift = (uint8_t)(log2_of(entry_ticks) - QUANTA_SHIFT);
}

/* ---- entries ---- */

static unsigned char *put_number(unsigned char *at, uint64_t number) {
    for (; number >= 128; number >>= 7)
        *at++ = (unsigned char)(number | 128);
    *at++ = (unsigned char)number;
    return at;
}

/* Write an entry of one block, and one of several. All bytes there are 0. The first byte is stored last, since readers
 * use it to see whether there is an entry. */
static unsigned char *put_single(unsigned char *at, uint64_t quanta) {
    uint64_t number = quanta + 1;
    unsigned char *next = number < 128 ? at + 1 : put_number(at + 1, number >> 7);
    refrain_commit();
    *at = (unsigned char)(number < 128 ? number : number | 128);
    return next;
}

static inline unsigned char *put_several(unsigned char *at, uint64_t blocks, uint64_t quanta) {
    if (__builtin_expect((blocks | quanta) < 128, 1)) { /* the usual case */
        at[1] = (unsigned char)quanta;
        refrain_commit();
        at[0] = (unsigned char)blocks;
        return at + 2;
    }
    unsigned char *next = put_number(blocks < 128 ? at + 1 : put_number(at + 1, blocks >> 7), quanta);
    refrain_commit();
    *at = (unsigned char)(blocks < 128 ? blocks : blocks | 128);
    return next;
}

/* ---- merging ---- */

static struct refrain_time_page *page_at(uint32_t reference) {
    return reference ? refrain_at_reference(reference) : NULL;
}

/* Marks the page as free. It stays with the writer until one is needed. */
static void set_free(struct refrain_timeline_writer *writer, struct refrain_time_page *page) {
    page->first_block = REFRAIN_TIME_PAGE_FREE;
    refrain_commit();
    page->next = writer->spare ? refrain_reference(writer->spare) : 0;
    writer->spare = page;
}

static struct refrain_time_page *take_free(struct refrain_timeline_writer *writer) {
    struct refrain_time_page *page = writer->spare;
    writer->spare = page_at(page->next);
    return page;
}

/* A position in a sequence of pages that is read: before the entry at entries[at] of a page. */
struct source {
    const struct refrain_time_page *page;
    unsigned at;
    uint64_t block, quanta, ticks; /* first block of the next entry, quanta of the page before it, and when it begins */
    uint64_t end_block;            /* first block of the next page; of the last page: none */
};

static struct source begin_of(const struct refrain_time_page *page) {
    const struct refrain_time_page *next = page_at(page->next);
    return (struct source){
        .page = page,
        .block = page->first_block,
        .ticks = page->first_ticks,
        .end_block = next ? next->first_block : NEVER,
    };
}

/* Returns the later time, since the clock may have gone back. */
static uint64_t later(uint64_t ticks, uint64_t others) {
    return (int64_t)(others - ticks) < 0 ? ticks : others;
}

/* What the next item changes at the position of `source`. */
struct step {
    unsigned at;
    uint64_t block, quanta, ticks;
};
static inline __attribute__((always_inline)) bool next_item(const struct source *source, struct step *next) {
    struct refrain_time_entry entry;
    next->at = refrain_time_entry(source->page, source->at, &entry);
    next->block = source->block + entry.blocks;
    if (__builtin_expect(next->at == 0 || next->block >= source->end_block, 0)) {
        next->ticks = later(source->ticks, page_at(source->page->next)->first_ticks);
        return false;
    }
    next->quanta = source->quanta + entry.quanta;
    next->ticks = later(source->ticks, refrain_time_page_ticks(source->page, next->quanta));
    return true;
}

static inline __attribute__((always_inline)) void pass_item(struct source *source, const struct step *next,
                                                            bool in_page) {
    if (__builtin_expect(!in_page, 0)) {
        *source = begin_of(page_at(source->page->next));
    } else {
        source->at = next->at;
        source->block = next->block;
        source->quanta = next->quanta;
    }
    source->ticks = next->ticks;
}

/* The page that is filled: the begin of its current entry, and the position of the next one. */
struct filled {
    struct refrain_time_page *page;
    struct source begin;
    unsigned char *at;
};

static bool is_full(const struct filled *filled) {
    return filled->at + ROOM_BYTES > filled->page->entries + sizeof filled->page->entries;
}

/* Ends the current entry before `block`, at `ticks`. */
static inline void end_entry(struct filled *filled, uint64_t block, uint64_t ticks) {
    unsigned shift = filled->page->quantum_shift;
    filled->at =
        put_several(filled->at, block - filled->begin.block, (ticks >> shift) - (filled->begin.ticks >> shift));
}

/* Reads items from `end` on while their numbers are single bytes, which most are; next_item() reads the others. A merge
 * reads each entry here, so ends are compared in quanta of the page, without conversion. */
static inline __attribute__((always_inline)) void fill_with_short(struct filled *filled, struct source *end,
                                                                  uint64_t entry_ticks, bool several) {
    struct source source = *end;
    const struct refrain_time_page *page = source.page;
    uint64_t first_quantum = page->first_ticks >> page->quantum_shift;
    int64_t most = (int64_t)(((filled->begin.ticks + entry_ticks) >> page->quantum_shift) - first_quantum);
    while (source.at + 1 < sizeof page->entries) {
        unsigned first = page->entries[source.at], second = several ? page->entries[source.at + 1] : 0;
        uint64_t block = source.block + (several ? first : 1), quanta = source.quanta + (several ? second : first - 1);
        if (first - 1 >= 127 || second >= 128 || block >= source.end_block)
            break;
        if ((int64_t)quanta > most && source.block > filled->begin.block) {
            if (is_full(filled))
                break;
            source.ticks = later(source.ticks, refrain_time_page_ticks(page, source.quanta));
            end_entry(filled, source.block, source.ticks);
            filled->begin = source;
            most = (int64_t)(((source.ticks + entry_ticks) >> page->quantum_shift) - first_quantum);
        }
        source.block = block;
        source.quanta = quanta;
        source.at += several ? 2 : 1;
    }
    if (source.at != end->at)
        source.ticks = later(source.ticks, refrain_time_page_ticks(page, source.quanta));
    *end = source;
}

/* Fills a free page with the entries from `source` up to the page `until`. Merges neighbours that last at most
 * `entry_ticks` together. Returns how many bytes are left. */
static unsigned fill(struct refrain_time_page *page, struct source *source, const struct refrain_time_page *until,
                     uint64_t entry_ticks) {
    struct filled filled = {.page = page, .begin = *source, .at = page->entries};
    struct source end = *source;
    page->first_ticks = end.ticks;
    set_length(page, entry_ticks);
    for (;;) {
        struct step next = {.at = 0};
        if (end.page != until && end.page->entry_shift > 0)
            fill_with_short(&filled, &end, entry_ticks, true);
        else if (end.page != until)
            fill_with_short(&filled, &end, entry_ticks, false);
        bool ends = end.page == until, in_page = !ends && next_item(&end, &next);
        if (end.block > filled.begin.block && (ends || next.ticks - filled.begin.ticks > entry_ticks)) {
            if (is_full(&filled))
                break;
            end_entry(&filled, end.block, end.ticks);
            filled.begin = end;
        }
        if (ends)
            break;
        pass_item(&end, &next, in_page);
    }
    unsigned left = (unsigned)(page->entries + sizeof page->entries - filled.at);
    memset(filled.at, 0, left);
    *source = filled.begin;
    return left;
}

#define DO_NOT_FIT UINT_MAX

/* Tries to write the pages from `first` to before `until` into one page less, with entries of this length. Each page
 * that is written has to read one old page to its end, which is then free for the next page. Returns how many bytes are
 * left, DO_NOT_FIT if they do not fit. Overwrites a free page. */
static unsigned fit(struct refrain_time_page *page, const struct refrain_time_page *first,
                    const struct refrain_time_page *until, unsigned n_pages, uint64_t entry_ticks) {
    struct source source = begin_of(first);
    unsigned left = 0;
    for (unsigned i = 1; i < n_pages; i++) {
        const struct refrain_time_page *before = source.page;
        left = source.page == until ? left + REFRAIN_TIME_ENTRIES_BYTES : fill(page, &source, until, entry_ticks);
        if (source.page == before && before != until)
            return DO_NOT_FIT;
    }
    return source.page == until ? left : DO_NOT_FIT;
}

/* The shortest length of entries of several blocks for which their quanta are not shorter than those of the entries
 * they are made of. */
static uint64_t entry_ticks_at_least(unsigned quantum_shift, uint64_t ticks) {
    uint64_t least = (uint64_t)1 << (quantum_shift + QUANTA_SHIFT);
    return ticks < least ? least : ticks >> LARGEST_ENTRY_SHIFT ? (uint64_t)1 << LARGEST_ENTRY_SHIFT : ticks;
}

/* The longest quanta of these pages. Pages that were begun after others were freed have shorter ones. */
static unsigned longest_quantum_shift(const struct refrain_time_page *page, const struct refrain_time_page *until) {
    unsigned shift = 0;
    for (; page != until; page = page_at(page->next))
        shift = page->quantum_shift > shift ? page->quantum_shift : shift;
    return shift;
}

/* Number of pages merged at once. Of few pages, all but the full one and the free one. */
static unsigned merged_at_once(const struct refrain_timeline *timeline) {
    unsigned most = timeline->pages - 2, n = MERGED_OF / timeline->pages;
    return n > most ? most : n < 2 ? 2 : n;
}

/* Finds a length of entries at which the pages fit, to within one part in LONGER_BY; the last trial has fitted. The
 * mean length would be enough if all entries could have it. How much longer they have to be is mostly the same as last
 * time, so a length that is a little less is tried first. */
static uint64_t find_length(struct refrain_timeline_writer *writer, const struct refrain_time_page *first,
                            const struct refrain_time_page *until, unsigned n_pages) {
    uint64_t ticks = until->first_ticks - first->first_ticks, room = REFRAIN_TIME_ENTRIES_BYTES * (n_pages - 1);
    unsigned shift = longest_quantum_shift(first, until);
    uint64_t mean = entry_ticks_at_least(shift, ticks / (MOST_PAGE_ENTRIES * (n_pages - 1)));
    uint64_t entry_ticks = mean + mean / LONGER_PARTS * writer->longer;
    unsigned left = fit(writer->spare, first, until, n_pages, entry_ticks);
    if (left != DO_NOT_FIT && left > room / LONGER_BY && entry_ticks > mean) {
        uint64_t shorter = entry_ticks - entry_ticks / room * left;
        entry_ticks = shorter > mean ? shorter : mean;
        left = fit(writer->spare, first, until, n_pages, entry_ticks);
    }
    while (left == DO_NOT_FIT) {
        entry_ticks = entry_ticks_at_least(shift, entry_ticks + entry_ticks / LONGER_BY);
        left = fit(writer->spare, first, until, n_pages, entry_ticks);
    }
    uint64_t longer = (entry_ticks - mean) / (mean / LONGER_PARTS);
    writer->longer = longer > MOST_LONGER ? MOST_LONGER : longer > 0 ? (uint16_t)(longer - 1) : 0;
    return entry_ticks;
}

/* Merges the n pages after `before` (null: the first ones) into one page less. Until the last one is written, the old
 * pages stay in the list. */
static void merge_after(struct refrain_timeline_writer *writer, struct refrain_time_page *before, unsigned n_pages) {
    struct refrain_timeline *timeline = writer->timeline;
    struct refrain_time_page *first = page_at(before ? before->next : timeline->first), *until = first;
    for (unsigned i = 0; i < n_pages; i++)
        until = page_at(until->next);
    uint64_t entry_ticks = find_length(writer, first, until, n_pages);
    for (struct source source = begin_of(first); source.page != until;) {
        struct refrain_time_page *page = take_free(writer);
        uint64_t block = source.block;
        if (n_pages == 2) /* the trial has written the only page */
            source.page = until;
        else
            fill(page, &source, until, entry_ticks);
        page->next = refrain_reference(source.page);
        refrain_commit();
        page->first_block = block;
        refrain_commit();
        if (before)
            before->next = refrain_reference(page);
        else
            timeline->first = refrain_reference(page);
        refrain_commit();
        timeline->merges++;
        refrain_commit();
        before = page;
        while (first != source.page) {
            struct refrain_time_page *next = page_at(first->next);
            set_free(writer, first);
            first = next;
        }
    }
    writer->merged_ticks = entry_ticks;
    writer->swept = before;
}

/* Makes room by merging pages: of the next ones, in turns, those that take the least time together, which is at most
 * their share of the run. So entries become about equally long all over the run, whatever happened in it. Of few pages
 * more are merged at a time, down to all of them, so that none has much more than its share.
 *
 * Where there are many pages the program has evicted their heads from the caches, and each says where the next one is.
 * So a head says, too, which one came a few pages later when it was looked at before. That one is mostly the one that
 * comes now, and is fetched early; whatever it is, nothing else depends on it. At first pages are one after the other
 * in memory. */
static void merge_next(struct refrain_timeline_writer *writer) {
    struct refrain_timeline *timeline = writer->timeline;
    struct refrain_time_page *before = writer->swept, *finest = NULL, *passed[PAGES_AHEAD] = {NULL};
    uint64_t least_ticks = NEVER;
    unsigned n_pages = merged_at_once(timeline);
    for (uint32_t i = 0, looked_at = 0; i <= timeline->pages && looked_at < ROWS_LOOKED_AT; i++) {
        struct refrain_time_page *first = page_at(before ? before->next : timeline->first), *last = first;
        __builtin_prefetch(first->ahead ? page_at(first->ahead) : first + PAGES_AHEAD);
        for (unsigned n = 1; last != writer->page && n < n_pages; n++)
            last = page_at(last->next);
        if (last == writer->page) {
            before = NULL;
            continue;
        }
        uint64_t ticks = page_at(last->next)->first_ticks - first->first_ticks;
        if (ticks < least_ticks) {
            least_ticks = ticks;
            finest = before;
        }
        struct refrain_time_page **earlier = &passed[looked_at % PAGES_AHEAD];
        if (*earlier)
            (*earlier)->ahead = refrain_reference(first);
        *earlier = first;
        looked_at++;
        before = first;
    }
    merge_after(writer, finest, n_pages);
}

/* ---- pages ---- */

static struct refrain_time_page *take_page(struct refrain_timeline *timeline) {
    struct refrain_time_page *page = timeline->pages < timeline->most_pages ? refrain_pool_take_page() : NULL;
    if (page)
        timeline->pages++;
    return page;
}

/* Makes this the current page. Its entries last at most `entry_ticks`; 0: each entry is one block. */
static void begin_page(struct refrain_timeline_writer *writer, struct refrain_time_page *page, uint64_t block,
                       uint64_t now, uint64_t entry_ticks) {
    memset(page->entries, 0, sizeof page->entries);
    page->first_ticks = now;
    page->next = 0;
    page->entry_shift = 0;
    page->quantum_shift = (uint8_t)writer->first_quantum_shift;
    if (entry_ticks > 0)
        set_length(page, entry_ticks);
    refrain_commit();
    page->first_block = block;
    writer->page = page;
    writer->at = page->entries;
    writer->almost = page->entries + sizeof page->entries - ROOM_BYTES;
    writer->limit = entry_ticks == 0 ? writer->almost : NULL;
    writer->entry_ticks = entry_ticks == 0 ? 0 : now;
    writer->most_ticks = entry_ticks;
    writer->blocks = 0;
    writer->quantum_shift = page->quantum_shift;
    writer->block = block;
}

static void stop(struct refrain_timeline_writer *writer) {
    writer->limit = NULL;
    writer->entry_ticks = 0;
    writer->most_ticks = NEVER;
    if (writer->timeline)
        writer->timeline->end_block = REFRAIN_TIME_STOPPED;
}

/* Counts the bytes of the page's entries that have their highest bit set, so they are not the last of a number. Eight
 * bytes at a time. */
static unsigned unfinished_bytes(const struct refrain_time_page *page) {
    uint64_t sums = 0, word; /* sums of eight columns of bytes, each less than 256 */
    _Static_assert(REFRAIN_TIME_ENTRIES_BYTES % sizeof word == 0 && REFRAIN_TIME_ENTRIES_BYTES / sizeof word < 256, "");
    for (unsigned at = 0; at < REFRAIN_TIME_ENTRIES_BYTES; at += sizeof word) {
        memcpy(&word, page->entries + at, sizeof word);
        sums += word >> 7 & 0x0101010101010101u;
    }
    sums = (sums & 0x00ff00ff00ff00ffu) + (sums >> 8 & 0x00ff00ff00ff00ffu);
    return (unsigned)(sums * 0x0001000100010001u >> 48);
}

/* The number of the block after the page's last one. Single blocks are counted here, so they need not be counted when
 * they are written. */
static uint64_t next_block(const struct refrain_timeline_writer *writer) {
    if (!writer->limit)
        return writer->block;
    return writer->block + (uint64_t)(writer->at - writer->page->entries) - unfinished_bytes(writer->page);
}

/* Begins another page when the current one is full: at first with single blocks, after the first merge with entries as
 * long as that made them. */
static void turn_page(struct refrain_timeline_writer *writer, uint64_t now) {
    struct refrain_timeline *timeline = writer->timeline;
    struct refrain_time_page *full = writer->page, *page = take_page(timeline);
    uint64_t block = next_block(writer);
    uint64_t entry_ticks = 0;
    if (!page) {
        if (timeline->pages < REFRAIN_TIME_LEAST_PAGES) {
            stop(writer);
            return;
        }
        if (!writer->spare->next)
            merge_next(writer);
        page = take_free(writer);
        entry_ticks = writer->merged_ticks;
    }
    begin_page(writer, page, block, now, entry_ticks);
    refrain_publish(&full->next, refrain_reference(page));
}

/* The number of quanta between two times. 0 if the clock went back. */
static uint64_t quanta_between(const struct refrain_timeline_writer *writer, uint64_t from, uint64_t to) {
    uint64_t quanta = (to >> writer->quantum_shift) - (from >> writer->quantum_shift);
    return (int64_t)quanta < 0 ? 0 : quanta;
}

/* Adds an entry of one block. */
static void end_single(struct refrain_timeline_writer *writer, uint64_t now, uint64_t elapsed) {
    if ((int64_t)elapsed < 0)
        writer->timeline->backwards++;
    writer->at = put_single(writer->at, quanta_between(writer, now - elapsed, now));
}

/* Ends the current entry of several blocks at `ticks`. */
static void end_several(struct refrain_timeline_writer *writer, uint64_t ticks) {
    writer->at = put_several(writer->at, writer->blocks, quanta_between(writer, writer->entry_ticks, ticks));
    writer->block += writer->blocks;
    writer->blocks = 0;
    writer->entry_ticks = ticks;
}

/* Ends the current entry if this block would make it too long, and begins another one with the block. */
static void begin_several(struct refrain_timeline_writer *writer, uint64_t now, uint64_t elapsed) {
    if ((int64_t)elapsed < 0) {
        writer->timeline->backwards++;
        writer->entry_ticks = now;
    } else if (writer->blocks > 0) {
        end_several(writer, now - elapsed);
        if (writer->at >= writer->almost)
            turn_page(writer, now - elapsed);
    }
    if (writer->limit) /* there is memory for a page again; the block is its first entry */
        end_single(writer, now, elapsed);
    else
        writer->blocks++;
}

void refrain_timeline_entry(struct refrain_timeline_writer *writer, uint64_t now, uint64_t elapsed) {
    if (!writer->limit) {
        begin_several(writer, now, elapsed);
        return;
    }
    end_single(writer, now, elapsed);
    if (writer->at >= writer->almost)
        turn_page(writer, now);
}

/* ---- pages that are given back ---- */

/* Moves the page at the lowest address, which is in the timeline, to a free page. `before`: the page before it in the
 * list. */
static void move_page(struct refrain_timeline_writer *writer, struct refrain_time_page *page,
                      struct refrain_time_page *to, struct refrain_time_page *before) {
    uint64_t first_block = page->first_block;
    memcpy((unsigned char *)to + sizeof first_block, (unsigned char *)page + sizeof first_block,
           sizeof *to - sizeof first_block);
    refrain_commit();
    to->first_block = first_block;
    refrain_commit();
    if (before)
        before->next = refrain_reference(to);
    else
        writer->timeline->first = refrain_reference(to);
    refrain_commit();
    writer->timeline->merges++;
    refrain_commit();
    page->first_block = REFRAIN_TIME_PAGE_FREE;
    if (writer->swept == page)
        writer->swept = to;
    if (writer->page == page) {
        writer->at = to->entries + (writer->at - page->entries);
        writer->almost = to->entries + (writer->almost - page->entries);
        writer->limit = writer->limit ? writer->almost : NULL;
        writer->page = to;
    }
}

/* Removes a page from the free ones. */
static void unlink_free(struct refrain_timeline_writer *writer, const struct refrain_time_page *page) {
    if (writer->spare == page) {
        writer->spare = page_at(page->next);
        return;
    }
    struct refrain_time_page *before = writer->spare;
    while (page_at(before->next) != page)
        before = page_at(before->next);
    before->next = page->next;
}

static struct refrain_time_page *lowest_page(void) {
    return (void *)(refrain_trace_file.base + refrain_trace_file.header->times_from);
}

/* Gives the lowest page, which is free, to the pool. */
static void give_lowest(struct refrain_timeline_writer *writer) {
    memset(lowest_page(), 0, sizeof(struct refrain_time_page));
    writer->timeline->pages--;
    __atomic_store_n(&refrain_trace_file.header->times_from,
                     refrain_trace_file.header->times_from + sizeof(struct refrain_time_page), __ATOMIC_SEQ_CST);
}

bool refrain_timeline_give_page(struct refrain_timeline_writer *writer) {
    struct refrain_timeline *timeline = writer->timeline;
    if (!timeline || !writer->page || timeline->pages <= REFRAIN_TIME_LEAST_PAGES)
        return false;
    if (!writer->spare->next)
        merge_next(writer);
    struct refrain_time_page *lowest = lowest_page(), *before = NULL;
    if (lowest->first_block == REFRAIN_TIME_PAGE_FREE) {
        unlink_free(writer, lowest);
    } else {
        for (struct refrain_time_page *page = page_at(timeline->first); page != lowest; page = page_at(page->next))
            before = page;
        move_page(writer, lowest, take_free(writer), before);
    }
    give_lowest(writer);
    return true;
}

bool refrain_timeline_give_all(struct refrain_timeline_writer *writer) {
    uint64_t *from = &refrain_trace_file.header->times_from, bytes = refrain_trace_file.header->bytes;
    if (!writer->timeline || *from >= bytes)
        return false;
    stop(writer);
    refrain_commit();
    writer->timeline->first = 0;
    writer->timeline->pages = 0;
    refrain_commit();
    writer->page = writer->spare = writer->swept = NULL;
    memset(lowest_page(), 0, bytes - *from);
    __atomic_store_n(from, bytes, __ATOMIC_SEQ_CST);
    return true;
}

void refrain_timeline_finish(struct refrain_timeline_writer *writer, uint64_t now) {
    if (writer->limit || !writer->timeline || writer->timeline->end_block || writer->blocks == 0)
        return;
    end_several(writer, now);
    refrain_commit();
    writer->timeline->end_block = writer->block;
    writer->most_ticks = NEVER;
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
    struct refrain_time_page *page = take_page(timeline), *spare = take_page(timeline);
    refrain_publish(&context->thread->timeline, refrain_reference(timeline));
    if (!page || !spare) {
        stop(writer);
        return;
    }
    set_free(writer, spare);
    uint64_t ns = header->last.monotonic_ns - header->start.monotonic_ns;
    uint64_t ticks = header->last.ticks - header->start.ticks;
    writer->first_quantum_shift =
        (uint16_t)log2_of(ns ? ticks * REFRAIN_TIME_QUANTUM_NS / ns : REFRAIN_TIME_QUANTUM_NS);
    begin_page(writer, page, 0, context->thread->start_ticks, 0);
    refrain_publish(&timeline->first, refrain_reference(page));
}
