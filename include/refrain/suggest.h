/* suggest.h: finds the name that a mistyped one probably stands for. */
#ifndef REFRAIN_SUGGEST_H
#define REFRAIN_SUGGEST_H

#include <stddef.h>
#include <string.h>

#define REFRAIN_SUGGEST_MOST 63u

/* A search for the nearest of several names. Starts as {.typed = ...}. */
struct refrain_suggestion {
    const char *typed;
    const char *name; /* the nearest name so far, if at most 2 and half of the letters differ; else null */
    unsigned distance;
};

static inline unsigned refrain_suggest_least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* The smallest number of letters that have to be inserted, removed, replaced, or swapped with their neighbour to
 * make `a` from `b` ("optimal string alignment" distance). Only the first 63 letters count. */
static inline unsigned refrain_suggest_distance(const char *a, const char *b) {
    unsigned rows[3][REFRAIN_SUGGEST_MOST + 1];
    unsigned n = refrain_suggest_least((unsigned)strlen(a), REFRAIN_SUGGEST_MOST);
    unsigned m = refrain_suggest_least((unsigned)strlen(b), REFRAIN_SUGGEST_MOST);
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    for (unsigned j = 0; j <= m; j++)
        last[j] = j;
    for (unsigned i = 1; i <= n; i++) {
        row[0] = i;
        for (unsigned j = 1; j <= m; j++) {
            row[j] = refrain_suggest_least(refrain_suggest_least(last[j] + 1, row[j - 1] + 1),
                                           last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = refrain_suggest_least(row[j], before[j - 2] + 1);
        }
        unsigned *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[m];
}

/* Compares one more name. */
static inline void refrain_suggest(struct refrain_suggestion *suggestion, const char *name) {
    size_t n = strlen(suggestion->typed);
    unsigned distance = refrain_suggest_distance(suggestion->typed, name);
    /* A missing end of a name costs less than other mistakes. */
    if (n >= 2 && strncmp(suggestion->typed, name, n) == 0)
        distance = 1;
    if (distance > 2 || distance >= strlen(name) || 2 * distance > n ||
        (suggestion->name && distance >= suggestion->distance))
        return;
    suggestion->name = name;
    suggestion->distance = distance;
}

#endif
