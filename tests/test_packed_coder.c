/* test_packed_coder.c: the coder of packed traces writes the same bytes in every build, so that traces of one version
 * can be read whichever build wrote them. The bytes are read back. */
#include "packed/packed_coder.h"

#include <stdio.h>
#include <string.h>

#define BYTES 50000u
#define VALUES 3000u

/* Length and sum of the bytes that were written when probabilities were still updated by a division. */
#define EXPECTED_BYTES 76032u
#define EXPECTED_SUM 0x6ad582d0u

static struct refrain_packed_models models;
static struct refrain_packed_coder coder;
static unsigned char timeline[BYTES], text[BYTES], read_back[BYTES], coded[4 * BYTES];
static unsigned state = 1;

static unsigned chance(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 16;
}

static void begin(size_t capacity, bool decodes) {
    refrain_packed_models_begin(&models);
    refrain_packed_coder_open(&coder, &models, coded, capacity, decodes);
}

static int fail(const char *why) {
    printf("FAILED: %s\n", why);
    return 1;
}

int main(void) {
    for (unsigned i = 0; i < BYTES; i++) {
        timeline[i] = (unsigned char)(2 + (chance() % 8 == 0 ? chance() % 3 : 0) + (i % 7 == 0) * 20); /* regular */
        text[i] = (unsigned char)chance(); /* without a rule */
    }
    begin(sizeof coded, false);
    refrain_packed_code_bytes(&coder, REFRAIN_PACKED_TIMELINE, timeline, BYTES);
    refrain_packed_code_bytes(&coder, REFRAIN_PACKED_TEXT, text, BYTES);
    for (uint64_t i = 0; i < VALUES; i++) {
        uint64_t value = i * i % 1003 << i % 40;
        refrain_packed_code_value(&coder, REFRAIN_PACKED_COUNT, &value);
    }
    size_t length = refrain_packed_coder_close(&coder);
    unsigned sum = 0;
    for (size_t i = 0; i < length; i++)
        sum = sum * 31 + coded[i];
    if (length != EXPECTED_BYTES || sum != EXPECTED_SUM) {
        printf("%zu bytes, sum %#x\n", length, sum);
        return fail("what is written has changed");
    }

    begin(length, true);
    refrain_packed_code_bytes(&coder, REFRAIN_PACKED_TIMELINE, read_back, BYTES);
    if (memcmp(read_back, timeline, BYTES) != 0)
        return fail("a timeline is not read back");
    refrain_packed_code_bytes(&coder, REFRAIN_PACKED_TEXT, read_back, BYTES);
    if (memcmp(read_back, text, BYTES) != 0)
        return fail("a text is not read back");
    for (uint64_t i = 0; i < VALUES; i++) {
        uint64_t value = 0;
        refrain_packed_code_value(&coder, REFRAIN_PACKED_COUNT, &value);
        if (value != i * i % 1003 << i % 40)
            return fail("a value is not read back");
    }
    if (coder.full)
        return fail("more was read than was written");
    puts("what the coder writes is as it was, and is read back");
    return 0;
}
