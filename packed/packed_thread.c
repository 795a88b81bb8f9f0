/* packed_thread.c: visits a thread's record and its timeline. The same code packs and unpacks them (packer.h). */
#include "packer.h"

#define MOST_PAGES ((uint32_t)1 << 24)

static void fill_page(struct refrain_packer *packer, struct refrain_time_page *page,
                      const struct refrain_time_page *before, uint64_t start_ticks) {
    uint64_t used = 0;
    REFRAIN_NEAR(packer, REFRAIN_PACKED_PAGE, page->first_block, before ? before->first_block : 0);
    REFRAIN_NEAR(packer, REFRAIN_PACKED_CLOCK, page->first_ticks, before ? before->first_ticks : start_ticks);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_PAGE, page->entry_shift);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_PAGE, page->quantum_shift);
    if (!packer->to) /* zeros at the end are not written: the image has zeros there before it is read */
        for (used = REFRAIN_TIME_ENTRIES_BYTES; used > 0 && page->entries[used - 1] == 0;)
            used--;
    used = refrain_packer_value(packer, REFRAIN_PACKED_PAGE_BYTES, used);
    refrain_packer_bytes(packer, REFRAIN_PACKED_TIMELINE, page->entries,
                         refrain_packer_inside(packer, used, REFRAIN_TIME_ENTRIES_BYTES));
}

static void timeline(struct refrain_packer *packer, struct refrain_thread *thread) {
    struct refrain_timeline *timeline;
    if (!refrain_packer_value(packer, REFRAIN_PACKED_PAGE, thread->timeline != 0) ||
        !(timeline = refrain_packer_follow(packer, &thread->timeline, sizeof *timeline, REFRAIN_PACKER_NONE)))
        return;
    REFRAIN_FIELD(packer, REFRAIN_PACKED_PAGE, timeline->pages);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_PAGE, timeline->most_pages);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_PAGE, timeline->merges);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_PAGE, timeline->end_block);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_PAGE, timeline->backwards);
    struct refrain_packer_list list = {.kind = REFRAIN_PACKED_PAGE, .next = &timeline->first, .most = MOST_PAGES};
    const struct refrain_time_page *before = NULL;
    struct refrain_time_page *page;
    for (; (page = refrain_packer_next(packer, &list, sizeof *page)); list.next = &page->next) {
        fill_page(packer, page, before, thread->start_ticks);
        before = page;
    }
}

static void awaited(struct refrain_packer *packer, struct refrain_now *now) {
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, now->n_awaited);
    if (now->n_awaited == 0)
        return;
    if (now->n_awaited > REFRAIN_MOST_AWAITED)
        now->n_awaited = REFRAIN_MOST_AWAITED; /* A damaged number must not lead out of the array. */
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, now->sends);
    for (uint32_t i = 0; i < now->n_awaited; i++) {
        REFRAIN_SIGNED(packer, REFRAIN_PACKED_RUN, now->awaited[i].peer);
        REFRAIN_SIGNED(packer, REFRAIN_PACKED_RUN, now->awaited[i].tag);
    }
}

void refrain_packer_thread(struct refrain_packer *packer, const struct refrain_header *header,
                           struct refrain_thread *thread, uint32_t number) {
    refrain_packer_begin(packer, REFRAIN_PACKER_THREAD, number, 0);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_USED, thread->started);
    if (packer->to)
        thread->root.number = UINT32_MAX;
    if (!thread->started)
        return;
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, thread->ended);
    REFRAIN_NEAR(packer, REFRAIN_PACKED_CLOCK, thread->start_ticks, header->start.ticks);
    REFRAIN_NEAR(packer, REFRAIN_PACKED_CLOCK, thread->last_ticks, thread->start_ticks);
    refrain_packer_place(packer, &thread->root);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, thread->paused);
    if (!header->finished)
        REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, thread->samples);
    else if (packer->to) /* not written, since the clock bounds the replay of a finished process (walk_limits.c) */
        thread->samples = REFRAIN_SAMPLES_UNKNOWN;
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, thread->untold_calls);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, thread->left_out_calls);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, thread->metrics_ns);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, thread->metrics_counted_ns);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, thread->now.call);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, thread->now.inside);
    REFRAIN_SIGNED(packer, REFRAIN_PACKED_RUN, thread->now.sends_to);
    REFRAIN_SIGNED(packer, REFRAIN_PACKED_RUN, thread->now.receives_from);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_RUN, thread->now.comm);
    REFRAIN_SIGNED(packer, REFRAIN_PACKED_RUN, thread->now.tag);
    awaited(packer, &thread->now);
    timeline(packer, thread);
}
