/* shape_guess.c: guesses the next value of a shape from the values before it (shape_guess.h). */
#include "shape_guess.h"

#include <string.h>

/* Lengths of the two contexts, in symbols, the longer one first. */
static const unsigned char lengths[2] = {6, 3};

void refrain_guess_begin(struct refrain_guess *guess) {
    memset(guess->contexts, 0, sizeof guess->contexts);
    guess->n = 0;
    refrain_guess_begin_shape(guess);
}

void refrain_guess_begin_shape(struct refrain_guess *guess) {
    guess->next = guess->n > 0; /* the first symbol of a shape is guessed to be the first one of all */
    guess->hash[0] = guess->hash[1] = 0;
}

static const struct refrain_guess_symbol *symbol_at(const struct refrain_guess *guess, uint64_t i) {
    return i + REFRAIN_GUESS_SYMBOLS < guess->n ? NULL : &guess->symbols[i % REFRAIN_GUESS_SYMBOLS];
}

const struct refrain_guess_symbol *refrain_guess_next(const struct refrain_guess *guess) {
    return guess->next > 0 && guess->next <= guess->n ? symbol_at(guess, guess->next - 1) : NULL;
}

/* Adds a symbol to the hash. Shifts remove it again after as many further symbols as the context has, or one more: a
 * few of its bits stay if 64 does not divide by the length. */
static uint64_t hash_with(uint64_t hash, const struct refrain_guess_symbol *symbol, unsigned length) {
    uint64_t own = (symbol->value * 256 + symbol->kind) * 2 + symbol->same;
    own = (own ^ own >> 32) * 0x9e3779b97f4a7c15u;
    unsigned bits = 64 / length;
    return hash << bits ^ own >> (64 - bits) ^ (own >> 20 & (((uint64_t)1 << bits) - 1));
}

void refrain_guess_append(struct refrain_guess *guess, const struct refrain_guess_symbol *actual) {
    const struct refrain_guess_symbol *guessed = refrain_guess_next(guess);
    bool right = guessed && refrain_guess_is(guessed, actual);
    uint64_t next = guess->next ? guess->next + 1 : 0;
    guess->symbols[guess->n++ % REFRAIN_GUESS_SYMBOLS] = *actual;
    for (unsigned i = 2; i-- > 0;) {
        guess->hash[i] = hash_with(guess->hash[i], actual, lengths[i]);
        struct refrain_guess_context *context =
            &guess->contexts[i][guess->hash[i] * 0x9e3779b97f4a7c15u >> 32 & (REFRAIN_GUESS_CONTEXTS - 1)];
        if (!right && context->next && context->hash == guess->hash[i])
            next = context->next;
        *context = (struct refrain_guess_context){guess->hash[i], guess->n + 1};
    }
    guess->next = next;
}
