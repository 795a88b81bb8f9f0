/* beat.h: a form of a sequence that ranks share which do the same at other moments (learner -> beat, packed_image.h).
 *
 *     rank 1: (a b)^3 c (a b)^4 c ...           as learned: formulas differ in form as what repeats by chance
 *     rank 2: a b a b c ((a b)^2 c)^2 ...
 *     both:   3 c 4 c .. and 2 c 2 c ..         by their beat "a b": the same turns, with other numbers
 *
 * What the form is depends on the sequence alone, not on how it was learned. Nothing here allocates. */
#ifndef REFRAIN_BEAT_H
#define REFRAIN_BEAT_H

#include "packed_stream.h"

#define REFRAIN_BEAT_WORDS 16u        /* different values, and words, of a sequence at most */
#define REFRAIN_BEAT_ALL_TURNS 16384u /* with those of each round */
#define REFRAIN_BEAT_TERM_ITEMS 128u

struct refrain_beat_word {
    uint64_t width, n; /* values; how often it came */
    int64_t value[REFRAIN_BEAT_WIDTH];
};

/* Working memory. */
struct refrain_beat_room {
    struct refrain_item term[REFRAIN_BEAT_TERM_ITEMS];
    struct refrain_beat_word words[REFRAIN_BEAT_WORDS];
    struct refrain_beat_turn turns[REFRAIN_BEAT_ALL_TURNS];
};

/* Finds the beat of what a learner holds, where that is a better form to compare than its formula; beat->turns are in
 * the room. False where it is not. */
REFRAIN_PACKED_API bool refrain_beat_find(struct refrain_beat_room *room, const void *trace_file,
                                          size_t trace_file_bytes, const struct refrain_learner *learner,
                                          struct refrain_beat *beat);

#endif
