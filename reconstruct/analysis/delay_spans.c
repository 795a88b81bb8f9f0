/* delay_spans.c: keeps the recent activities of a rank (delay_spans.h). */
#include "analysis/delay_spans.h"

#include <stdlib.h>
#include <string.h>

#define ROOM (2 * REFRAIN_DELAY_SPANS)

/* Drops the older half of the list when it is full. */
static bool make_room(struct refrain_delay_spans *list) {
    if (!list->spans && !(list->spans = malloc(ROOM * sizeof *list->spans)))
        return false;
    if (list->n < ROOM)
        return true;
    for (size_t i = 0; i < ROOM - REFRAIN_DELAY_SPANS; i++)
        free(list->spans[i].roots);
    memmove(list->spans, list->spans + ROOM - REFRAIN_DELAY_SPANS, REFRAIN_DELAY_SPANS * sizeof *list->spans);
    list->n = REFRAIN_DELAY_SPANS;
    return true;
}

bool refrain_delay_spans_add(struct refrain_delay_spans *list, int64_t begin_ns, int64_t end_ns,
                             struct refrain_delay_place *place, struct refrain_delay_roots *roots) {
    if (!make_room(list)) {
        free(roots);
        return false;
    }
    struct refrain_delay_span *last = list->n ? &list->spans[list->n - 1] : NULL;
    if (last && place && last->place == place && last->end_ns == begin_ns)
        last->end_ns = end_ns;
    else
        list->spans[list->n++] = (struct refrain_delay_span){begin_ns, end_ns, place, roots};
    return true;
}

size_t refrain_delay_spans_after(const struct refrain_delay_spans *list, int64_t ns) {
    size_t from = 0, to = list->n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (list->spans[middle].end_ns > ns)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

static void insert(struct refrain_delay_spans *list, size_t at, struct refrain_delay_span span) {
    memmove(list->spans + at + 1, list->spans + at, (list->n - at) * sizeof *list->spans);
    list->spans[at] = span;
    list->n++;
}

struct refrain_delay_place *refrain_delay_spans_cut(struct refrain_delay_spans *list, int64_t begin_ns, int64_t end_ns,
                                                    struct refrain_delay_roots *roots) {
    size_t at = refrain_delay_spans_after(list, begin_ns);
    bool whole = at < list->n && list->spans[at].begin_ns <= begin_ns && list->spans[at].end_ns >= end_ns &&
                 list->spans[at].place && list->n + 2 <= ROOM;
    if (!whole) {
        free(roots);
        return NULL;
    }
    struct refrain_delay_span span = list->spans[at];
    list->spans[at] = (struct refrain_delay_span){begin_ns, end_ns, NULL, roots};
    if (span.end_ns > end_ns)
        insert(list, at + 1, (struct refrain_delay_span){end_ns, span.end_ns, span.place, NULL});
    if (span.begin_ns < begin_ns)
        insert(list, at, (struct refrain_delay_span){span.begin_ns, begin_ns, span.place, NULL});
    return span.place;
}

void refrain_delay_spans_close(struct refrain_delay_spans *list) {
    for (size_t i = 0; i < list->n; i++)
        free(list->spans[i].roots);
    free(list->spans);
}

void refrain_delay_roots_add(struct refrain_delay_roots *roots, const struct refrain_delay_root *root) {
    struct refrain_delay_root *lightest = &roots->roots[0];
    for (uint32_t i = 0; i < roots->n; i++) {
        struct refrain_delay_root *at = &roots->roots[i];
        if (at->place == root->place && at->rank == root->rank) {
            at->weight += root->weight;
            return;
        }
        lightest = at->weight < lightest->weight ? at : lightest;
    }
    if (roots->n < REFRAIN_DELAY_ROOTS)
        roots->roots[roots->n++] = *root;
    else if (lightest->weight < root->weight)
        *lightest = *root;
}

void refrain_delay_roots_scale(struct refrain_delay_roots *roots) {
    double sum = 0;
    for (uint32_t i = 0; i < roots->n; i++)
        sum += roots->roots[i].weight;
    for (uint32_t i = 0; i < roots->n; i++)
        roots->roots[i].weight /= sum;
}
