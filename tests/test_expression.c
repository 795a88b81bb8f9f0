/* The expressions of a program's values: precedence and choices as in C, and what has no value or is no expression. */
#include "check.h"
#include "predict/expression.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *text;
    int64_t rank, ranks, value;
} sound[] = {
    {"7", 0, 1, 7},
    {"-1", 0, 1, -1},
    {"rank", 5, 8, 5},
    {"(rank + 1) % ranks", 7, 8, 0},
    {"rank ^ 2", 5, 8, 7},
    {"2 + 3 * 4", 0, 1, 14},
    {"(2 + 3) * 4", 0, 1, 20},
    {"10 - 3 - 2", 0, 1, 5},
    {"1 == 2 - 1 && 3 > 2", 0, 1, 1},
    {"0 && 1 || 1", 0, 1, 1},
    {"5 ^ 1 == 1", 0, 1, 4}, /* == binds more than ^ */
    {"rank == 0 ? -1 : rank - 1", 0, 4, -1},
    {"rank == 0 ? -1 : rank == 1 ? 10 : 20", 1, 4, 10},
    {"(rank == 0 ? 1 : 2) + 1", 3, 4, 3},
    {"rank == 0 ? 0 : 100 / rank", 0, 4, 0}, /* a part that is not evaluated may have no value */
    {"rank != 0 && 100 / rank > 1", 0, 4, 0},
    {"rank == 0 || 100 / rank > 1", 0, 4, 1},
    {"side(2, 0)", 0, 32, 8},
    {"side(2, 1)", 0, 32, 4},
    {"side(3, 2)", 0, 32, 2},
    {"log2_of(ranks)", 0, 33, 5},
    {"block(10, 4, rank)", 1, 4, 3},
    {"transposed(rank, 4, 4)", 1, 16, 4},
    {"  4096/ranks ", 0, 8, 512},
};

static const char *const undefined[] = {
    "1 / rank",   "1 % (ranks - 1)", "9223372036854775807 + 1", "block(1, rank, 0)",
    "side(4, 0)", "log2_of(rank)",   "4611686018427387904 * 2", "block(9223372036854775807, 1, 0 - 1)"};

static const char *const wrong[] = {"",
                                    "rank +",
                                    "(rank",
                                    "rank)",
                                    "size",
                                    "side(2)",
                                    "1 2",
                                    "rank = 1",
                                    "1 ? 2",
                                    "rank ? : 2",
                                    "side(2, 0, 1)",
                                    "--1",
                                    "rank; 1",
                                    "1 / rank); f(); (0",
                                    "1 / rank +",
                                    "\"rank\"",
                                    "log2_of",
                                    "1e3",
                                    "99999999999999999999"};

static enum refrain_expression_result result_of(const char *text, int64_t rank, int64_t ranks, int64_t *value) {
    return refrain_expression_evaluate(text, rank, ranks, value, NULL);
}

int main(void) {
    int64_t value;
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        enum refrain_expression_result result = result_of(sound[i].text, sound[i].rank, sound[i].ranks, &value);
        CHECK(result == REFRAIN_EXPRESSION_OK && value == sound[i].value, "%s: %d, %" PRId64, sound[i].text,
              (int)result, value);
    }
    for (size_t i = 0; i < sizeof undefined / sizeof *undefined; i++)
        CHECK(result_of(undefined[i], 0, 1, &value) == REFRAIN_EXPRESSION_UNDEFINED, "%s has a value", undefined[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(result_of(wrong[i], 0, 1, &value) == REFRAIN_EXPRESSION_WRONG, "'%s' is an expression", wrong[i]);
    char deep[2000];
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    CHECK(result_of(deep, 0, 1, &value) == REFRAIN_EXPRESSION_WRONG, "%zu parentheses", sizeof deep);
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
