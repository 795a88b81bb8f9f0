/* test_open_regions.c: frames of open regions: which one is innermost, how long each took by itself, and that the outer
 * ones stay when there are many. */
#include "analysis/open_regions.h"
#include "check.h"

#include <stdlib.h>

static const struct refrain_location_info listed[] = {
    {.rank = 0, .thread = 0}, {.rank = 0, .thread = 2}, {.rank = 2, .thread = 0}};

const struct refrain_location_info *refrain_trace_locations(const struct refrain_trace *trace, size_t *n) {
    (void)trace;
    *n = sizeof listed / sizeof *listed;
    return listed;
}

struct frame {
    struct refrain_region_frame head;
    int own;
};

#define DEPTH 1000

static void nest(void) {
    static struct refrain_region_info regions[DEPTH];
    struct refrain_region_stack stack = {0};
    CHECK(!refrain_region_stack_top(&stack) && !refrain_region_stack_leave(&stack, 0), "none is open");
    for (int i = 0; i < DEPTH; i++) {
        struct frame *frame = refrain_region_stack_enter(&stack, sizeof *frame, &regions[i], i);
        CHECK(frame && frame->own == 0 && frame->head.inner_ns == 0, "a frame begins with nothing");
        frame->own = i;
    }
    for (int i = DEPTH; i-- > 0;) { /* each is left one moment after the one in it */
        const struct frame *top = refrain_region_stack_top(&stack);
        int64_t took_ns = 2 * DEPTH - i - top->head.enter_ns;
        const struct frame *frame = refrain_region_stack_leave(&stack, took_ns);
        CHECK(frame->own == i && frame->head.region == &regions[i] && frame->head.enter_ns == i, "frames stay");
        CHECK(took_ns - frame->head.inner_ns == 2, "each took its own");
    }
    CHECK(!refrain_region_stack_top(&stack), "all are left");
    refrain_region_stack_free(&stack);
}

static size_t number_of(const struct refrain_location_index *index, int32_t rank, uint32_t thread) {
    struct refrain_event event = {.rank = rank, .thread = thread};
    return refrain_location_index_of(index, &event);
}

static void number(void) {
    struct refrain_location_index index = {0};
    CHECK(refrain_location_index_open(&index, NULL), "no memory");
    CHECK(number_of(&index, 0, 0) == 0 && number_of(&index, 0, 2) == 1 && number_of(&index, 2, 0) == 2, "numbers");
    CHECK(number_of(&index, 0, 1) == 3 && number_of(&index, 1, 0) == 3 && number_of(&index, 3, 0) == 3 &&
              number_of(&index, -1, 0) == 3,
          "what is not listed has none");
    refrain_location_index_close(&index);
}

int main(void) {
    nest();
    number();
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
