/* test_limits.c: tests the upper bounds of the steps of a thread (reconstruct/walk/walk_limits.c). The bound by the
 * clock must not exceed the time of the places. If the process was killed after its last clock read, and in all other
 * cases, there cannot be more steps than probes and blocks. */
#include "walk/walk_parts.h"

#include <refrain/settings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_BYTES 65536u
#define START_TICKS 1000u
#define RUN_TICKS 5000000u
#define FAR_TICKS ((uint64_t)1 << 60)
#define FAR_SAMPLES (REFRAIN_SAMPLES_UNKNOWN - 1)
#define SAMPLES 1000u

static unsigned failed;

/* Returns the bound for an image of one thread. `ticks`: from its first to its last clock read; `in_places`: time of
 * its outermost place; `samples`: of its probes. */
static uint64_t steps_of(uint64_t ticks, uint64_t in_places, uint32_t samples, bool finished) {
    unsigned char *image = calloc(1, IMAGE_BYTES);
    if (!image)
        exit(2);
    struct refrain_header *header = (void *)image;
    struct refrain_thread *thread = (void *)(image + REFRAIN_HEADER_BYTES);
    header->pool_used = IMAGE_BYTES;
    header->threads = REFRAIN_HEADER_BYTES;
    header->n_threads = 1;
    header->finished = finished;
    thread->started = 1;
    thread->start_ticks = START_TICKS;
    thread->last_ticks = START_TICKS + ticks;
    thread->samples = samples;
    thread->root.ticks = in_places;
    const char *what = NULL;
    uint64_t offset = 0, steps = 0;
    struct refrain_walk *walk = refrain_walk_begin(image, IMAGE_BYTES, 0, &what, &offset);
    if (walk)
        steps = refrain_walk_steps_of_run(walk);
    else
        printf("FAILED: the image cannot be walked: %s\n", what);
    failed += !walk;
    refrain_walk_close(walk);
    free(image);
    return steps;
}

static void check(bool holds, const char *what) {
    if (!holds)
        printf("FAILED: %s\n", what);
    failed += !holds;
}

static void by_clock(uint32_t samples, bool finished) {
    uint64_t spare = steps_of(0, 0, samples, finished), sound = steps_of(RUN_TICKS, RUN_TICKS, samples, finished);
    check(spare > 0, "no step is allowed without a clock read");
    check(sound == spare + RUN_TICKS, "a run is not allowed a step for each of its ticks");
    check(steps_of(FAR_TICKS, RUN_TICKS, samples, finished) == sound, "a damaged last clock read allows more steps");
    check(steps_of(RUN_TICKS, FAR_TICKS, samples, finished) == sound, "a place's damaged ticks allow more steps");
}

static void by_probes(bool finished) {
    uint64_t none = steps_of(FAR_TICKS, FAR_TICKS, 0, finished),
             some = steps_of(FAR_TICKS, FAR_TICKS, SAMPLES, finished), after = steps_of(0, 0, SAMPLES, false);
    check(some >= none + SAMPLES * REFRAIN_ALLOWANCE_PROBES, "probes are not allowed a step each");
    check(some <= none + SAMPLES * REFRAIN_ALLOWANCE_PROBES * 2, "damaged clock reads allow more than probes can do");
    check(after == some, "a process that was killed long after its last clock read is not allowed what its probes did");
}

int main(void) {
    by_clock(REFRAIN_SAMPLES_UNKNOWN, false);
    by_clock(REFRAIN_SAMPLES_UNKNOWN, true);
    by_clock(FAR_SAMPLES, true);
    by_probes(false);
    by_probes(true);
    puts(failed ? "FAILED" : "ok");
    return failed != 0;
}
