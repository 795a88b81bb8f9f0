/* shape_guess.h: guesses the next value of a shape of a record, from the values before it (sheet_head.c,
 * ranks_read.c).
 *
 *     shape 1: a b c d e f g ..         shapes of a record differ in some values; most of a shape occurs in an
 *     shape 2: a b X d e Y Z d e ..     earlier shape, or earlier in the same shape
 *                  ^ guessed: d follows c
 *
 * Writer and reader guess from the same earlier values. A value that is as guessed takes a fraction of a bit.
 * Nothing here allocates. */
#ifndef REFRAIN_SHAPE_GUESS_H
#define REFRAIN_SHAPE_GUESS_H

#include "packed_stream.h"

#define REFRAIN_GUESS_SYMBOLS 16384u /* number of remembered symbols; a power of two */
#define REFRAIN_GUESS_CONTEXTS 8192u

/* A value of a shape. */
struct refrain_guess_symbol {
    uint64_t value; /* common value of all ranks that have the shape; 0 if they differ */
    unsigned char kind;
    bool same; /* all these ranks have the same value */
};

struct refrain_guess {
    uint64_t n;       /* number of symbols of this record so far */
    uint64_t next;    /* position of the guessed symbol, plus 1; 0: no guess */
    uint64_t hash[2]; /* of the two contexts */
    struct refrain_guess_symbol symbols[REFRAIN_GUESS_SYMBOLS];
    struct refrain_guess_context {
        uint64_t hash, next; /* position of the symbol that followed it, plus 1 */
    } contexts[2][REFRAIN_GUESS_CONTEXTS];
};

/* A record begins: forgets all earlier values. */
REFRAIN_PACKED_API void refrain_guess_begin(struct refrain_guess *guess);

/* A shape of the record begins. */
REFRAIN_PACKED_API void refrain_guess_begin_shape(struct refrain_guess *guess);

/* The guess for the next value; null: none. */
REFRAIN_PACKED_API const struct refrain_guess_symbol *refrain_guess_next(const struct refrain_guess *guess);

/* Appends the actual value. */
REFRAIN_PACKED_API void refrain_guess_append(struct refrain_guess *guess, const struct refrain_guess_symbol *actual);

static inline bool refrain_guess_is(const struct refrain_guess_symbol *a, const struct refrain_guess_symbol *b) {
    return a->kind == b->kind && a->same && b->same && a->value == b->value;
}

#endif
