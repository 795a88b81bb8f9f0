/* rank_list.c: writes sets of ranks as text, such as 0-3,7 (rank_list.h). */
#define _GNU_SOURCE
#include "analysis/rank_list.h"

#include <stdio.h>
#include <string.h>

#define LEAST_STEPS 3u /* fewest ranks that are written with a step above one */

/* Index of the next different rank. */
static size_t next_of(const int32_t *ranks, size_t n, size_t i) {
    size_t next = i + 1;
    while (next < n && ranks[next] == ranks[i])
        next++;
    return next;
}

char *refrain_rank_list(const int32_t *ranks, size_t n, bool steps) {
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        return NULL;
    for (size_t i = 0; i < n;) {
        size_t last = i, end = next_of(ranks, n, i), members = 1;
        int32_t step = end < n ? ranks[end] - ranks[i] : 1;
        for (size_t next = end; next < n && ranks[next] - ranks[last] == step; members++) {
            last = next;
            next = end = next_of(ranks, n, next);
        }
        if (step > 1 && (!steps || members < LEAST_STEPS)) {
            last = i;
            end = next_of(ranks, n, i);
        }
        fprintf(file, "%s%d", i ? "," : "", ranks[i]);
        if (last > i && step > 0)
            fprintf(file, "-%d", ranks[last]);
        if (last > i && step > 1)
            fprintf(file, ":%d", step);
        i = end;
    }
    fclose(file);
    return text;
}
