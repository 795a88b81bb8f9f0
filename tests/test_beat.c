/* test_beat.c: sequences coded by their beat unpack to the same values, and have one form on ranks that do the same at
 * different moments. Usage: test_beat [SEED [ROUNDS]] */
#define _GNU_SOURCE
#include "learn_alone.h"
#include "packed/fold/beat.h"
#include "packed/packed_image.h"
#include "sequence/sequence.h"
#include <refrain/settings.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 100000u
static int64_t sequence[MOST];
static unsigned length;

static uint64_t state;

static unsigned below(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 16) % n;
}

static void put(int64_t value, unsigned n) {
    for (; n > 0 && length < MOST; n--)
        sequence[length++] = value;
}

/* ---- a stream in memory ---- */

#define MOST_VALUES 100000u
static struct {
    unsigned char kind[MOST_VALUES];
    uint64_t value[MOST_VALUES];
    unsigned n, at;
    bool by_beat;
} told;
static struct refrain_beat_room room;

static void write_value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value) {
    if (told.n == MOST_VALUES) {
        refrain_packed_fail(stream, "it is too long");
        return;
    }
    told.kind[told.n] = (unsigned char)kind;
    told.value[told.n++] = *value;
}

static void read_value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value) {
    if (told.at == told.n || told.kind[told.at] != kind)
        refrain_packed_fail(stream, "another value than was written");
    else
        *value = told.value[told.at++];
}

/* The bytes of learners that are not written by their beat. Nobody reads them. */
static void ignore_bytes(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, void *bytes, size_t n) {
    (void)stream;
    (void)kind;
    (void)bytes;
    (void)n;
}

static bool find(struct refrain_packed_stream *stream, const void *image, size_t bytes,
                 const struct refrain_learner *learner, struct refrain_beat *beat) {
    (void)stream;
    told.by_beat = refrain_beat_find(&room, image, bytes, learner, beat);
    return told.by_beat;
}

/* ---- there and back ---- */

#define POOL_BYTES ((size_t)8 << 20)
static _Alignas(16) unsigned char image[POOL_BYTES];
static struct refrain_learn_scratch scratch;

/* Reads damaged values, which must do no harm. */
static void read_damaged(uint64_t bytes) {
    for (unsigned i = 0; i < 8; i++) {
        struct refrain_packed_stream reading = {.value = read_value, .bytes = ignore_bytes};
        struct refrain_learner heard = {0};
        uint64_t used = REFRAIN_HEADER_BYTES;
        unsigned at = below(told.n);
        uint64_t whole = told.value[at];
        told.value[at] = below(2) ? below(40) : below(2) ? ~(uint64_t)below(3) : whole ^ (uint64_t)1 << below(64);
        told.at = 0;
        memset(image, 0, bytes);
        refrain_packed_read_learner(image, bytes, &used, &heard, &reading);
        told.value[at] = whole;
    }
}

/* Learns the sequence. If it is written by its beat, writes it and reads it back. False if it is not the same then. */
static bool goes_round(void) {
    struct refrain_context context = {.scratch = &scratch, .formula_length = REFRAIN_MAXIMUM_FORMULA_LENGTH};
    struct refrain_learner *learner = refrain_alone_begin(&context, 0), heard = {0};
    for (unsigned i = 0; i < length; i++)
        refrain_learn(&context, learner, sequence[i], REFRAIN_KIND_CONTROL);
    told.n = told.at = 0;
    told.by_beat = false;
    struct refrain_packed_stream writing = {.value = write_value, .bytes = ignore_bytes, .beat = find};
    struct refrain_packed_stream reading = {.value = read_value, .bytes = ignore_bytes};
    uint64_t used = REFRAIN_HEADER_BYTES, bytes;
    bytes = refrain_packed_write_learner(refrain_trace_file.base, refrain_alone_bytes, learner, used, &writing);
    if (!told.by_beat)
        return true;
    memset(image, 0, bytes < POOL_BYTES ? bytes : POOL_BYTES);
    if (writing.wrong || bytes > POOL_BYTES) {
        fprintf(stderr, "test_beat: written: %s\n", writing.wrong ? writing.wrong : "it is too long");
        return false;
    }
    if (!refrain_packed_read_learner(image, bytes, &used, &heard, &reading) || used != bytes || told.at != told.n) {
        fprintf(stderr, "test_beat: read: %s\n", reading.wrong ? reading.wrong : "its length is another");
        return false;
    }
    struct refrain_sequence values;
    int64_t value;
    unsigned n = 0;
    refrain_sequence_open(&values, image, bytes, &heard);
    while (n < length && refrain_sequence_next(&values, &value) && value == sequence[n])
        n++;
    bool same = n == length && !refrain_sequence_next(&values, &value) && !values.terms.wrong &&
                refrain_learner_values(image, bytes, &heard, NULL) == length;
    if (!same)
        fprintf(stderr, "test_beat: value %u of %u is another\n", n, length);
    refrain_sequence_close(&values);
    if (same)
        read_damaged(bytes);
    return same;
}

/* Loops of a word with other values between; numbers up to `most`. */
static void generate(unsigned most) {
    int64_t word[9], other = below(4) ? 7 : -(int64_t)below(1000000) * 5000000;
    unsigned width = 1 + below(9), parts = 1 + below(20), rounds = 1 + below(8) * below(8);
    for (unsigned i = 0; i < width; i++)
        word[i] = below(3) ? (int64_t)i : (int64_t)below(4);
    length = 0;
    put(3, below(3));
    uint64_t again = state;
    for (unsigned round = 0; round < rounds; round++) {
        state = below(9) ? again : state; /* mostly the same once more */
        for (unsigned part = 0; part < parts; part++) {
            for (unsigned n = below(most + 1); n > 0; n--)
                for (unsigned i = 0; i < width; i++)
                    put(word[i], 1);
            put(below(5) ? other : word[below(width)], below(3));
        }
    }
    put(word[0], below(most + 1));
    for (unsigned i = below(width + 1); i > 0; i--)
        put(word[width - i], 1);
    length = length ? length : 1;
}

/* The steps of a rank of a grid whose cells are on a diagonal. One of each `cells` cells has no neighbour, a different
 * one on each rank. They are repeated some times in the preparation, then in each time step. */
static void generate_rank(unsigned rank, unsigned cells, unsigned steps) {
    length = 0;
    for (unsigned step = 0; step < steps + 2; step++)
        for (unsigned axis = 0; axis < 3; axis++) {
            unsigned without = (rank * (axis + 1) + 3 * axis + (step < 2)) % cells;
            for (unsigned cell = 0; cell < cells; cell++) {
                put(2, 1);
                put(9, cell != without);
            }
        }
}

static unsigned count_forms(unsigned ranks, unsigned cells, unsigned steps, bool *same) {
    static struct {
        unsigned n;
        unsigned char kind[2000];
    } form[64];
    unsigned forms = 0;
    for (unsigned rank = 0; rank < ranks && *same; rank++) {
        generate_rank(rank, cells, steps);
        *same = goes_round();
        unsigned i = 0;
        while (i < forms && (form[i].n != told.n || memcmp(form[i].kind, told.kind, told.n)))
            i++;
        if (i == forms && forms < 64 && told.n < sizeof form[0].kind) {
            form[forms].n = told.n;
            memcpy(form[forms++].kind, told.kind, told.n);
        }
    }
    return forms;
}

int main(int argc, char **argv) {
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1, rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 2000;
    unsigned by_beat = 0;
    void *pool = calloc(1, POOL_BYTES);
    if (!pool)
        return 1;
    refrain_alone_open(pool, POOL_BYTES);
    for (unsigned i = 0; i < rounds; i++) {
        state = (seed * 1000003u + i) * 0x9e3779b97f4a7c15u | 1;
        generate(1 + below(below(9) ? 12 : 300));
        if (!goes_round()) {
            fprintf(stderr, "test_beat: round %u of seed %u\n", i, seed);
            return 1;
        }
        by_beat += told.by_beat;
    }
    bool same = true;
    unsigned few = count_forms(16, 16, 4, &same), many = count_forms(64, 64, 4, &same), long_run;
    long_run = count_forms(16, 16, 200, &same);
    printf("test_beat: %u of %u sequences by their beat; forms on 16 ranks %u, on 64 %u, of 200 steps %u\n", by_beat,
           rounds, few, many, long_run);
    free(pool);
    return !same || by_beat < rounds / 10 || few > 3 || many > 3 || long_run > 3;
}
