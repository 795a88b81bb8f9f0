/* suggest.c: the name that was probably meant (suggest.h). */
#define _POSIX_C_SOURCE 200809L
#include "suggest.h"

#include <string.h>

#define MOST 63u

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* The "optimal string alignment" distance, row by row. */
unsigned refrain_suggest_distance(const char *a, const char *b) {
    unsigned rows[3][MOST + 1];
    size_t n = strnlen(a, MOST), m = strnlen(b, MOST);
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = least(least(last[j] + 1, row[j - 1] + 1), last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        unsigned *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[m];
}

void refrain_suggest(struct refrain_suggestion *suggestion, const char *name) {
    size_t n = strlen(suggestion->typed);
    unsigned distance = refrain_suggest_distance(suggestion->typed, name);
    /* What was left off at the end of a name costs less than other mistakes. */
    if (n >= 2 && strncmp(suggestion->typed, name, n) == 0)
        distance = 1;
    if (distance > 2 || distance >= strlen(name) || distance >= n ||
        (suggestion->name && distance >= suggestion->distance))
        return;
    suggestion->name = name;
    suggestion->distance = distance;
}
