/* difference.c: writes runs of equal and of different words, and applies them (difference.h). */
#include "common/difference.h"

#include <stdint.h>
#include <string.h>

/* A number of equal words, and the number of different words after them. */
struct run {
    uint32_t same, different;
};
#define MOST_WORDS UINT32_MAX

static uint64_t word_at(const void *bytes, size_t word) {
    uint64_t value;
    memcpy(&value, (const unsigned char *)bytes + word * sizeof value, sizeof value);
    return value;
}

/* The first word from `at` on that equals the base (`same`: that differs from it); at most `end`. */
static size_t until(const void *now, const void *base, size_t base_words, size_t at, size_t end, bool same) {
    while (at < end && (word_at(now, at) == (at < base_words ? word_at(base, at) : 0)) != same)
        at++;
    return at;
}

size_t refrain_difference(const void *now, size_t bytes, const void *base, size_t base_bytes, void *difference) {
    size_t words = bytes / sizeof(uint64_t), base_words = base_bytes / sizeof(uint64_t), length = 0;
    for (size_t at = 0; at < words;) {
        size_t most = words - at > MOST_WORDS ? at + MOST_WORDS : words;
        size_t first = until(now, base, base_words, at, most, false);
        most = words - first > MOST_WORDS ? first + MOST_WORDS : words;
        size_t end = until(now, base, base_words, first, most, true);
        struct run run = {(uint32_t)(first - at), (uint32_t)(end - first)};
        size_t literal = run.different * sizeof(uint64_t);
        if (difference) {
            memcpy((unsigned char *)difference + length, &run, sizeof run);
            memcpy((unsigned char *)difference + length + sizeof run,
                   (const unsigned char *)now + first * sizeof(uint64_t), literal);
        }
        length += sizeof run + literal;
        at = end;
    }
    return length;
}

size_t refrain_difference_apply(void *now, size_t bytes, const void *base, size_t base_bytes, const void *difference) {
    const unsigned char *from = difference;
    size_t shared = bytes < base_bytes ? bytes : base_bytes;
    if (shared > 0 && now != base)
        memcpy(now, base, shared);
    memset((unsigned char *)now + shared, 0, bytes - shared);
    for (size_t at = 0; at < bytes / sizeof(uint64_t);) {
        struct run run;
        memcpy(&run, from, sizeof run);
        at += run.same;
        memcpy((unsigned char *)now + at * sizeof(uint64_t), from + sizeof run, run.different * sizeof(uint64_t));
        at += run.different;
        from += sizeof run + run.different * sizeof(uint64_t);
    }
    return (size_t)(from - (const unsigned char *)difference);
}

bool refrain_difference_fits(size_t bytes, const void *difference, size_t length) {
    const unsigned char *from = difference;
    size_t words = bytes / sizeof(uint64_t), at = 0;
    while (at < words) {
        struct run run;
        if (length < sizeof run)
            return false;
        memcpy(&run, from, sizeof run);
        length -= sizeof run;
        if (run.same > words - at || run.different > words - at - run.same ||
            run.different > length / sizeof(uint64_t) || run.same + (size_t)run.different == 0)
            return false;
        at += run.same + (size_t)run.different;
        from += sizeof run + run.different * sizeof(uint64_t);
        length -= run.different * sizeof(uint64_t);
    }
    return length == 0;
}
