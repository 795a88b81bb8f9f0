/* timeline_merge.c: merges pages of a timeline when there is no memory for another, and gives pages back to the pool
 * (timeline.h). */
#include "timeline_pages.h"
#include <refrain/trace.h>

#include <limits.h>
#include <string.h>

#define LARGEST_ENTRY_SHIFT 62u
#define MOST_PAGE_ENTRIES (REFRAIN_TIME_ENTRIES_BYTES / 2)
#define LONGER_BY 16u      /* entries of merged pages are made longer by this part until they fit */
#define LONGER_PARTS 64u   /* the unit in which writer.longer is counted: this part of the mean */
#define MOST_LONGER 256u   /* largest value of writer.longer */
#define ROWS_LOOKED_AT 64u /* rows of pages compared before a merge */
#define PAGES_AHEAD 8u     /* pages whose heads are prefetched */
#define MERGED_OF 64u      /* if there are at least half as many pages, two are merged at a time */

/* ---- merging ---- */

/* A position in a sequence of pages that is read: before the entry at entries[at] of a page. */
struct source {
    const struct refrain_time_page *page;
    unsigned at;
    uint64_t block, quanta, ticks; /* first block of the next entry, quanta of the page before it, and when it begins */
    uint64_t end_block;            /* first block of the next page; of the last page: none */
};

static struct source begin_of(const struct refrain_time_page *page) {
    const struct refrain_time_page *next = refrain_timeline_page(page->next);
    return (struct source){
        .page = page,
        .block = page->first_block,
        .ticks = page->first_ticks,
        .end_block = next ? next->first_block : REFRAIN_TIMELINE_NEVER,
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
        next->ticks = later(source->ticks, refrain_timeline_page(source->page->next)->first_ticks);
        return false;
    }
    next->quanta = source->quanta + entry.quanta;
    next->ticks = later(source->ticks, refrain_time_page_ticks(source->page, next->quanta));
    return true;
}

static inline __attribute__((always_inline)) void pass_item(struct source *source, const struct step *next,
                                                            bool in_page) {
    if (__builtin_expect(!in_page, 0)) {
        *source = begin_of(refrain_timeline_page(source->page->next));
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
    return filled->at + REFRAIN_TIMELINE_ROOM_BYTES > filled->page->entries + sizeof filled->page->entries;
}

/* Ends the current entry before `block`, at `ticks`. */
static inline void end_entry(struct filled *filled, uint64_t block, uint64_t ticks) {
    unsigned shift = filled->page->quantum_shift;
    filled->at = refrain_timeline_put_several(filled->at, block - filled->begin.block,
                                              (ticks >> shift) - (filled->begin.ticks >> shift));
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
    refrain_timeline_set_length(page, entry_ticks);
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
    uint64_t least = (uint64_t)1 << (quantum_shift + REFRAIN_TIMELINE_QUANTA_SHIFT);
    return ticks < least ? least : ticks >> LARGEST_ENTRY_SHIFT ? (uint64_t)1 << LARGEST_ENTRY_SHIFT : ticks;
}

/* The longest quanta of these pages. Pages that were begun after others were freed have shorter ones. */
static unsigned longest_quantum_shift(const struct refrain_time_page *page, const struct refrain_time_page *until) {
    unsigned shift = 0;
    for (; page != until; page = refrain_timeline_page(page->next))
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
    struct refrain_time_page *first = refrain_timeline_page(before ? before->next : timeline->first), *until = first;
    for (unsigned i = 0; i < n_pages; i++)
        until = refrain_timeline_page(until->next);
    uint64_t entry_ticks = find_length(writer, first, until, n_pages);
    for (struct source source = begin_of(first); source.page != until;) {
        struct refrain_time_page *page = refrain_timeline_take_free(writer);
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
            struct refrain_time_page *next = refrain_timeline_page(first->next);
            refrain_timeline_set_free(writer, first);
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
void refrain_timeline_merge(struct refrain_timeline_writer *writer) {
    struct refrain_timeline *timeline = writer->timeline;
    struct refrain_time_page *before = writer->swept, *finest = NULL, *passed[PAGES_AHEAD] = {NULL};
    uint64_t least_ticks = REFRAIN_TIMELINE_NEVER;
    unsigned n_pages = merged_at_once(timeline);
    for (uint32_t i = 0, looked_at = 0; i <= timeline->pages && looked_at < ROWS_LOOKED_AT; i++) {
        struct refrain_time_page *first = refrain_timeline_page(before ? before->next : timeline->first), *last = first;
        __builtin_prefetch(first->ahead ? refrain_timeline_page(first->ahead) : first + PAGES_AHEAD);
        for (unsigned n = 1; last != writer->page && n < n_pages; n++)
            last = refrain_timeline_page(last->next);
        if (last == writer->page) {
            before = NULL;
            continue;
        }
        uint64_t ticks = refrain_timeline_page(last->next)->first_ticks - first->first_ticks;
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
        writer->spare = refrain_timeline_page(page->next);
        return;
    }
    struct refrain_time_page *before = writer->spare;
    while (refrain_timeline_page(before->next) != page)
        before = refrain_timeline_page(before->next);
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
        refrain_timeline_merge(writer);
    struct refrain_time_page *lowest = lowest_page(), *before = NULL;
    if (lowest->first_block == REFRAIN_TIME_PAGE_FREE) {
        unlink_free(writer, lowest);
    } else {
        for (struct refrain_time_page *page = refrain_timeline_page(timeline->first); page != lowest;
             page = refrain_timeline_page(page->next))
            before = page;
        move_page(writer, lowest, refrain_timeline_take_free(writer), before);
    }
    give_lowest(writer);
    return true;
}

bool refrain_timeline_give_all(struct refrain_timeline_writer *writer) {
    uint64_t *from = &refrain_trace_file.header->times_from, bytes = refrain_trace_file.header->bytes;
    if (!writer->timeline || *from >= bytes)
        return false;
    refrain_timeline_stop(writer);
    refrain_commit();
    writer->timeline->first = 0;
    writer->timeline->pages = 0;
    refrain_commit();
    writer->page = writer->spare = writer->swept = NULL;
    memset(lowest_page(), 0, bytes - *from);
    __atomic_store_n(from, bytes, __ATOMIC_SEQ_CST);
    return true;
}
