/* beat.h: finds the beat of a sequence: a form that is equal on ranks that do the same at different times (learner
 * -> beat, packed_image.h).
 *
 *     rank 1: (a b)^3 c (a b)^4 c ...           learned formulas, whose forms differ because repetitions differ
 *     rank 2: a b a b c ((a b)^2 c)^2 ...
 *     both:   3 c 4 c .. and 2 c 2 c ..         steps between beats "a b": the same form, with other numbers
 *
 * The form depends only on the sequence, not on the way it was learned. Nothing here allocates. */
#ifndef REFRAIN_BEAT_H
#define REFRAIN_BEAT_H

#include "packed_stream.h"

#define REFRAIN_BEAT_WORDS 16u        /* most different values, and most different words, of a sequence */
#define REFRAIN_BEAT_ALL_STEPS 16384u /* including those of all repetitions */
#define REFRAIN_BEAT_TERM_ITEMS 128u

struct refrain_beat_word {
    uint64_t width, n; /* width: number of values; n: occurrences */
    int64_t value[REFRAIN_BEAT_WIDTH];
};

/* Working memory. */
struct refrain_beat_room {
    struct refrain_item term[REFRAIN_BEAT_TERM_ITEMS];
    struct refrain_beat_word words[REFRAIN_BEAT_WORDS];
    struct refrain_beat_step steps[REFRAIN_BEAT_ALL_STEPS];
};

/* Finds the beat of the sequence of a learner. beat->steps are in the room. False if the sequence has no beat that
 * is a better form than its formula. */
REFRAIN_PACKED_API bool refrain_beat_find(struct refrain_beat_room *room, const void *trace_file,
                                          size_t trace_file_bytes, const struct refrain_learner *learner,
                                          struct refrain_beat *beat);

#endif
