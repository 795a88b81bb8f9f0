/* shape_guess.h: what comes next in one of the shapes of a record, by those before it (sheet_head.c, ranks_read.c).
 *
 *     shape 1: a b c d e f g ..         ranks that differ in form differ in some values: most of a shape is
 *     shape 2: a b X d e Y Z d e ..     in the shapes before it, or earlier in itself
 *                  ^ guessed: after c comes d
 *
 * Writer and reader guess from the same values before, so that a value that is as guessed takes a fraction of a bit.
 * Nothing here allocates.
 */
#ifndef REFRAIN_SHAPE_GUESS_H
#define REFRAIN_SHAPE_GUESS_H

#include "packed_stream.h"

#define REFRAIN_GUESS_SYMBOLS 16384u /* the latest are remembered; a power of two */
#define REFRAIN_GUESS_CONTEXTS 8192u

/* A value of a shape. */
struct refrain_guess_symbol {
    uint64_t value; /* of all ranks that have the shape; 0 where they differ */
    unsigned char kind;
    bool same; /* do all have it? */
};

struct refrain_guess {
    uint64_t n;       /* symbols that came in this record */
    uint64_t next;    /* the one that is guessed to come again, plus 1; 0: none */
    uint64_t hash[2]; /* of the latest symbols */
    struct refrain_guess_symbol symbols[REFRAIN_GUESS_SYMBOLS];
    struct refrain_guess_context {
        uint64_t hash, next; /* where what followed it is, plus 1 */
    } contexts[2][REFRAIN_GUESS_CONTEXTS];
};

/* A record begins: forgets the values before. */
REFRAIN_PACKED_API void refrain_guess_begin(struct refrain_guess *guess);

/* A shape of the record begins. */
REFRAIN_PACKED_API void refrain_guess_begin_shape(struct refrain_guess *guess);

/* What is likely to come; null: nothing is. */
REFRAIN_PACKED_API const struct refrain_guess_symbol *refrain_guess_next(const struct refrain_guess *guess);

/* What came. */
REFRAIN_PACKED_API void refrain_guess_take(struct refrain_guess *guess, const struct refrain_guess_symbol *came);

static inline bool refrain_guess_is(const struct refrain_guess_symbol *a, const struct refrain_guess_symbol *b) {
    return a->kind == b->kind && a->same && b->same && a->value == b->value;
}

#endif
