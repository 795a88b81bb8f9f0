/* test_table.c: compares a hash table with an array of all its keys, and tests growing arrays (common/table.h,
 * common/array.h). */
#include "check.h"
#include "common/array.h"
#include "common/table.h"

#define KEYS 3000u

/* Keys that collide: multiples of a power of two, as addresses are, and pairs in both orders. */
static uint64_t key_a(unsigned i) {
    return (uint64_t)(i % 55) << 32;
}

static uint64_t key_b(unsigned i) {
    return (uint64_t)(i / 55) * 4096;
}

static void numbers(void) {
    static uintptr_t expected[KEYS];
    struct refrain_table table = {0};
    uint64_t state = 1;
    CHECK(refrain_table_number(&table, 0, 0) == 0, "an empty table has a key");
    refrain_table_remove(&table, 0, 0);
    for (unsigned step = 0; step < 100000; step++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        unsigned i = (unsigned)(state >> 33) % KEYS;
        if (state >> 62 && step > 20000 - 20000 * (state >> 63)) {
            refrain_table_remove(&table, key_a(i), key_b(i));
            expected[i] = 0;
        } else {
            CHECK(refrain_table_put(&table, key_a(i), key_b(i), step + 1), "put: no memory");
            expected[i] = step + 1;
        }
        CHECK(refrain_table_number(&table, key_a(i), key_b(i)) == expected[i], "a key has another value");
    }
    size_t n = 0, met = 0;
    for (unsigned i = 0; i < KEYS; i++) {
        CHECK(refrain_table_number(&table, key_a(i), key_b(i)) == expected[i], "at the end a key has another value");
        n += expected[i] != 0;
    }
    CHECK(n > KEYS / 10 && n < KEYS && table.n == n, "number of keys");
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&table, slot)); met++)
        CHECK(slot->number == refrain_table_number(&table, slot->a, slot->b), "a slot has another key");
    CHECK(met == n, "not all slots were met");
    refrain_table_close(&table);
    CHECK(table.n == 0 && refrain_table_number(&table, key_a(1), key_b(1)) == 0, "a closed table has keys");
}

static void objects(void) {
    struct refrain_table table = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t *object = refrain_table_make(&table, i, i, sizeof *object);
        CHECK(object && *object == 0, "a new object is not zero");
        if (object)
            *object = i + 1;
    }
    for (uint64_t i = 0; i < 1000; i++) {
        const uint64_t *object = refrain_table_object(&table, i, i);
        CHECK(object && *object == i + 1, "an object is not found");
        CHECK(refrain_table_make(&table, i, i, sizeof *object) == object, "a second one is made");
        CHECK(!refrain_table_object(&table, i, i + 1), "there is an object of another key");
    }
    refrain_table_free(&table);
}

static void arrays(void) {
    struct {
        uint32_t *values;
        size_t n, capacity;
    } list = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        CHECK(REFRAIN_ARRAY_ROOM(list.values, list.n, list.capacity), "no room");
        list.values[list.n++] = i;
    }
    CHECK(list.capacity == 1024 && list.values[0] == 0 && list.values[999] == 999, "contents");
    CHECK(REFRAIN_ARRAY_ROOMS(list.values, list.n, 5000, list.capacity) && list.capacity == 8192, "more room");
    uint32_t *before = list.values;
    CHECK(!REFRAIN_ARRAY_ROOMS(list.values, list.n, SIZE_MAX / 4, list.capacity), "too much room");
    CHECK(list.values == before && list.capacity == 8192 && list.values[999] == 999, "contents after no room");
    free(list.values);
}

int main(void) {
    numbers();
    objects();
    arrays();
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
