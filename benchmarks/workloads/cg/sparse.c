/* sparse.c: making the matrix: a sum of outer products of random sparse vectors, whose weights fall geometrically. */
#include "sparse.h"
#include "../common/lcg.h"
#include "../common/workload.h"

#include <math.h>
#include <stdlib.h>

#define CONDITION 0.1
#define DIAGONAL_VALUE 0.5
#define MOST_NONZEROS 32

struct entry {
    int row, column;
    double value;
};

struct entries {
    struct entry *list;
    long n, capacity;
};

struct sparse_class sparse_class_of(long size) {
    static const struct sparse_class published[] = {
        {1400, 7, 10, 8.5971775078648, 15},
        {7000, 8, 12, 10.362595087124, 15},
        {14000, 11, 20, 17.130235054029, 15},
    };
    for (unsigned i = 0; i < sizeof published / sizeof *published; i++)
        if (published[i].size == size)
            return published[i];
    return (struct sparse_class){size, 7, 10, 0, 0};
}

static void add_entry(struct entries *e, int row, int column, double value) {
    if (e->n == e->capacity) {
        e->capacity = 2 * e->capacity + 1024;
        e->list = realloc(e->list, (size_t)e->capacity * sizeof *e->list);
        if (!e->list)
            MPI_Abort(MPI_COMM_WORLD, 2);
    }
    e->list[e->n++] = (struct entry){row, column, value};
}

/* A sparse vector with `nonzeros` random places and one set to DIAGONAL_VALUE; returns how many it has. */
static int random_vector(uint64_t *random, long size, int nonzeros, int fixed, int *place, double *value) {
    long span = 1;
    int n = 0, at;
    while (span < size)
        span *= 2;
    while (n < nonzeros) {
        double v = lcg_next(random);
        int candidate = (int)((double)span * lcg_next(random));
        for (at = 0; at < n && place[at] != candidate; at++)
            ;
        if (candidate >= size || at < n)
            continue;
        place[n] = candidate;
        value[n++] = v;
    }
    for (at = 0; at < n && place[at] != fixed; at++)
        ;
    place[at] = fixed;
    value[at] = DIAGONAL_VALUE;
    return at == n ? n + 1 : n;
}

static int compare_entries(const void *a, const void *b) {
    const struct entry *p = a, *q = b;
    return p->row != q->row ? (p->row > q->row) - (p->row < q->row) : (p->column > q->column) - (p->column < q->column);
}

/* Sorts the entries and adds up those at the same place. */
static void compress(struct sparse *s, struct entries *e) {
    int n = 0, previous_row = -1;
    qsort(e->list, (size_t)e->n, sizeof *e->list, compare_entries);
    s->row_start = NEW(int, s->rows + 1);
    s->column = NEW(int, e->n);
    s->value = NEW(double, e->n);
    for (long i = 0; i < e->n; i++) {
        const struct entry *entry = &e->list[i];
        if (n > 0 && entry->row == previous_row && s->column[n - 1] == entry->column) {
            s->value[n - 1] += entry->value;
            continue;
        }
        while (previous_row < entry->row)
            s->row_start[++previous_row] = n;
        s->column[n] = entry->column;
        s->value[n++] = entry->value;
    }
    while (previous_row < s->rows)
        s->row_start[++previous_row] = n;
}

#define INSIDE(x, begin, end) ((x) >= (begin) && (x) < (end))

void sparse_open(struct sparse *s, const struct sparse_class *c, long row_begin, long row_end, long column_begin,
                 long column_end) {
    struct entries entries = {0};
    uint64_t random = lcg_skip(LCG_SEED, 1);
    double weight = 1, ratio = pow(CONDITION, 1.0 / (double)c->size);
    int place[MOST_NONZEROS];
    double value[MOST_NONZEROS];
    *s = (struct sparse){.rows = (int)(row_end - row_begin), .columns = (int)(column_end - column_begin)};
    for (int outer = 0; outer < c->size; outer++) {
        int n = random_vector(&random, c->size, c->nonzeros, outer, place, value);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (INSIDE(place[i], row_begin, row_end) && INSIDE(place[j], column_begin, column_end))
                    add_entry(&entries, (int)(place[i] - row_begin), (int)(place[j] - column_begin),
                              value[i] * value[j] * weight);
        weight *= ratio;
        if (INSIDE(outer, row_begin, row_end) && INSIDE(outer, column_begin, column_end))
            add_entry(&entries, (int)(outer - row_begin), (int)(outer - column_begin), CONDITION - c->shift);
    }
    compress(s, &entries);
    free(entries.list);
}

void sparse_close(struct sparse *s) {
    free(s->row_start);
    free(s->column);
    free(s->value);
}

void sparse_multiply(const struct sparse *s, const double *x, double *y) {
    for (int row = 0; row < s->rows; row++) {
        double sum = 0;
        for (int k = s->row_start[row]; k < s->row_start[row + 1]; k++)
            sum += s->value[k] * x[s->column[k]];
        y[row] = sum;
    }
}
