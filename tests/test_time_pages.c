/* test_time_pages.c: timelines made by hand, sound and damaged, against what is read of them. */
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
    *thread = (struct refrain_thread){.timeline = REFRAIN_HEADER_BYTES / REFRAIN_GRAIN_BYTES};
    timeline->first = PAGE_OFFSET(0) / REFRAIN_GRAIN_BYTES;
    *page_at(0) = (struct refrain_time_page){.first_ticks = 100, .next = PAGE_OFFSET(1) / REFRAIN_GRAIN_BYTES};
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

/* An entry of 100 ticks is shared out between two places: what the last block of a stretch has left it gets, whatever
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
    check(refrain_block_times_pass(&times, last_left, &last, NULL, 0, &ticks) == REFRAIN_BLOCK_KEPT,
          "the first block waits");
    uint64_t first = ticks;
    check(refrain_block_times_pass(&times, 90, &other, NULL, 0, &ticks) == REFRAIN_BLOCK_SETTLED && ticks == 200,
          "the entry ends when it is said to end");
    check(refrain_block_times_resolve(&times, first) == 100 + last_gets,
          "the last of a stretch gets what is left of it");
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
        waiting += refrain_block_times_pass(&times, i < 10000 ? 1 : 5, &account, NULL, 0, &ticks) == REFRAIN_BLOCK_KEPT;
        half = i == 9999 ? ticks : half;
    }
    check(waiting == 19999 && ticks == 60100, "all but the last block of an entry wait");
    check(refrain_block_times_resolve(&times, half) == 10100, "half of many blocks take what is expected of them");
    refrain_block_times_close(&times);
}

/* Behind the last entry a damaged thread goes on for more ticks than a signed number holds: the first of the two blocks
 * there, of which almost all is expected, does not end in the middle. */
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
    refrain_block_times_pass(&times, 1000, &account, NULL, 0, &ticks);
    uint64_t first = ticks;
    refrain_block_times_pass(&times, 1, &account, NULL, 0, &ticks);
    ticks = refrain_block_times_give_up(&times, true, 0);
    first = refrain_block_times_resolve(&times, first);
    check(ticks >= last_ticks && ticks - last_ticks < 2048, "a rest of more than 2^63 ticks is shared out as a whole");
    check(first > last_ticks / 8 * 7 && first <= ticks, "... and the first block gets what is expected of it");
    refrain_block_times_close(&times);
}

static bool is_near(double value, double expected) {
    return value > expected - 1e-4 && value < expected + 1e-4;
}

/* A place whose blocks take 550 ticks in the mean, is in a function that two others call, which took 1,000 and 100
 * times as many ticks as they were called. Places at 100, 200 and so on. */
static void fit(bool open_at_end) {
    struct refrain_walk_contexts counted, all;
    refrain_walk_contexts_open(&counted);
    for (unsigned i = 0; i < 20; i++) {
        bool slow = i % 2 == 0;
        uint32_t main_context = refrain_walk_contexts_enter(&counted, 0, 100, 11000 + 20);
        uint32_t caller = slow ? refrain_walk_contexts_enter(&counted, main_context, 200, 10000 + 20)
                               : refrain_walk_contexts_enter(&counted, main_context, 300, 1000);
        uint32_t shared = refrain_walk_contexts_enter(&counted, caller, 400, 11000);
        counted.spots[refrain_walk_contexts_spot(&counted, shared, 400)].visits++;
        if (i == 0)
            counted.contexts[caller].told_ticks += 20;
        if (i == 19)
            refrain_walk_contexts_end(&counted, open_at_end ? shared : 0);
    }
    refrain_walk_contexts_place(&counted, 400, 5000);
    refrain_walk_contexts_place(&counted, 400, 6000);
    check(!counted.incomplete && counted.n_contexts == 6 && counted.n_kinds == 5, "contexts are told apart");
    refrain_walk_contexts_copy(&all, &counted);
    refrain_walk_contexts_close(&counted);
    uint32_t outer = refrain_walk_contexts_enter(&all, 0, 100, 0);
    uint32_t in_slow = refrain_walk_contexts_enter(&all, refrain_walk_contexts_enter(&all, outer, 200, 0), 400, 0);
    uint32_t in_fast = refrain_walk_contexts_enter(&all, refrain_walk_contexts_enter(&all, outer, 300, 0), 400, 0);
    struct refrain_walk_spot *slow = &all.spots[refrain_walk_contexts_spot(&all, in_slow, 400)],
                             *fast = &all.spots[refrain_walk_contexts_spot(&all, in_fast, 400)];
    check(slow != fast && slow->visits == 10 && all.visits_left == 20, "all blocks are counted");
    /* The caller that is open at the end tells nothing, but the place and the other caller do. */
    check(is_near(slow->factor, 20. / 11) && is_near(fast->factor, 2. / 11), "what the callers took is made up for");
    /* Half of them were given too little: the rest gets more. */
    slow->visits = fast->visits = 5;
    slow->ticks = 4000;
    fast->ticks = 600;
    refrain_walk_contexts_fit(&all);
    check(open_at_end || (is_near(slow->factor * 5 * 640, 6000) && is_near(fast->factor * 5 * 640, 400)),
          "what is left is made up for");
    refrain_walk_contexts_close(&all);
}

int main(void) {
    struct refrain_thread thread;
    uint64_t end_ticks = 0;
    make(&thread);
    check(read_all(&thread, 4, &end_ticks) == 4 && end_ticks == 170, "a page's last block ends where the next begins");
    check(read_all(&thread, 100, &end_ticks) == 5 && end_ticks == 190, "two pages, five entries");

    /* Entries of 2^63 blocks each: what follows the second one has no number. */
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
    fit(false);
    fit(true);
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
