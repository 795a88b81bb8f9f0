/* proxy_values.c: writes the values of a proxy as expressions of C (proxy.h).
 *
 *     each rank has one value          7     (rank + 1) % ranks     rank ^ 2     rank == 0     v12d[rank]
 *     a rank has several               next(&q12d)     (rank + next(&q12d)) % ranks
 *
 * The values that next() returns are runs: (count, first value, step). When all runs of a rank are used, they begin
 * again, so of values that repeat one period is enough. Ranks with the same values share a table, also if the values
 * are the same only relative to the rank. A rank that never comes to this point may have any values. */
#include "predict/proxy.h"

#include <inttypes.h>

#define LINE 110 /* columns after which a table's line ends */

/* What is done with a value before it is compared with those of other ranks, and undone in the expression. */
enum relation { EQUAL, SHIFTED, ROTATED, EXCHANGED, RELATIONS };

struct run {
    uint64_t count;
    int64_t value, step;
};

struct runs {
    struct run *all;
    size_t n, capacity;
};

struct values {
    const struct refrain_proxy *proxy;
    const struct refrain_proxy_list *lists;
    const char *name;
    FILE *tables, *out;
};

static int64_t rank_of(const struct values *values, size_t r) {
    return values->proxy->trace->processes[r].rank;
}

static int64_t related(const struct values *values, enum relation relation, size_t r, int64_t value) {
    int64_t rank = rank_of(values, r), n = (int64_t)values->proxy->n_ranks;
    switch (relation) {
    case SHIFTED:
        return (int64_t)((uint64_t)value - (uint64_t)rank);
    case ROTATED: /* only of ranks: what is none is different on each rank */
        return value < 0 || value >= n ? INT64_MAX - rank : (value - rank + n) % n;
    case EXCHANGED:
        return value ^ rank;
    default:
        return value;
    }
}

/* ---- one value a rank ---- */

static bool is_constant(const struct refrain_proxy_list *list) {
    return !list->all;
}

static size_t first_rank(const struct values *values) {
    size_t r = 0;
    while (r < values->proxy->n_ranks && !values->lists[r].n)
        r++;
    return r;
}

/* True if the related values of all ranks are equal. */
static bool agree(const struct values *values, enum relation relation, int64_t *common) {
    size_t first = first_rank(values);
    *common = related(values, relation, first, values->lists[first].same);
    for (size_t r = first; r < values->proxy->n_ranks; r++)
        if (values->lists[r].n && related(values, relation, r, values->lists[r].same) != *common)
            return false;
    return true;
}

static void write_relation(const struct values *values, enum relation relation, int64_t value) {
    if (relation == EQUAL)
        fprintf(values->out, "%" PRId64, value);
    else if (relation == SHIFTED && value == 0)
        fputs("rank", values->out);
    else if (relation == SHIFTED)
        fprintf(values->out, "(rank %c %" PRIu64 ")", value < 0 ? '-' : '+',
                value < 0 ? -(uint64_t)value : (uint64_t)value);
    else if (relation == ROTATED)
        fprintf(values->out, "((rank + %" PRId64 ") %% ranks)", value);
    else
        fprintf(values->out, "(rank ^ %" PRId64 ")", value);
}

/* Of two values of which one is that of a single rank: writes a choice by the rank, or for 0 and 1, in a condition, the
 * comparison alone. False if no rank is such an exception. */
static bool write_exception(const struct values *values, bool is_condition) {
    const struct refrain_proxy_list *lists = values->lists;
    size_t n = values->proxy->n_ranks, first = first_rank(values);
    for (size_t alone = 0; alone < n; alone++) {
        if (!lists[alone].n)
            continue;
        size_t other = alone == first ? alone + 1 : first;
        while (other < n && !lists[other].n)
            other++;
        bool same = other < n;
        for (size_t r = 0; r < n && same; r++)
            same = r == alone || !lists[r].n || lists[r].same == lists[other].same;
        if (!same)
            continue;
        int64_t one = lists[alone].same, rest = lists[other].same;
        if (is_condition && one + rest == 1 && one * rest == 0)
            fprintf(values->out, "rank %s %" PRId64, one ? "==" : "!=", rank_of(values, alone));
        else
            fprintf(values->out, "(rank == %" PRId64 " ? %" PRId64 " : %" PRId64 ")", rank_of(values, alone), one,
                    rest);
        return true;
    }
    return false;
}

/* Writes the entries of a table, with line breaks. */
static void write_number(FILE *tables, size_t *column, int64_t number) {
    *column += (size_t)fprintf(tables, "%s%" PRId64 ",", *column > LINE ? "\n    " : " ", number);
    *column = *column > LINE + 30 ? 4 : *column;
}

static void write_by_rank(const struct values *values) {
    size_t column = (size_t)fprintf(values->tables, "static const long long v%s[] = {", values->name);
    for (size_t r = 0; r < values->proxy->n_ranks; r++)
        write_number(values->tables, &column, values->lists[r].n ? values->lists[r].same : 0);
    fputs("};\n", values->tables);
    fprintf(values->out, "v%s[rank]", values->name);
}

static void write_single(const struct values *values, bool is_condition) {
    int64_t common;
    if (is_condition && write_exception(values, true))
        return;
    for (enum relation relation = EQUAL; relation < RELATIONS; relation++)
        if (agree(values, relation, &common) && (relation == EQUAL || values->proxy->n_ranks > 2)) {
            write_relation(values, relation, common);
            return;
        }
    if (!write_exception(values, false))
        write_by_rank(values);
}

/* ---- several values a rank ---- */

static bool lists_agree(const struct values *values, enum relation relation, size_t a, size_t b) {
    const struct refrain_proxy_list *first = &values->lists[a], *second = &values->lists[b];
    if (first->n != second->n)
        return false;
    for (size_t i = 0; i < first->n; i++)
        if (related(values, relation, a, refrain_proxy_at(first, i)) !=
            related(values, relation, b, refrain_proxy_at(second, i)))
            return false;
    return true;
}

static bool all_agree(const struct values *values, enum relation relation) {
    size_t first = first_rank(values);
    for (size_t r = first + 1; r < values->proxy->n_ranks; r++)
        if (values->lists[r].n && !lists_agree(values, relation, first, r))
            return false;
    return true;
}

/* The longest run that begins at the i-th value. A run of different values has at least three. */
static struct run run_at(const struct values *values, enum relation relation, size_t r, size_t i) {
    const struct refrain_proxy_list *list = &values->lists[r];
    int64_t first = related(values, relation, r, refrain_proxy_at(list, i));
    struct run run = {.count = 1, .value = first};
    if (i + 1 == list->n)
        return run;
    uint64_t step = (uint64_t)related(values, relation, r, refrain_proxy_at(list, i + 1)) - (uint64_t)first;
    uint64_t next = (uint64_t)first + step;
    while (i + run.count < list->n &&
           (uint64_t)related(values, relation, r, refrain_proxy_at(list, i + run.count)) == next) {
        run.count++;
        next += step;
    }
    if (step && run.count < 3)
        run.count = 1;
    run.step = run.count > 1 ? (int64_t)step : 0;
    return run;
}

static bool same_run(const struct run *a, const struct run *b) {
    return a->value == b->value && a->step == b->step && a->count == b->count;
}

/* Shortens runs that repeat to one period; the last repetition may be incomplete. */
static bool find_period(struct runs *runs) {
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
    const struct run *last = n ? &runs->all[n - 1] : NULL, *twin = n ? &runs->all[whole % (period ? period : 1)] : NULL;
    if (whole && period < whole && last->value == twin->value && last->step == twin->step && last->count <= twin->count)
        runs->n = period;
    else if (whole && period < whole && last->value == twin->value && last->count == 1)
        runs->n = period;
    free(border);
    return true;
}

static bool find_runs(const struct values *values, enum relation relation, size_t r, struct runs *runs) {
    *runs = (struct runs){0};
    for (size_t i = 0; i < values->lists[r].n;) {
        if (!REFRAIN_ARRAY_ROOM(runs->all, runs->n, runs->capacity))
            return false;
        runs->all[runs->n] = run_at(values, relation, r, i);
        i += runs->all[runs->n++].count;
    }
    return find_period(runs);
}

/* Writes the runs of a rank, and returns their number; 0 without memory. */
static size_t write_runs(const struct values *values, enum relation relation, size_t r) {
    struct runs runs;
    bool found = find_runs(values, relation, r, &runs);
    size_t column = (size_t)fprintf(values->tables, "static const struct run r%s_%zu[] = {", values->name, r);
    for (size_t i = 0; i < runs.n && found; i++) {
        if (column > LINE)
            column = (size_t)fprintf(values->tables, "\n    ");
        column += (size_t)fprintf(values->tables, "{%" PRIu64 ", %" PRId64 ", %" PRId64 "},", runs.all[i].count,
                                  runs.all[i].value, runs.all[i].step);
    }
    fputs("};\n", values->tables);
    free(runs.all);
    return found ? runs.n : 0;
}

/* Writes a sequence: the runs of each rank, of which equal ones are written once. */
static void write_sequence(const struct values *values, enum relation relation, bool shared) {
    size_t n = values->proxy->n_ranks, *like = calloc(n, sizeof *like), *length = calloc(n, sizeof *length);
    for (size_t r = 0; like && length && r < n; r++) {
        like[r] = shared ? first_rank(values) : r;
        for (size_t before = 0; !shared && before < r && like[r] == r; before++)
            if (like[before] == before && values->lists[r].n && lists_agree(values, relation, before, r))
                like[r] = before;
        if (like[r] == r && values->lists[r].n)
            length[r] = write_runs(values, relation, r);
    }
    fprintf(values->tables, "static const struct runs o%s[] = {", values->name);
    for (size_t r = 0; like && length && r < n; r++) {
        size_t of = like[r];
        if (length[of])
            fprintf(values->tables, "%s{r%s_%zu, %zu},", r % 6 == 5 ? "\n    " : " ", values->name, of, length[of]);
        else
            fprintf(values->tables, " {0, 0},");
        if (shared)
            break;
    }
    fprintf(values->tables, "};\nstatic struct sequence q%s = {.of = o%s, .by_rank = %d};\n", values->name,
            values->name, !shared);
    free(like);
    free(length);
}

static void write_several(const struct values *values) {
    for (enum relation relation = EQUAL; relation < RELATIONS; relation++) {
        if (!all_agree(values, relation))
            continue;
        write_sequence(values, relation, true);
        static const char *const before[] = {"", "rank + ", "(rank + ", "rank ^ "};
        fprintf(values->out, "%snext(&q%s)%s", before[relation], values->name, relation == ROTATED ? ") % ranks" : "");
        return;
    }
    write_sequence(values, EQUAL, false);
    fprintf(values->out, "next(&q%s)", values->name);
}

bool refrain_proxy_always(const struct refrain_proxy *proxy, const struct refrain_proxy_list *lists, int64_t value) {
    for (size_t r = 0; r < proxy->n_ranks; r++)
        if (lists[r].n && (!is_constant(&lists[r]) || lists[r].same != value))
            return false;
    return true;
}

static bool write(const struct refrain_proxy *proxy, const struct refrain_proxy_list *lists, bool is_condition,
                  const char *name, FILE *tables, FILE *out) {
    struct values values = {.proxy = proxy, .lists = lists, .name = name, .tables = tables, .out = out};
    bool single = true;
    for (size_t r = 0; r < proxy->n_ranks; r++)
        single &= is_constant(&lists[r]);
    if (first_rank(&values) == proxy->n_ranks)
        putc('0', out);
    else if (single)
        write_single(&values, is_condition);
    else
        write_several(&values);
    return !single;
}

bool refrain_proxy_write_value(const struct refrain_proxy *proxy, const struct refrain_proxy_list *lists,
                               const char *name, FILE *tables, FILE *out) {
    return write(proxy, lists, false, name, tables, out);
}

void refrain_proxy_write_condition(const struct refrain_proxy *proxy, const struct refrain_proxy_list *lists,
                                   const char *name, FILE *tables, FILE *out) {
    write(proxy, lists, true, name, tables, out);
}
