/* learner_families.h: sequences of values as programs make them, one after the other (families -> learner_cost). */
#ifndef LEARNER_FAMILIES_H
#define LEARNER_FAMILIES_H

#include <stddef.h>
#include <stdint.h>

#define LEARNER_TABLE 8192u /* values of the longest cycle */

/* The position in a sequence. */
struct source {
    uint64_t i; /* number of the value */
    uint64_t random;
    int64_t a, b, left, kind;
    uint64_t period;
    int64_t table[LEARNER_TABLE];
};

struct family {
    const char *key, *title;
    int64_t (*next)(struct source *);
    void (*start)(struct source *); /* null: from zero */
};
extern const struct family learner_families[];
extern const size_t learner_families_count;

/* Starts the sequence from its beginning. It is the same each time. */
void learner_family_start(const struct family *family, struct source *source);

/* The next `n` values. */
void learner_family_fill(const struct family *family, struct source *source, int64_t *block, size_t n);

#endif
