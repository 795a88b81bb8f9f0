/* amr.c: a blob carried around a periodic square on a mesh that refines where the blob is.
 *
 * Finite volumes with upwind fluxes on the leaves of a quadtree. Every few steps leaves are refined or coarsened by
 * their gradient, the list of leaves is dealt anew along a space-filling curve and values move to their new ranks; so
 * who is a neighbour, and how much is exchanged, changes throughout the run. Mass must stay and no value may leave [0,
 * 1].
 */
#include "share.h"

#include <math.h>
#include <stdlib.h>

#define STEPS_PER_ADAPTION 4
#define COURANT 0.4
#define REFINE_ABOVE 0.04
#define COARSEN_BELOW 0.012
#define TURN 0.02 /* angle by which the wind turns in a step */

static const struct workload_spec spec = {
    .name = "amr",
    .purpose = "transport on an adaptive quadtree: neighbours and loads change as it refines",
    .size_meaning = "coarsest cells a side",
    .size = 48,
    .size_minimum = 1,
    .size_maximum = 1000,
    .iteration_meaning = "time steps",
    .iterations = 400,
    .ranks = WORKLOAD_ANY,
};

static double blob(double x, double y) {
    return exp(-40 * (SQUARE(x - 0.5) + SQUARE(y - 0.35)));
}

static void set_blob(struct share *s) {
    for (int i = 0; i < s->n_own; i++) {
        const struct leaf *leaf = &s->tree.leaves[s->first + i];
        double half = leaf_size(leaf) / 2.0;
        s->value[i] = blob((leaf->x + half) / s->tree.units, (leaf->y + half) / s->tree.units);
    }
}

static void adapt(struct share *s) {
    signed char *flags = NEW(signed char, s->n_own);
    double *steepest = NEW(double, s->n_own);
    share_exchange(s);
    for (int f = 0; f < s->n_faces; f++) {
        const struct face *face = &s->faces[f];
        steepest[face->own] = fmax(steepest[face->own], fabs(s->value[face->own] - s->value[face->other]));
    }
    for (int i = 0; i < s->n_own; i++)
        flags[i] = steepest[i] > REFINE_ABOVE ? FLAG_REFINE : steepest[i] < COARSEN_BELOW ? FLAG_COARSEN : FLAG_KEEP;
    share_adapt(s, flags);
    free(steepest);
    free(flags);
}

static void advance(struct share *s, const double wind[2]) {
    double *gain = NEW(double, s->n_own);
    share_exchange(s);
    for (int f = 0; f < s->n_faces; f++) {
        const struct face *face = &s->faces[f];
        double outward = wind[face->axis] * face->side;
        double upwind = s->value[outward > 0 ? face->own : face->other];
        gain[face->own] -= COURANT * outward * upwind * face->length;
    }
    for (int i = 0; i < s->n_own; i++)
        s->value[i] += gain[i] / SQUARE((double)leaf_size(&s->tree.leaves[s->first + i]));
    free(gain);
}

struct summary {
    double mass, lowest, highest;
};

static struct summary summarise(const struct share *s) {
    struct summary sum = {0, 0, 0};
    for (int i = 0; i < s->n_own; i++) {
        sum.mass += s->value[i] * SQUARE((double)leaf_size(&s->tree.leaves[s->first + i]));
        sum.lowest = fmin(sum.lowest, s->value[i]);
        sum.highest = fmax(sum.highest, s->value[i]);
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum.mass, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &sum.lowest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &sum.highest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv) {
    struct workload w;
    struct share s;
    double leaves = 0;

    workload_begin(&w, &spec, &argc, &argv);
    workload_require(&w, w.size * w.size >= w.ranks, "--size %ld gives some of %d ranks no cell: take more", w.size,
                     w.ranks);
    share_open(&s, &w);
    set_blob(&s);
    for (int level = 0; level < MOST_LEVELS; level++) {
        adapt(&s);
        set_blob(&s);
    }
    struct summary before = summarise(&s);
    workload_start(&w);

    for (long step = 0; step < w.iterations; step++) {
        double angle = TURN * (double)step, wind[2] = {cos(angle), sin(angle)};
        advance(&s, wind);
        if (step % STEPS_PER_ADAPTION == STEPS_PER_ADAPTION - 1)
            adapt(&s);
        leaves += s.tree.n;
        workload_lap();
    }
    struct summary after = summarise(&s);
    bool verified = workload_close(after.mass, before.mass, 1e-11) && after.lowest > -1e-12 &&
                    after.highest < 1 + 1e-12 && after.highest > 0;
    share_close(&s);
    return workload_end(&w, verified, leaves);
}
