/* walk_limits.c: upper bounds of what a thread can have done. Without them, a damaged trace ("2^60 times here")
 * would be walked for years (walk_parts.h).
 *
 *     steps    A probe takes at least a tick. So up to the end of the next timeline entry there are at most as many
 *              steps as ticks. Where the timeline has ended: at most the ticks of the thread, or of all places
 *              together. And at most the sum of the counted probes, of the blocks of all places (a step without a
 *              probe reads the clock), and of the operations and values of MPI calls, markers and counters.
 *     blocks   at most the count of the place, and MOST_UNCOUNTED_BLOCKS more in all, unless the process was killed */
#include "sequence/sequence.h"
#include "walk/walk_parts.h"

#include <refrain/amounts.h>
#include <refrain/settings.h>

#define SPARE_STEPS ((uint64_t)1 << 24)
#define PROBES_OF_SAMPLE ((uint64_t)REFRAIN_ALLOWANCE_PROBES)
/* A probe takes one step. It takes one more step for each activation that it enters late or ends because no other
 * probe did; each of these steps reads the clock. */
#define STEPS_OF_BLOCK 4u
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* a fuzzer looks for faults, not for long runs */
#define MOST_STEPS ((uint64_t)1 << 12)
#else
#define MOST_STEPS UINT64_MAX
#endif
#define MOST_TICKS_PER_NS 16u
#define MOST_UNCOUNTED_BLOCKS                                                                                          \
    65536u /* of a process that finished; a killed one had not stored its last counts, and has no limit */

/* Sums over the places of a thread. */
struct places {
    uint64_t ticks, blocks;
    uint64_t unprobed; /* operations of MPI calls, and values of markers, counters and pauses: steps without a probe */
};

static void add_place(struct places *places, const struct refrain_slot *slot) {
    places->ticks = refrain_sum(places->ticks, slot->ticks);
    places->blocks = refrain_sum(places->blocks, slot->count);
}

static void add_unprobed(struct places *places, const struct refrain_walk *walk, const struct refrain_slot *slot) {
    add_place(places, slot);
    places->unprobed =
        refrain_sum(places->unprobed, refrain_learner_values(walk->image, walk->image_bytes, &slot->next, NULL));
}

static void add_call_site(struct places *places, const struct refrain_walk *walk,
                          const struct refrain_call_site *call_site) {
    uint64_t reference = call_site->operations;
    add_unprobed(places, walk, &call_site->inside);
    for (unsigned n = 0; reference && n < REFRAIN_OPERATIONS; n++) {
        uint64_t at = reference * REFRAIN_ALIGNMENT_BYTES;
        const struct refrain_operation_record *record = (const void *)(walk->image + at);
        if (at < REFRAIN_HEADER_BYTES || at > walk->image_bytes || sizeof *record > walk->image_bytes - at)
            break;
        add_unprobed(places, walk, &record->after);
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
            add_unprobed(&places, walk, &region->inside);
        else
            add_place(&places, &region->inside);
    }
    return places;
}

/* Upper bound by the clock. */
static uint64_t steps_of_clock(const struct refrain_walk *walk, const struct places *places) {
    const struct refrain_clock_pair *start = &walk->header->start, *last = &walk->header->last;
    uint64_t from = walk->thread->start_ticks, to = walk->thread->last_ticks;
    uint64_t run = refrain_least(to > from ? to - from : 0, places->ticks);
    /* The thread may have continued after its last clock read, but not beyond that of the process. */
    uint64_t further = last->ticks > to ? last->ticks - to : 0;
    uint64_t most_ns = last->monotonic_ns > start->monotonic_ns ? last->monotonic_ns - start->monotonic_ns : 0;
    if (further / MOST_TICKS_PER_NS > most_ns)
        further = most_ns * MOST_TICKS_PER_NS;
    return refrain_sum(run, further);
}

/* Upper bound by counts; UINT64_MAX if probes were not counted. */
static uint64_t steps_of_counts(const struct refrain_walk *walk, const struct places *places) {
    uint64_t samples = walk->thread->samples;
    if (samples == REFRAIN_SAMPLES_UNKNOWN)
        return UINT64_MAX;
    uint64_t of_blocks = places->blocks > UINT64_MAX / STEPS_OF_BLOCK ? UINT64_MAX : places->blocks * STEPS_OF_BLOCK;
    return refrain_sum((samples + 1) * PROBES_OF_SAMPLE, refrain_sum(of_blocks, places->unprobed));
}

uint64_t refrain_walk_steps_of_run(const struct refrain_walk *walk) {
    struct places places = add_up(walk);
    uint64_t most = steps_of_counts(walk, &places);
    /* If the process did not finish, the clock is no bound: events may follow its last clock read. */
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
