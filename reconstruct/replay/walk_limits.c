/* walk_limits.c: what a thread cannot have done, so that a damaged trace ("2^60 times here") is not walked for years
 * (walk_parts.h).
 *
 *     steps    a probe takes longer than a tick: up to the end of the timeline's next entry no more than its ticks.
 * Where the timeline says nothing, no more than the ticks of all places together, and of the thread blocks   no more
 * from each place than were counted there */
#include "walk_parts.h"
#include <refrain/amounts.h>

/* Steps that are walked beyond those there was time for: the clocks they are judged by are not read at every step, and
 * those of a process that has not finished say nothing of what it did since. */
#define SPARE_STEPS ((uint64_t)1 << 24)
#define SPARE_STEPS_UNFINISHED ((uint64_t)1 << 30)
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* it looks for faults, not for what takes long */
#define MOST_STEPS ((uint64_t)1 << 12)
#else
#define MOST_STEPS UINT64_MAX
#endif
#define MOST_TICKS_PER_NS 16u
#define MOST_UNCOUNTED_BLOCKS 65536u /* a process that was killed had not counted its last one */

/* Of all blocks, by the places that they were filed under. */
static uint64_t ticks_of_places(const struct refrain_walk *walk) {
    uint64_t ticks = walk->thread->root.ticks;
    const uint64_t image_bytes = walk->image_bytes;
    for (uint32_t i = 0; i < walk->n_slots; i++) {
        uint64_t offset = walk->slots[i].offset;
        if (offset)
            ticks = refrain_sum(ticks, ((const struct refrain_slot *)(walk->image + offset))->ticks);
    }
    for (size_t i = 0; i < walk->numbered.n_call_sites; i++) {
        uint64_t offset = walk->numbered.call_sites[i], reference;
        if (!offset)
            continue;
        const struct refrain_call_site *call_site = (const void *)(walk->image + offset);
        ticks = refrain_sum(ticks, call_site->inside.ticks);
        reference = call_site->operations;
        for (unsigned n = 0; reference && n < REFRAIN_OPERATIONS; n++) {
            uint64_t at = reference * REFRAIN_GRAIN_BYTES;
            const struct refrain_operation_record *record = (const void *)(walk->image + at);
            if (at < REFRAIN_HEADER_BYTES || at > image_bytes || sizeof *record > image_bytes - at)
                break;
            ticks = refrain_sum(ticks, record->after.ticks);
            reference = record->next;
        }
    }
    for (size_t i = 0; i < walk->numbered.n_regions; i++) {
        uint64_t offset = walk->numbered.regions[i];
        if (offset)
            ticks = refrain_sum(ticks, ((const struct refrain_region_name *)(walk->image + offset))->inside.ticks);
    }
    return ticks;
}

uint64_t refrain_walk_steps_of_run(const struct refrain_walk *walk) {
    const struct refrain_clock_pair *start = &walk->header->start, *last = &walk->header->last;
    uint64_t from = walk->thread->start_ticks, to = walk->thread->last_ticks;
    uint64_t run = refrain_least(to > from ? to - from : 0, ticks_of_places(walk));
    if (!walk->header->finished)
        return refrain_least(MOST_STEPS, refrain_sum(SPARE_STEPS_UNFINISHED, run));
    /* Its last clock read may lie long before its end, but not after that of the process. */
    uint64_t further = last->ticks > to ? last->ticks - to : 0;
    uint64_t most_ns = last->monotonic_ns > start->monotonic_ns ? last->monotonic_ns - start->monotonic_ns : 0;
    if (further / MOST_TICKS_PER_NS > most_ns)
        further = most_ns * MOST_TICKS_PER_NS;
    return refrain_least(MOST_STEPS, refrain_sum(SPARE_STEPS, refrain_sum(run, further)));
}

bool refrain_walk_allow_steps(struct refrain_walk *walk) {
    uint64_t end_ticks, most;
    if (!walk->approximate && refrain_block_times_end(&walk->times, &end_ticks)) {
        uint64_t from = walk->thread->start_ticks;
        most = refrain_least(MOST_STEPS, refrain_sum(SPARE_STEPS, end_ticks > from ? end_ticks - from : 0));
    } else {
        most = refrain_walk_steps_of_run(walk);
    }
    if (most <= walk->steps_allowed)
        return false;
    walk->steps_left += most - walk->steps_allowed;
    walk->steps_allowed = most;
    return true;
}

void refrain_walk_pass_uncounted(struct refrain_walk *walk, const struct refrain_walk_learner *place) {
    if (walk->approximate || !walk->header->finished || ++walk->uncounted_blocks <= MOST_UNCOUNTED_BLOCKS)
        return;
    refrain_walk_fail(walk, place->slot, "more happens here than was counted");
}
