/* test_timeline.c: tests a timeline while its thread writes it (monitor/timeline.c, monitor/timeline_merge.c). Wherever
 * the order of two changes matters, a reader must find all blocks that it found before, each end within a quantum of
 * the truth. At the end, with the least memory, no entry of several blocks is longer than a small part of the run.
 * Pages in memory that belongs to other uses are returned on request, down to the smallest number, and only times of
 * single blocks are lost; if necessary, all pages are returned. */
#define _GNU_SOURCE
#include "learn_alone.h"
#include "times/block_times.h"

#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 300000u
#define FILE_BYTES ((size_t)1 << 20)
#define LOOK_AT_EACH 101u /* one of so many changes is examined */

static uint64_t ends[BLOCKS + 1]; /* of each block, the first one's beginning first */
static uint64_t n_blocks, n_found, changes;
static struct refrain_thread thread;
static unsigned looks, failed;
static bool all_given; /* from now on there may be no times */

static void check(bool condition, const char *what, uint64_t block) {
    failed += !condition;
    if (!condition && failed <= 10)
        printf("FAILED: %s, block %llu of %llu\n", what, (unsigned long long)block, (unsigned long long)n_blocks);
}

/* Reads all that there is; returns how long the longest entry of several blocks is. */
static uint64_t read_all(void) {
    struct refrain_time_reader reader;
    struct refrain_block_span span;
    uint64_t block = 0, begin = ends[0], longest = 0;
    refrain_time_reader_open(&reader, refrain_trace_file.base, FILE_BYTES, &thread);
    while (refrain_time_reader_next(&reader, &span)) {
        block += span.blocks;
        check(block <= n_blocks, "there is a block that was not", block);
        check(block > n_blocks || (span.end_ticks <= ends[block] && ends[block] - span.end_ticks < span.quantum_ticks),
              "an end is off", block);
        if (span.blocks > 1 && span.end_ticks - begin > longest)
            longest = span.end_ticks - begin;
        begin = span.end_ticks;
    }
    check(block >= n_found || all_given, "less is found than before", block);
    n_found = block;
    return longest;
}

static void look(void) {
    if (thread.timeline && changes++ % LOOK_AT_EACH == 0) {
        looks++;
        read_all();
    }
}

#define refrain_commit() look()
#undef refrain_publish
#define refrain_publish(place, value) (look(), *(place) = (value))
#include "timeline_merge.c"

#include "timeline.c"
#undef refrain_commit

static uint64_t seed = 1;

static uint64_t chance(uint64_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

/* Duration of a block: about equal; or one in 300 long; or alternating between busy and idle times. */
static uint64_t duration(unsigned kind, uint64_t block) {
    uint64_t ticks = 200 + chance(400);
    if (kind == 1 && chance(300) == 0)
        return ticks * (50 + chance(400));
    return kind == 2 && block / 5000 % 3 == 0 ? ticks * 30 : ticks;
}

/* Gives pages back now and then, up to all but the least, as memory is needed for something else. */
static void give_pages(struct refrain_timeline_writer *writer) {
    for (uint64_t n = chance(writer->timeline->pages); n > 0 && !failed; n--) {
        uint32_t before = writer->timeline->pages;
        uint64_t from = refrain_trace_file.header->times_from;
        if (!refrain_timeline_give_page(writer)) {
            check(before <= REFRAIN_TIME_LEAST_PAGES, "a page is not given back", n_blocks);
            return;
        }
        const unsigned char *given = refrain_trace_file.base + from;
        bool is_zero = given[0] == 0 && memcmp(given, given + 1, sizeof(struct refrain_time_page) - 1) == 0;
        check(is_zero && refrain_trace_file.header->times_from == from + sizeof(struct refrain_time_page),
              "what is given back is not free", n_blocks);
    }
}

/* Makes a run of such blocks with `bytes` bytes for its times. `lent`: its pages are at the end of the file, and some
 * are returned. */
static void run(unsigned kind, uint64_t bytes, double most_share, bool lent) {
    static struct refrain_context context;
    struct refrain_header *header = refrain_trace_file.header;
    memset(refrain_trace_file.base, 0, FILE_BYTES);
    memset(&context, 0, sizeof context);
    memset(&thread, 0, sizeof thread);
    header->bytes = FILE_BYTES;
    header->pool_used = REFRAIN_HEADER_BYTES;
    header->n_threads = 1;
    header->time_bytes = bytes;
    header->last.monotonic_ns = 1000000;
    header->last.ticks = 2500000;
    header->times_from = lent ? FILE_BYTES : 0;
    n_blocks = n_found = 0;
    ends[0] = thread.start_ticks = thread.last_ticks = 1000003;
    context.thread = &thread;
    context.learning = 1;
    refrain_timeline_open(&context);
    for (uint64_t i = 1; i <= BLOCKS; i++) {
        uint64_t elapsed = duration(kind, i);
        ends[i] = thread.last_ticks = ends[i - 1] + elapsed;
        n_blocks = i;
        refrain_timeline_block(&context.timeline, ends[i], elapsed);
        if (lent && chance(20000) == 0)
            give_pages(&context.timeline);
    }
    refrain_timeline_finish(&context.timeline, ends[BLOCKS]);
    uint32_t pages = context.timeline.timeline->pages;
    double share = (double)read_all() / (double)(ends[BLOCKS] - ends[0]);
    printf("kind %u, %llu bytes%s: %u pages, %u written anew, an entry of %.4f %% of the run\n", kind,
           (unsigned long long)bytes, lent ? " lent" : "", pages, context.timeline.timeline->merges, 100 * share);
    check(n_found == BLOCKS, "not all are told of", n_found);
    check(share < most_share, "an entry is too long", n_found);
}

/* All pages may be returned, too. Then the times of the thread are unknown from there on. */
static void give_all(void) {
    static struct refrain_context context;
    struct refrain_header *header = refrain_trace_file.header;
    run(0, 64 << 10, 0.002, true);
    memset(&context, 0, sizeof context);
    header->times_from = FILE_BYTES;
    header->pool_used = REFRAIN_HEADER_BYTES;
    memset(refrain_trace_file.base + REFRAIN_HEADER_BYTES, 0, FILE_BYTES - REFRAIN_HEADER_BYTES);
    thread.timeline = 0;
    n_found = 0;
    context.thread = &thread;
    context.learning = 1;
    refrain_timeline_open(&context);
    for (uint64_t i = 1; i <= BLOCKS; i++) {
        if (i == BLOCKS / 2) {
            all_given = true;
            check(refrain_timeline_give_all(&context.timeline) && header->times_from == FILE_BYTES, "pages stay", i);
            check(!refrain_timeline_give_all(&context.timeline), "pages are given back twice", i);
        }
        refrain_timeline_block(&context.timeline, ends[i], ends[i] - ends[i - 1]);
    }
    refrain_timeline_finish(&context.timeline, ends[BLOCKS]);
    read_all(); /* sets n_found */
    check(n_found == 0 && header->times_from == FILE_BYTES && !refrain_timeline_give_page(&context.timeline),
          "there are times", n_found);
    check(context.timeline.timeline->end_block == REFRAIN_TIME_STOPPED, "it has not ended early", BLOCKS);
}

int main(void) {
    refrain_alone_open(aligned_alloc(4096, FILE_BYTES), FILE_BYTES);
    if (!refrain_trace_file.base)
        return 2;
    for (unsigned kind = 0; kind < 3; kind++) {
        run(kind, 8 << 10, 0.0007, false);
        run(kind, 16 << 10, 0.0003, false);
        run(kind, 64 << 10, 0.0001, false);
        run(kind, 8 << 10, 0.0007, true);
        run(kind, 64 << 10, 0.002, true);
        run(kind, 512 << 10, 0.002, true);
    }
    give_all();
    printf("test_timeline: %u looks, %u failed\n", looks, failed);
    return failed != 0 || looks == 0;
}
