/* mg.c: the kernel MG of the NAS Parallel Benchmarks (RNR-94-007, section 2.2.2).
 *
 * V-cycles for a Poisson equation on a periodic cube, whose right-hand side is +1 at ten points and -1 at ten others.
 * All levels exchange faces with the neighbours in three directions, in the same order every time but with other sizes;
 * the coarsest are gathered (level.h).
 */
#include "../common/lcg.h"
#include "../common/workload.h"
#include "level.h"
#include "operators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHARGES 10

static const struct workload_spec spec = {
    .name = "mg",
    .purpose = "multigrid V-cycles on a periodic cube dealt in bricks (NAS MG)",
    .size_meaning = "points a side of the cube, a power of two",
    .size = 32,
    .size_minimum = 4,
    .size_maximum = 1024,
    .iteration_meaning = "V-cycles",
    .iterations = 200,
    .ranks = WORKLOAD_POWER_OF_TWO,
};

/* Published norms of the residual. */
static const struct {
    long size, iterations;
    double norm;
} published[] = {{32, 4, 0.5307707005734e-4}, {128, 4, 0.6467329375339e-5}, {256, 4, 0.2433365309069e-5}};

struct solver {
    struct layout layout;
    struct level levels[MOST_LEVELS]; /* [k]: 2^k points a side */
    int top;
    double *v;
};

struct charge {
    double value;
    long point; /* in the cube, to know it again */
};

/* Keeps the CHARGES largest of value * sign, largest first. */
static void offer(struct charge *best, double value, long point, int sign) {
    int i = CHARGES;
    if (best[CHARGES - 1].point >= 0 && value * sign <= best[CHARGES - 1].value * sign)
        return;
    for (i = CHARGES - 1; i > 0 && (best[i - 1].point < 0 || value * sign > best[i - 1].value * sign); i--)
        best[i] = best[i - 1];
    best[i] = (struct charge){value, point};
}

/* Sets `charge` at the CHARGES points with the largest (sign 1) or smallest (-1) random numbers of the cube. */
static void set_charges(struct solver *s, const struct workload *w, int sign) {
    const struct level *l = &s->levels[s->top];
    struct charge best[CHARGES], *all = NEW(struct charge, (long)CHARGES * w->ranks);
    for (int i = 0; i < CHARGES; i++)
        best[i] = (struct charge){0, -1};
    FOR_LINES(l, y, z) {
        long first = ((long)(l->offset[2] + z - 1) * w->size + l->offset[1] + y - 1) * w->size + l->offset[0];
        uint64_t random = lcg_skip(LCG_SEED, (uint64_t)first);
        for (int x = 0; x < l->n[0]; x++)
            offer(best, lcg_next(&random), first + x, sign);
    }
    MPI_Allgather(best, sizeof best, MPI_BYTE, all, sizeof best, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < CHARGES; i++)
        best[i] = (struct charge){0, -1};
    for (int i = 0; i < CHARGES * w->ranks; i++)
        if (all[i].point >= 0)
            offer(best, all[i].value, all[i].point, sign);
    for (int i = 0; i < CHARGES; i++) {
        long x = best[i].point % w->size - l->offset[0], y = best[i].point / w->size % w->size - l->offset[1];
        long z = best[i].point / w->size / w->size - l->offset[2];
        if (x >= 0 && x < l->n[0] && y >= 0 && y < l->n[1] && z >= 0 && z < l->n[2])
            s->v[POINT(l, x + 1, y + 1, z + 1)] = sign;
    }
    free(all);
}

static void clear(const struct level *l, double *array) {
    memset(array, 0, (size_t)LEVEL_POINTS(l) * sizeof *array);
}

static void v_cycle(struct solver *s) {
    struct level *l = s->levels, *top = &l[s->top];
    for (int k = s->top; k > 1; k--)
        operator_restrict(&l[k], &l[k - 1]);
    clear(&l[1], l[1].u);
    operator_smooth(&l[1], l[1].r, l[1].u);
    for (int k = 2; k < s->top; k++) {
        clear(&l[k], l[k].u);
        operator_prolong(&l[k - 1], &l[k]);
        operator_residual(&l[k], l[k].u, l[k].r, l[k].r);
        operator_smooth(&l[k], l[k].r, l[k].u);
    }
    operator_prolong(&l[s->top - 1], top);
    operator_residual(top, top->u, s->v, top->r);
    operator_smooth(top, top->r, top->u);
}

static double residual_norm(struct solver *s, const struct workload *w) {
    struct level *top = &s->levels[s->top];
    operator_residual(top, top->u, s->v, top->r);
    return sqrt(level_square(top, top->r) / pow((double)w->size, 3));
}

static void set_up(struct solver *s, const struct workload *w) {
    layout_open(&s->layout, w);
    for (s->top = 0; 1L << s->top < w->size; s->top++)
        ;
    for (int k = 1; k <= s->top; k++)
        level_open(&s->levels[k], &s->layout, k);
    workload_require(w, s->levels[s->top].spread, "--size %ld gives %d ranks less than two points a side: take more",
                     w->size, w->ranks);
    s->v = NEW(double, LEVEL_POINTS(&s->levels[s->top]));
    set_charges(s, w, 1);
    set_charges(s, w, -1);
    level_exchange(&s->levels[s->top], s->v);
}

static bool verify(const struct workload *w, double first, double last) {
    for (unsigned i = 0; i < sizeof published / sizeof *published; i++)
        if (published[i].size == w->size && published[i].iterations == w->iterations)
            return workload_close(last, published[i].norm, 1e-8);
    /* Each cycle takes at least half of what is left, down to rounding. */
    return last <= first * fmax(pow(0.5, (double)w->iterations), 1e-12);
}

int main(int argc, char **argv) {
    struct workload w;
    struct solver s;

    workload_begin(&w, &spec, &argc, &argv);
    workload_require(&w, (w.size & (w.size - 1)) == 0, "--size %ld is not a power of two", w.size);
    set_up(&s, &w);
    double first = residual_norm(&s, &w), last = first;
    workload_start(&w);

    for (long cycle = 0; cycle < w.iterations; cycle++) {
        v_cycle(&s);
        last = residual_norm(&s, &w);
        workload_lap();
    }
    for (int k = 1; k <= s.top; k++)
        level_close(&s.levels[k]);
    layout_close(&s.layout);
    free(s.v);
    return workload_end(&w, verify(&w, first, last), last);
}
