/* timeline.c: writes entries of more than two bytes, and pages (timeline.h). */
#define _GNU_SOURCE
#include "arch/arch.h"
#include "context.h"
#include "run/configure.h"
#include "run/pool.h"
#include "timeline_pages.h"
#include <refrain/trace.h>

#include <string.h>

/* ---- entries ---- */

/* Writes an entry of one block. All bytes there are 0. The first byte is stored last, since readers
 * use it to see whether there is an entry. */
static unsigned char *put_single(unsigned char *at, uint64_t quanta) {
    uint64_t number = quanta + 1;
    unsigned char *next = number < 128 ? at + 1 : refrain_timeline_put_number(at + 1, number >> 7);
    refrain_commit();
    *at = (unsigned char)(number < 128 ? number : number | 128);
    return next;
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
        refrain_timeline_set_length(page, entry_ticks);
    refrain_commit();
    page->first_block = block;
    writer->page = page;
    writer->at = page->entries;
    writer->almost = page->entries + sizeof page->entries - REFRAIN_TIMELINE_ROOM_BYTES;
    writer->limit = entry_ticks == 0 ? writer->almost : NULL;
    writer->entry_ticks = entry_ticks == 0 ? 0 : now;
    writer->most_ticks = entry_ticks;
    writer->blocks = 0;
    writer->quantum_shift = page->quantum_shift;
    writer->block = block;
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
            refrain_timeline_stop(writer);
            return;
        }
        if (!writer->spare->next)
            refrain_timeline_merge(writer);
        page = refrain_timeline_take_free(writer);
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
    writer->at =
        refrain_timeline_put_several(writer->at, writer->blocks, quanta_between(writer, writer->entry_ticks, ticks));
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

void refrain_timeline_finish(struct refrain_timeline_writer *writer, uint64_t now) {
    if (writer->limit || !writer->timeline || writer->timeline->end_block || writer->blocks == 0)
        return;
    end_several(writer, now);
    refrain_commit();
    writer->timeline->end_block = writer->block;
    writer->most_ticks = REFRAIN_TIMELINE_NEVER;
}

void refrain_timeline_open(struct refrain_context *context) {
    struct refrain_timeline_writer *writer = &context->timeline;
    const struct refrain_header *header = refrain_trace_file.header;
    uint64_t pages = header->time_bytes / header->n_threads / sizeof(struct refrain_time_page);
    refrain_timeline_stop(writer);
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
        refrain_timeline_stop(writer);
        return;
    }
    refrain_timeline_set_free(writer, spare);
    uint64_t ns = header->last.monotonic_ns - header->start.monotonic_ns;
    uint64_t ticks = header->last.ticks - header->start.ticks;
    writer->first_quantum_shift =
        (uint16_t)refrain_timeline_log2(ns ? ticks * REFRAIN_TIME_QUANTUM_NS / ns : REFRAIN_TIME_QUANTUM_NS);
    begin_page(writer, page, 0, context->thread->start_ticks, 0);
    refrain_publish(&timeline->first, refrain_reference(page));
}
