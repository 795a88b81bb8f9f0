/* block_times.c: reads a timeline, and divides the time of its entries among blocks (block_times.h). */
#include "times/block_times.h"
#include "common/arena.h"
#include "common/array.h"
#include "model/trace_read.h"
#include "times/adjust.h"

#include <string.h>

/* Position of the last byte: a two-byte entry cannot begin here. */
#define LAST_ENTRY (REFRAIN_TIME_ENTRIES_BYTES - 1)

/* ---- the timeline ---- */

static const void *at_reference(const struct refrain_time_reader *reader, uint32_t reference, size_t bytes) {
    uint64_t offset = (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES;
    bool inside =
        offset >= REFRAIN_HEADER_BYTES && offset <= reader->image_bytes && bytes <= reader->image_bytes - offset;
    return inside ? reader->image + offset : NULL;
}

/* Goes to a page. Its first block must be the next one of the reader. */
static void go_to_page(struct refrain_time_reader *reader, uint32_t reference) {
    const struct refrain_time_page *page = at_reference(reader, reference, sizeof *page), *next;
    reader->page = NULL;
    reader->single_until = 0;
    if (!page || page->first_block != reader->block || page->entry_shift >= 64 || page->quantum_shift >= 64 ||
        reader->pages++ > reader->image_bytes / sizeof *page)
        return;
    next = at_reference(reader, page->next, sizeof *next);
    reader->page = page;
    reader->end = next ? next->first_block : reader->last_block;
    reader->end_ticks = next ? next->first_ticks : reader->last_ticks;
    reader->single_until = page->entry_shift == 0 && reader->end > 0 ? reader->end - 1 : 0;
    reader->at = 0;
    reader->quanta = 0;
    reader->ticks = page->first_ticks;
}

void refrain_time_reader_open(struct refrain_time_reader *reader, const void *image, size_t image_bytes,
                              const struct refrain_thread *thread) {
    *reader = (struct refrain_time_reader){.image = image, .image_bytes = image_bytes};
    const struct refrain_timeline *timeline = at_reference(reader, thread->timeline, sizeof *timeline);
    reader->last_block = timeline && timeline->end_block ? timeline->end_block : REFRAIN_TIME_STOPPED;
    reader->last_ticks = thread->last_ticks;
    if (timeline)
        go_to_page(reader, timeline->first);
}

bool refrain_time_reader_shares(const struct refrain_time_reader *reader) {
    const struct refrain_time_page *page = reader->page;
    uint64_t most = reader->image_bytes / sizeof *page;
    for (uint64_t i = 0; page && i < most; i++, page = at_reference(reader, page->next, sizeof *page))
        if (page->entry_shift > 0)
            return true;
    return false;
}

bool refrain_time_reader_next(struct refrain_time_reader *reader, struct refrain_block_span *span) {
    struct refrain_time_entry entry;
    while (reader->page) {
        const struct refrain_time_page *page = reader->page;
        uint64_t end = reader->end;
        unsigned at = reader->block < end ? refrain_time_entry(page, reader->at, &entry) : 0;
        if (at == 0) {
            go_to_page(reader, page->next);
            continue;
        }
        uint64_t last = entry.blocks < end - reader->block ? reader->block + entry.blocks : end;
        reader->at = at;
        reader->quanta += entry.quanta;
        span->blocks = last - reader->block;
        span->quantum_ticks = (uint64_t)1 << page->quantum_shift;
        /* The last entry of a page ends where the next page begins, whose time is exact. */
        span->end_ticks = last == end ? reader->end_ticks : refrain_time_page_ticks(page, reader->quanta);
        if ((int64_t)(span->end_ticks - reader->ticks) < 0)
            span->end_ticks = reader->ticks;
        reader->block = last;
        reader->ticks = span->end_ticks;
        return true;
    }
    return false;
}

void refrain_time_summary_add(struct refrain_time_summary *summary, const void *image, size_t image_bytes,
                              const struct refrain_thread *thread) {
    struct refrain_time_reader reader;
    struct refrain_block_span span;
    refrain_time_reader_open(&reader, image, image_bytes, thread);
    uint64_t begin_ticks = reader.ticks;
    const struct refrain_timeline *timeline = at_reference(&reader, thread->timeline, sizeof *timeline);
    if (!timeline)
        return;
    while (refrain_time_reader_next(&reader, &span)) {
        summary->blocks += span.blocks;
        if (span.blocks > summary->longest_span)
            summary->longest_span = span.blocks;
        if (span.blocks == 1) {
            summary->single++;
            if (span.quantum_ticks > summary->quantum_ticks)
                summary->quantum_ticks = span.quantum_ticks;
        } else if (span.end_ticks - begin_ticks > summary->longest_ticks) {
            summary->longest_ticks = span.end_ticks - begin_ticks;
        }
        begin_ticks = span.end_ticks;
    }
    summary->bytes += (uint64_t)timeline->pages * sizeof(struct refrain_time_page);
    summary->most_bytes += (uint64_t)timeline->most_pages * sizeof(struct refrain_time_page);
    summary->backwards += timeline->backwards;
    summary->stopped |= timeline->end_block == REFRAIN_TIME_STOPPED;
}

struct refrain_time_summary refrain_trace_times(const struct refrain_trace *trace) {
    struct refrain_time_summary times = {0};
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        for (uint32_t t = 0; t < process->header->n_threads; t++)
            if (process->threads[t].started)
                refrain_time_summary_add(&times, process->image, process->image_bytes, &process->threads[t]);
    }
    return times;
}

/* ---- dividing the time of an entry ---- */

void refrain_block_times_open(struct refrain_block_times *times, const void *image, size_t image_bytes,
                              const struct refrain_thread *thread) {
    *times = (struct refrain_block_times){.last_ticks = thread->last_ticks};
    refrain_time_reader_open(&times->reader, image, image_bytes, thread);
    times->ended = times->reader.page == NULL;
}

void refrain_block_times_close(struct refrain_block_times *times) {
    refrain_free(times->kept);
    times->kept = NULL;
}

void refrain_block_times_clear_unused(struct refrain_block_times *times) {
    uint32_t n = times->settled ? 0 : times->n_kept;
    if (times->kept)
        memset(times->kept + n, 0, (times->capacity - n) * sizeof *times->kept);
}

/* Sum of the weights of the kept blocks. */
static double weight_kept(const struct refrain_block_times *times) {
    double weight = 0;
    for (uint32_t i = 0; i < times->n_kept; i++)
        weight += (double)times->kept[i].weight;
    return weight;
}

/* True if no later block of this place is in an entry of several blocks. This one then gets the rest of the
 * place's time. */
static bool is_last(const struct refrain_kept_block *block) {
    return block->account->shared_visits == 0;
}

/* Divides `ticks` among the kept blocks by their weights. The last blocks of a place get exactly their weights, if
 * there is enough. Returns the end of the last block. */
static uint64_t divide(struct refrain_block_times *times, uint64_t ticks, double weight) {
    uint64_t before = times->begin_ticks;
    double last_weight = 0, scale = weight > 0 ? (double)ticks / weight : 0, last_scale = scale, so_far = 0;
    for (uint32_t i = 0; i < times->n_kept; i++)
        last_weight += is_last(&times->kept[i]) ? (double)times->kept[i].weight : 0;
    if (last_weight > 0 && weight > last_weight) {
        last_scale = last_weight <= (double)ticks ? 1 : (double)ticks / last_weight;
        scale = ((double)ticks - last_weight * last_scale) / (weight - last_weight);
    }
    const double most = ticks < INT64_MAX ? (double)ticks : 0x1p63; /* a damaged entry may be longer */
    for (uint32_t i = 0, n = times->n_kept; i < n; i++) {
        struct refrain_kept_block *block = &times->kept[i];
        so_far +=
            weight > 0 ? (double)block->weight * (is_last(block) ? last_scale : scale) : (double)ticks / (double)n;
        uint64_t shared = i == n - 1 || so_far >= most ? ticks : (uint64_t)(int64_t)so_far;
        block->end_ticks = times->begin_ticks + shared;
        uint64_t given_back = block->weight - (block->end_ticks - before);
        block->account->ticks_left = (int64_t)((uint64_t)block->account->ticks_left + given_back);
        block->account->shared_ticks = (int64_t)((uint64_t)block->account->shared_ticks + given_back);
        before = block->end_ticks;
    }
    if (times->adjustment)
        refrain_adjustment_entry(times->adjustment, times->kept, times->n_kept, times->begin_ticks);
    return before;
}

/* Ticks left of the entry. */
static uint64_t ticks_left_of(const struct refrain_block_times *times) {
    return times->entry.end_ticks - times->begin_ticks;
}

/* Divides part of an entry with more blocks than can be kept. The part gets as many ticks per weight as the entry
 * before. */
static uint64_t divide_part(struct refrain_block_times *times) {
    double rest = (double)ticks_left_of(times), weight = weight_kept(times);
    double ticks =
        times->scale > 0 ? weight * times->scale : rest * (double)times->n_kept / (double)times->entry.blocks;
    uint64_t end = divide(times, (uint64_t)(ticks < rest ? ticks : rest), weight);
    times->entry.blocks -= times->n_kept;
    return end;
}

static uint64_t divide_entry(struct refrain_block_times *times) {
    double weight = weight_kept(times);
    uint64_t rest = ticks_left_of(times);
    times->scale = weight > 0 ? (double)rest / weight : 0;
    uint64_t end = divide(times, rest, weight);
    times->entry.blocks = 0;
    return end;
}

uint64_t refrain_block_times_give_up(struct refrain_block_times *times, bool at_end, uint64_t further) {
    uint64_t end = times->begin_ticks;
    if (times->n_kept > 0 && !times->settled) {
        double weight = weight_kept(times), ticks = weight;
        uint64_t until = times->tail ? times->last_ticks : times->entry.end_ticks;
        double rest = until > end ? (double)(until - end) : 0;
        if (at_end && times->tail && weight + (double)further > 0)
            ticks = rest * (weight / (weight + (double)further));
        end = divide(times, (uint64_t)(ticks < rest ? ticks : rest > 0 ? rest : 0), weight);
        times->settled = true;
    }
    times->ended = true;
    return end;
}

/* Begins the entry of the next block, which begins at `ticks`. False if the timeline has ended. */
static bool begin_entry(struct refrain_block_times *times, uint64_t ticks) {
    if (times->ended)
        return false;
    times->begin_ticks = ticks;
    if (times->entry.blocks == 0 && !refrain_time_reader_next(&times->reader, &times->entry)) {
        times->tail = true;
        times->entry = (struct refrain_block_span){.blocks = ~(uint64_t)0};
    }
    if (!times->tail && (int64_t)(times->entry.end_ticks - ticks) < 0) {
        times->entry.end_ticks = ticks; /* the clock went back */
    }
    return true;
}

struct refrain_kept_block *refrain_block_times_room(struct refrain_block_times *times, uint32_t n) {
    return REFRAIN_ARENA_ROOMS(times->kept, times->n_kept, n, times->capacity) ? times->kept + times->n_kept : NULL;
}

static bool keep(struct refrain_block_times *times, uint64_t weight, struct refrain_block_account *account,
                 uint32_t context) {
    struct refrain_kept_block *kept = refrain_block_times_room(times, 1);
    if (!kept)
        return false;
    *kept = (struct refrain_kept_block){.weight = weight, .account = account, .context = context};
    times->n_kept++;
    return true;
}

bool refrain_block_times_end(const struct refrain_block_times *times, uint64_t *end_ticks) {
    struct refrain_block_span next = times->entry;
    struct refrain_time_reader reader = times->reader;
    if (times->ended || times->tail || (next.blocks == 0 && !refrain_time_reader_next(&reader, &next)))
        return false;
    *end_ticks = next.end_ticks;
    return true;
}

/* True if the next block begins an entry. The blocks kept for the entry before are then dropped. */
static bool is_settled(struct refrain_block_times *times) {
    if (times->n_counted > 0 || (times->n_kept > 0 && !times->settled))
        return false;
    times->settled = false;
    times->n_kept = 0;
    return true;
}

uint64_t refrain_block_times_left(struct refrain_block_times *times, uint64_t ticks) {
    if (is_settled(times) && (!begin_entry(times, ticks) || times->tail))
        return 0;
    return times->entry.blocks > REFRAIN_BLOCKS_KEPT ? 0 : times->entry.blocks - times->n_counted - times->n_kept;
}

bool refrain_block_times_single(struct refrain_block_times *times, uint64_t ticks, uint64_t *end_ticks) {
    if (refrain_block_times_left(times, ticks) == 0 || times->entry.blocks != 1)
        return false;
    *end_ticks = refrain_block_times_skip(times, ticks, 1);
    return true;
}

uint32_t refrain_block_times_singles(struct refrain_block_times *times, uint64_t ticks, uint64_t *end_ticks,
                                     uint32_t n) {
    struct refrain_time_reader *reader = &times->reader;
    if (reader->block >= reader->single_until || times->entry.blocks > 0 || times->ended || !is_settled(times))
        return 0;
    if (n > reader->single_until - reader->block)
        n = (uint32_t)(reader->single_until - reader->block);
    const unsigned char *entries = reader->page->entries + reader->at, *last_entry = reader->page->entries + LAST_ENTRY;
    const unsigned shift = reader->page->quantum_shift;
    const uint64_t first_ticks = reader->page->first_ticks >> shift << shift;
    uint64_t quanta = reader->quanta, last = reader->ticks;
    uint32_t i = 0;
    for (times->begin_ticks = ticks; i < n && entries < last_entry; i++) {
        unsigned entry = entries[0], bytes = 1;
        if (entry >= 128) {
            entry = (entry & 127) | (unsigned)entries[1] << 7;
            bytes = 2;
        }
        if (entry == 0 || entry >= 128 << 7)
            break;
        entries += bytes;
        quanta += entry - 1;
        uint64_t end = first_ticks + (quanta << shift);
        last = (int64_t)(end - last) < 0 ? last : end;
        times->begin_ticks = ticks;
        ticks = (int64_t)(last - ticks) < 0 ? ticks : last; /* the clock went back */
        end_ticks[i] = ticks;
    }
    reader->quanta = quanta;
    reader->ticks = last;
    reader->at = (unsigned)(entries - reader->page->entries);
    reader->block += i;
    return i;
}

uint64_t refrain_block_times_keep(struct refrain_block_times *times, uint32_t n, bool *settled) {
    times->n_kept += n;
    *settled = times->settled = times->n_kept == times->entry.blocks;
    return *settled ? divide_entry(times) : times->begin_ticks + times->n_kept;
}

uint64_t refrain_block_times_skip(struct refrain_block_times *times, uint64_t ticks, uint32_t n) {
    times->n_counted += n;
    if (times->n_counted < times->entry.blocks)
        return ticks;
    times->n_counted = 0;
    times->entry.blocks = 0;
    return times->entry.end_ticks;
}

enum refrain_block_passed refrain_block_times_pass(struct refrain_block_times *times, uint64_t weight,
                                                   struct refrain_block_account *account, uint32_t context,
                                                   uint64_t *ticks) {
    if (times->settled) {
        times->settled = false;
        times->n_kept = 0;
    }
    if (times->n_kept == 0 && !begin_entry(times, *ticks))
        return REFRAIN_BLOCK_UNTIMED;
    if (!keep(times, weight, account, context) || (times->tail && times->n_kept == REFRAIN_BLOCKS_KEPT)) {
        *ticks = refrain_block_times_give_up(times, false, 0);
        return REFRAIN_BLOCK_SETTLED;
    }
    *ticks = times->begin_ticks + times->n_kept;
    if (times->n_kept == times->entry.blocks)
        *ticks = divide_entry(times);
    else if (times->n_kept == REFRAIN_BLOCKS_KEPT)
        *ticks = divide_part(times);
    else
        return REFRAIN_BLOCK_KEPT;
    times->settled = true;
    return REFRAIN_BLOCK_SETTLED;
}

bool refrain_block_times_count(struct refrain_block_times *times, uint64_t *ticks) {
    if (times->n_counted == 0 && !begin_entry(times, *ticks))
        return false;
    times->n_counted++;
    if (times->n_counted < times->entry.blocks && times->n_counted < REFRAIN_BLOCKS_KEPT)
        return true;
    if (times->tail)
        times->ended = true;
    else if (times->n_counted == times->entry.blocks)
        *ticks = times->entry.end_ticks;
    else
        *ticks += (uint64_t)((double)ticks_left_of(times) * (double)times->n_counted / (double)times->entry.blocks);
    times->entry.blocks -= times->n_counted;
    times->n_counted = 0;
    return true;
}
