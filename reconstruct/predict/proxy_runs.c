/* proxy_runs.c: a list of values as runs (proxy_runs.h). */
#include "predict/proxy_runs.h"

int64_t refrain_proxy_related(enum refrain_proxy_relation relation, int64_t rank, int64_t ranks, int64_t value) {
    switch (relation) {
    case REFRAIN_PROXY_SHIFTED:
        return (int64_t)((uint64_t)value - (uint64_t)rank);
    case REFRAIN_PROXY_ROTATED:
        return (value - rank + ranks) % ranks;
    case REFRAIN_PROXY_EXCHANGED:
        return value ^ rank;
    default:
        return value;
    }
}

static int64_t after(int64_t value, int64_t step) {
    if (step == REFRAIN_PROXY_DOUBLING)
        return (int64_t)((uint64_t)value * 2);
    if (step == REFRAIN_PROXY_HALVING)
        return value / 2;
    return (int64_t)((uint64_t)value + (uint64_t)step);
}

/* The longest run with this step that begins at the i-th of n values. */
static int64_t length_of(const int64_t *values, size_t n, size_t i, int64_t step) {
    size_t end = i + 1;
    while (end < n && values[end] == after(values[end - 1], step))
        end++;
    return (int64_t)(end - i);
}

static struct refrain_proxy_value_run run_at(const int64_t *values, size_t n, size_t i,
                                             enum refrain_proxy_style style) {
    struct refrain_proxy_value_run run = {.count = 1, .value = values[i]};
    if (i + 1 == n)
        return run;
    bool doubles = style == REFRAIN_PROXY_DOUBLING_TOO;
    int64_t second = values[i + 1], step = (int64_t)((uint64_t)second - (uint64_t)run.value);
    if (doubles && run.value > 0 && second % 2 == 0 && second / 2 == run.value)
        step = REFRAIN_PROXY_DOUBLING;
    else if (doubles && second > 0 && run.value % 2 == 0 && run.value / 2 == second)
        step = REFRAIN_PROXY_HALVING;
    int64_t count = length_of(values, n, i, step);
    bool is_run = step == 0 || count > 2 || step >= REFRAIN_PROXY_HALVING;
    run.count = is_run ? count : 1;
    run.step = is_run ? step : 0;
    return run;
}

static bool same_run(const struct refrain_proxy_value_run *a, const struct refrain_proxy_value_run *b) {
    return a->value == b->value && a->step == b->step && a->count == b->count;
}

/* Shortens runs that repeat to one period; the last repetition may be incomplete. */
static bool find_period(struct refrain_proxy_runs *runs) {
    size_t n = runs->n;
    size_t *border = calloc(n + 1, sizeof *border); /* of the first i runs: the longest end that is also their begin */
    if (!border)
        return false;
    size_t whole = n ? n - 1 : 0; /* without the last run, which may be cut off */
    for (size_t i = 1, k = 0; i < whole; i++) {
        while (k && !same_run(&runs->all[i], &runs->all[k]))
            k = border[k];
        k += same_run(&runs->all[i], &runs->all[k]);
        border[i + 1] = k;
    }
    size_t period = whole - border[whole];
    free(border);
    if (!whole || period >= whole)
        return true;
    const struct refrain_proxy_value_run *last = &runs->all[n - 1], *twin = &runs->all[whole % period];
    if (last->value == twin->value && (last->count == 1 || (last->step == twin->step && last->count <= twin->count)))
        runs->n = period;
    return true;
}

bool refrain_proxy_find_runs(const struct refrain_proxy_list *list, enum refrain_proxy_relation relation, int64_t rank,
                             int64_t ranks, enum refrain_proxy_style style, struct refrain_proxy_runs *runs) {
    *runs = (struct refrain_proxy_runs){0};
    int64_t *values = malloc((list->n + 1) * sizeof *values);
    bool found = values != NULL;
    for (size_t i = 0; found && i < list->n; i++)
        values[i] = refrain_proxy_related(relation, rank, ranks, refrain_proxy_at(list, i));
    for (size_t i = 0; found && i < list->n;) {
        found = REFRAIN_ARRAY_ROOM(runs->all, runs->n, runs->capacity) != 0;
        if (!found)
            break;
        runs->all[runs->n] = run_at(values, list->n, i, style);
        i += (size_t)runs->all[runs->n++].count;
    }
    free(values);
    return found && find_period(runs);
}
