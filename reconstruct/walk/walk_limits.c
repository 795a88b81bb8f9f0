/* walk_limits.c: what a thread cannot have done, so that a damaged trace ("2^60 times here") is not walked for years
 * (walk_parts.h).
 *
 *     steps    a probe takes longer than a tick: up to the end of the timeline's next entry no more than its ticks.
 *              Where the timeline says nothing, no more than those of the thread, or of all places together. Nor
 *              more than the probes that the thread has counted, the blocks of all places (where there is no probe
 *              the clock is read), and what MPI calls told
 *     blocks   no more from each place than were counted there */
#include "sequence/sequence.h"
#include "walk/walk_parts.h"

#include <refrain/amounts.h>
#include <refrain/settings.h>

#define SPARE_STEPS ((uint64_t)1 << 24)
#define PROBES_OF_SAMPLE ((uint64_t)REFRAIN_ALLOWANCE_PROBES)
/* A probe takes one step, and one more for each activation that it enters late or leaves because nothing else did: then
 * it reads the clock. */
#define STEPS_OF_BLOCK 4u
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* it looks for faults, not for what takes long */
#define MOST_STEPS ((uint64_t)1 << 12)
#else
#define MOST_STEPS UINT64_MAX
#endif
#define MOST_TICKS_PER_NS 16u
#define MOST_UNCOUNTED_BLOCKS 65536u /* a process that was killed had not counted its last one */

/* What the places of a thread say, added up. */
struct places {
    uint64_t ticks, blocks;
    uint64_t told; /* what MPI calls told, and values of markers, counters and pauses: steps that need no probe */
};

static void add_place(struct places *places, const struct refrain_slot *slot) {
    places->ticks = refrain_sum(places->ticks, slot->ticks);
    places->blocks = refrain_sum(places->blocks, slot->count);
}

static void add_told(struct places *places, const struct refrain_walk *walk, const struct refrain_slot *slot) {
    add_place(places, slot);
    places->told = refrain_sum(places->told, refrain_learner_values(walk->image, walk->image_bytes, &slot->next, NULL));
}

static void add_call_site(struct places *places, const struct refrain_walk *walk,
                          const struct refrain_call_site *call_site) {
    uint64_t reference = call_site->operations;
    add_told(places, walk, &call_site->inside);
    for (unsigned n = 0; reference && n < REFRAIN_OPERATIONS; n++) {
        uint64_t at = reference * REFRAIN_GRAIN_BYTES;
        const struct refrain_operation_record *record = (const void *)(walk->image + at);
        if (at < REFRAIN_HEADER_BYTES || at > walk->image_bytes || sizeof *record > walk->image_bytes - at)
            break;
        add_told(places, walk, &record->after);
        reference = record->next;
    }
}

static struct places add_up(const struct refrain_walk *walk) {
    struct places places = {0};
    add_place(&places, &walk->thread->root);
    for (uint32_t i = 0; i < walk->n_slots; i++)
        if (walk->slots[i].offset)
            add_place(&places, (const void *)(walk->image + walk->slots[i].offset));
    for (size_t i = 0; i < walk->numbered.n_call_sites; i++)
        if (walk->numbered.call_sites[i])
            add_call_site(&places, walk, (const void *)(walk->image + walk->numbered.call_sites[i]));
    for (size_t i = 0; i < walk->numbered.n_regions; i++) {
        const struct refrain_region_name *region = (const void *)(walk->image + walk->numbered.regions[i]);
        if (!walk->numbered.regions[i])
            continue;
        if (refrain_use_is_value(region->use))
            add_told(&places, walk, &region->inside);
        else
            add_place(&places, &region->inside);
    }
    return places;
}

/* By the clock, as far as it has been read. */
static uint64_t steps_of_clock(const struct refrain_walk *walk, const struct places *places) {
    const struct refrain_clock_pair *start = &walk->header->start, *last = &walk->header->last;
    uint64_t from = walk->thread->start_ticks, to = walk->thread->last_ticks;
    uint64_t run = refrain_least(to > from ? to - from : 0, places->ticks);
    /* Its last clock read may lie long before its end, but not after that of the process. */
    uint64_t further = last->ticks > to ? last->ticks - to : 0;
    uint64_t most_ns = last->monotonic_ns > start->monotonic_ns ? last->monotonic_ns - start->monotonic_ns : 0;
    if (further / MOST_TICKS_PER_NS > most_ns)
        further = most_ns * MOST_TICKS_PER_NS;
    return refrain_sum(run, further);
}

/* By what was counted; UINT64_MAX where probes were not. */
static uint64_t steps_of_counts(const struct refrain_walk *walk, const struct places *places) {
    uint64_t samples = walk->thread->samples;
    if (samples == REFRAIN_SAMPLES_UNKNOWN)
        return UINT64_MAX;
    uint64_t of_blocks = places->blocks > UINT64_MAX / STEPS_OF_BLOCK ? UINT64_MAX : places->blocks * STEPS_OF_BLOCK;
    return refrain_sum((samples + 1) * PROBES_OF_SAMPLE, refrain_sum(of_blocks, places->told));
}

uint64_t refrain_walk_steps_of_run(const struct refrain_walk *walk) {
    struct places places = add_up(walk);
    uint64_t most = steps_of_counts(walk, &places);
    /* The clock says nothing of what a process that has not finished did since it was read last. */
    if (walk->header->finished || most == UINT64_MAX)
        most = refrain_least(most, steps_of_clock(walk, &places));
    return refrain_least(MOST_STEPS, refrain_sum(SPARE_STEPS, most));
}

bool refrain_walk_allow_steps(struct refrain_walk *walk) {
    uint64_t end_ticks, most = refrain_least(MOST_STEPS, SPARE_STEPS);
    if (walk->steps_allowed >= SPARE_STEPS) {
        if (walk->steps_of_run == 0)
            walk->steps_of_run = refrain_walk_steps_of_run(walk);
        most = walk->steps_of_run;
        if (!walk->approximate && refrain_block_times_end(&walk->times, &end_ticks)) {
            uint64_t from = walk->thread->start_ticks;
            most = refrain_least(most, refrain_sum(SPARE_STEPS, end_ticks > from ? end_ticks - from : 0));
        }
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
