/* test_arena.c: copies of an arena, with and without a base, restore its contents. A copy of an arena with few contents
 * is small, however much memory the arena used before. */
#include "check.h"
#include "common/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 500u
#define LARGE ((size_t)8 << 20)

static uint64_t *block[BLOCKS];
static size_t words[BLOCKS];
static uint64_t random_state = 1;

static uint64_t chance(uint64_t below) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

/* Changes each n-th word of all blocks, frees some blocks and allocates others. */
static void change(unsigned n) {
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (chance(8) == 0) {
            refrain_free(block[i]);
            words[i] = 1 + chance(3000);
            block[i] = refrain_calloc(words[i], sizeof **block);
        }
        for (size_t k = chance(n); k < words[i]; k += n)
            block[i][k] = chance(1000);
    }
}

/* The contents of the blocks, one after the other. */
static uint64_t *contents(size_t *n) {
    uint64_t *all;
    *n = 0;
    for (unsigned i = 0; i < BLOCKS; i++)
        *n += words[i];
    all = malloc(*n * sizeof *all + 1);
    *n = 0;
    for (unsigned i = 0; i < BLOCKS; i++) {
        memcpy(all + *n, block[i], words[i] * sizeof *all);
        *n += words[i];
    }
    return all;
}

/* The arena as it was at a time. */
struct state {
    struct refrain_arena_copy *copy;
    uint64_t *block[BLOCKS], *contents;
    size_t words[BLOCKS], n;
};

static void keep(struct state *state, const struct refrain_arena *arena, struct refrain_arena_copy *base) {
    state->copy = refrain_arena_copy(arena, base);
    memcpy(state->block, block, sizeof block);
    memcpy(state->words, words, sizeof words);
    state->contents = contents(&state->n);
}

static void bring_back(const struct state *state, struct refrain_arena *arena) {
    size_t n;
    refrain_arena_restore(arena, state->copy);
    memcpy(block, state->block, sizeof block);
    memcpy(words, state->words, sizeof words);
    uint64_t *now = contents(&n);
    CHECK(n == state->n && memcmp(now, state->contents, n * sizeof *now) == 0, "%zu words, %zu then", n, state->n);
    free(now);
}

int main(void) {
    enum { STATES = 24 };
    static struct state states[STATES];
    struct refrain_arena *arena = refrain_arena_open();
    refrain_arena_use(arena);

    /* A large part of the memory has been allocated and freed. */
    void *large = refrain_calloc(1, LARGE);
    memset(large, 1, LARGE);
    refrain_free(large);
    struct refrain_arena_copy *small = refrain_arena_copy(arena, NULL);
    CHECK(refrain_arena_copy_bytes(small) < 4096, "a copy of next to nothing takes %zu bytes",
          refrain_arena_copy_bytes(small));
    refrain_arena_copy_free(small);

    for (unsigned i = 0; i < STATES; i++) {
        change(i % 8 == 0 ? 1 : 50);
        keep(&states[i], arena, i % 8 == 0 ? NULL : states[i - i % 8].copy);
        CHECK(i % 8 != 1 || refrain_arena_copy_bytes(states[i].copy) < refrain_arena_copy_bytes(states[i - 1].copy),
              "%u: %zu bytes with a base, %zu without", i, refrain_arena_copy_bytes(states[i].copy),
              refrain_arena_copy_bytes(states[i - 1].copy));
    }
    for (unsigned i = 0; i < 200; i++) {
        change(3);
        bring_back(&states[chance(STATES)], arena);
    }
    for (unsigned i = 0; i < STATES; i++) {
        refrain_arena_copy_free(states[i].copy);
        free(states[i].contents);
    }
    refrain_arena_use(NULL);
    refrain_arena_close(arena);
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
