/* test_limits.c: the most steps that a thread can have made (reconstruct/replay/walk_limits.c). What its clock reads
 * say goes no further than what its places took, in a process that has not finished, too. */
#include "walk_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_BYTES 65536u
#define START_TICKS 1000u
#define RUN_TICKS 5000000u
#define FAR_TICKS ((uint64_t)1 << 60)

static unsigned failed;

/* An image of one thread whose last clock read was so many ticks after its first one, with all of `in_places` in its
 * outermost place. */
static uint64_t steps_of(uint64_t ticks, uint64_t in_places, bool finished) {
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

int main(void) {
    for (int finished = 0; finished < 2; finished++) {
        uint64_t spare = steps_of(0, 0, finished), sound = steps_of(RUN_TICKS, RUN_TICKS, finished);
        check(spare > 0, "no step is allowed without a clock read");
        check(sound == spare + RUN_TICKS, "a run is not allowed a step for each of its ticks");
        check(steps_of(FAR_TICKS, RUN_TICKS, finished) == sound, "a damaged last clock read allows more steps");
        check(steps_of(RUN_TICKS, FAR_TICKS, finished) == sound, "a place's damaged ticks allow more steps");
    }
    puts(failed ? "FAILED" : "ok");
    return failed != 0;
}
