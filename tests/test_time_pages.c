/* test_time_pages.c: reading of timelines made by hand, sound and damaged. */
#include "times/block_times.h"
#include "times/walk_contexts.h"

#include <refrain/trace.h>
#include <stdio.h>

#define PAGE_OFFSET(n) (REFRAIN_HEADER_BYTES + 64u + (n) * sizeof(struct refrain_time_page))

static _Alignas(16) unsigned char region[PAGE_OFFSET(2)];
static unsigned passed, failed;

static void check(bool condition, const char *what) {
    passed += condition;
    failed += !condition;
    if (!condition)
        printf("FAILED: %s\n", what);
}

static struct refrain_time_page *page_at(unsigned n) {
    return (struct refrain_time_page *)(region + PAGE_OFFSET(n));
}

/* Two pages, of which the first ends with block 4. */
static void make(struct refrain_thread *thread) {
    struct refrain_timeline *timeline = (struct refrain_timeline *)(region + REFRAIN_HEADER_BYTES);
    *thread = (struct refrain_thread){.timeline = REFRAIN_HEADER_BYTES / REFRAIN_ALIGNMENT_BYTES};
    timeline->first = PAGE_OFFSET(0) / REFRAIN_ALIGNMENT_BYTES;
    *page_at(0) = (struct refrain_time_page){.first_ticks = 100, .next = PAGE_OFFSET(1) / REFRAIN_ALIGNMENT_BYTES};
    *page_at(1) = (struct refrain_time_page){.first_block = 4, .first_ticks = 170};
    for (unsigned i = 0; i < 4; i++)
        page_at(0)->entries[i] = 11;
    page_at(1)->entries[0] = 21;
}

/* Entries that are read, at most `most`, and when the last of them ended. */
static unsigned read_all(const struct refrain_thread *thread, unsigned most, uint64_t *end_ticks) {
    struct refrain_time_reader reader;
    struct refrain_block_span span;
    unsigned n = 0;
    refrain_time_reader_open(&reader, region, sizeof region, thread);
    for (; n < most && refrain_time_reader_next(&reader, &span); n++)
        *end_ticks = span.end_ticks;
    return n;
}

/* An entry of 100 ticks is shared out between two places: what the last block of a place has left it gets, whatever
 * the other one is expected to take. */
static void share_out(uint64_t last_left, uint64_t last_gets) {
    struct refrain_thread thread;
    make(&thread);
    thread.last_ticks = 170;
    page_at(0)->next = 0;
    page_at(0)->entry_shift = 7;
    const unsigned char several[] = {2, 100, 0, 0};
    for (unsigned i = 0; i < sizeof several; i++)
        page_at(0)->entries[i] = several[i];
    struct refrain_block_times times;
    struct refrain_block_account last = {.ticks_left = 0}, other = {.shared_visits = 5};
    uint64_t ticks = 100, told;
    refrain_block_times_open(&times, region, sizeof region, &thread);
    check(refrain_time_reader_shares(&times.reader), "there is an entry of several blocks");
    check(!refrain_block_times_single(&times, ticks, &told), "an entry of two blocks is not told singly");
    check(refrain_block_times_pass(&times, last_left, &last, 0, &ticks) == REFRAIN_BLOCK_KEPT, "the first block waits");
    uint64_t first = ticks;
    check(refrain_block_times_pass(&times, 90, &other, 0, &ticks) == REFRAIN_BLOCK_SETTLED && ticks == 200,
          "the entry ends when it is said to end");
    check(refrain_block_times_resolve(&times, first) == 100 + last_gets, "the last of a place gets what is left of it");
    check(last.shared_ticks == (int64_t)(last_left - last_gets) &&
              other.shared_ticks == 90 - (int64_t)(100 - last_gets),
          "what a place did not get stays in its account, what it got too much is taken off");
    refrain_block_times_close(&times);
}

/* An entry of 20,000 blocks, of which the later half take five times as long, is shared out as a whole. */
static void share_out_many(void) {
    struct refrain_thread thread;
    make(&thread);
    thread.last_ticks = 60100;
    page_at(0)->next = 0;
    page_at(0)->entry_shift = 17;
    const unsigned char several[] = {0xa0, 0x9c, 1, 0xe0, 0xd4, 3}; /* 20,000 and 60,000 */
    for (unsigned i = 0; i < sizeof several; i++)
        page_at(0)->entries[i] = several[i];
    struct refrain_block_times times;
    struct refrain_block_account account = {.shared_visits = 20001};
    uint64_t ticks = 100, half = 0;
    unsigned waiting = 0;
    refrain_block_times_open(&times, region, sizeof region, &thread);
    for (unsigned i = 0; i < 20000; i++) {
        waiting += refrain_block_times_pass(&times, i < 10000 ? 1 : 5, &account, 0, &ticks) == REFRAIN_BLOCK_KEPT;
        half = i == 9999 ? ticks : half;
    }
    check(waiting == 19999 && ticks == 60100, "all but the last block of an entry wait");
    check(refrain_block_times_resolve(&times, half) == 10100, "half of many blocks take what is expected of them");
    refrain_block_times_close(&times);
}

/* After the last entry, a damaged thread has more ticks than a signed number can hold. The first of the two blocks
 * there, which is expected to take nearly all of it, must not end in the middle. */
static void share_out_too_long(void) {
    const uint64_t last_ticks = 0xf000000000000000;
    struct refrain_thread thread;
    make(&thread);
    thread.last_ticks = last_ticks;
    page_at(0)->next = 0;
    page_at(0)->entries[1] = 0;
    struct refrain_block_times times;
    struct refrain_block_account account = {.shared_visits = 5};
    uint64_t ticks = 100;
    refrain_block_times_open(&times, region, sizeof region, &thread);
    check(refrain_block_times_single(&times, ticks, &ticks) && ticks == 110, "an entry of one block is told singly");
    refrain_block_times_pass(&times, 1000, &account, 0, &ticks);
    uint64_t first = ticks;
    refrain_block_times_pass(&times, 1, &account, 0, &ticks);
    ticks = refrain_block_times_give_up(&times, true, 0);
    first = refrain_block_times_resolve(&times, first);
    check(ticks >= last_ticks && ticks - last_ticks < 2048, "a rest of more than 2^63 ticks is shared out as a whole");
    check(first > last_ticks / 8 * 7 && first <= ticks, "... and the first block gets what is expected of it");
    refrain_block_times_close(&times);
}

/* A place at 400 in a function that two others call. */
static void tell_contexts_apart(void) {
    struct refrain_walk_contexts counted, all;
    refrain_walk_contexts_open(&counted);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t outer = refrain_walk_contexts_enter(&counted, 0, 100, 11000);
        uint32_t caller = refrain_walk_contexts_enter(&counted, outer, i % 2 ? 200 : 300, i % 2 ? 10000 : 1000);
        uint32_t shared = refrain_walk_contexts_enter(&counted, caller, 400, 11000);
        check(shared > caller && caller > outer, "a context's number is higher than that of its parent");
        if (i == 3)
            refrain_walk_contexts_end(&counted, caller);
    }
    check(!counted.incomplete && counted.n_contexts == 6 && counted.n_kinds == 5, "contexts are told apart");
    refrain_walk_contexts_copy(&all, &counted);
    refrain_walk_contexts_close(&counted);
    uint32_t outer = refrain_walk_contexts_inner(&all, 0, 100), one = refrain_walk_contexts_inner(&all, outer, 200),
             other = refrain_walk_contexts_inner(&all, outer, 300);
    check(one && other && one != other, "a copy tells them apart");
    check(all.kinds[all.contexts[one].kind].loose && !all.kinds[all.contexts[other].kind].loose,
          "nothing follows from the total of what did not end");
    check(refrain_walk_contexts_enter(&all, one, 500, 1) == one && all.n_contexts == 6, "a copy makes no others");
    refrain_walk_contexts_close(&all);
}

int main(void) {
    struct refrain_thread thread;
    uint64_t end_ticks = 0;
    make(&thread);
    check(read_all(&thread, 4, &end_ticks) == 4 && end_ticks == 170, "a page's last block ends where the next begins");
    check(read_all(&thread, 100, &end_ticks) == 5 && end_ticks == 190, "two pages, five entries");

    /* Entries of 2^63 blocks each: the block after the second one has no number. */
    make(&thread);
    page_at(0)->next = 0;
    page_at(0)->entry_shift = 63;
    check(read_all(&thread, 100, &end_ticks) <= 3, "a page whose blocks come to the end of all numbers");

    /* Entries of several blocks: two numbers each, the last block of the page again where the next one begins. */
    make(&thread);
    page_at(0)->entry_shift = 6;
    const unsigned char several[] = {3, 40, 1, 30, 0, 0};
    for (unsigned i = 0; i < sizeof several; i++)
        page_at(0)->entries[i] = several[i];
    check(read_all(&thread, 1, &end_ticks) == 1 && end_ticks == 140, "an entry of three blocks");
    check(read_all(&thread, 100, &end_ticks) == 3 && end_ticks == 190, "three entries");
    struct refrain_time_summary summary = {0};
    refrain_time_summary_add(&summary, region, sizeof region, &thread);
    check(summary.blocks == 5 && summary.single == 2 && summary.longest_span == 3 && summary.longest_ticks == 40,
          "what is known of them");
    page_at(0)->entries[0] = 200; /* its second byte: more blocks than the page has */
    check(read_all(&thread, 100, &end_ticks) == 2 && end_ticks == 190, "an entry that goes beyond its page");
    share_out(30, 30);
    share_out(0, 0);
    share_out(150, 100);
    share_out_many();
    share_out_too_long();
    tell_contexts_apart();
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
