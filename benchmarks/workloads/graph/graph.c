/* graph.c: breadth-first search as in the Graph500 benchmark: a Kronecker graph, vertices dealt to ranks, edges to
 * other ranks' vertices followed by small messages. Each iteration searches from another vertex and checks the tree. */
#include "../common/lcg.h"
#include "../common/workload.h"
#include "post.h"

#include <stdlib.h>

#define EDGES_PER_VERTEX 16

static const struct workload_spec spec = {
    .name = "graph",
    .purpose = "breadth-first search in a Kronecker graph (Graph500)",
    .size_meaning = "binary logarithm of the number of vertices",
    .size = 15,
    .size_minimum = 6,
    .size_maximum = 24,
    .iteration_meaning = "searches",
    .iterations = 20,
    .ranks = WORKLOAD_ANY,
};

static struct workload w;
static long n_vertices, n_own;
static long *first_edge, *edges; /* of own vertices */
static long *parent, *level;     /* of own vertices; -1: not found */
static long *next, n_next, depth;

static int owner(long vertex) {
    return (int)(vertex % w.ranks);
}

static long local(long vertex) {
    return vertex / w.ranks;
}

static long global(long own) {
    return own * w.ranks + w.rank;
}

/* An end of an edge: a bit more at each scale, as the four quarters of the matrix have unequal shares. */
static void draw(uint64_t *state, long *from, long *to) {
    *from = *to = 0;
    for (int scale = 0; scale < (int)w.size; scale++) {
        double chance = lcg_next(state);
        *from = *from * 2 + (chance > 0.76);
        *to = *to * 2 + ((chance > 0.57 && chance <= 0.76) || chance > 0.95);
    }
}

static void count_edge(long from, long to) {
    (void)to;
    first_edge[local(from) + 1]++;
}

static void keep_edge(long from, long to) {
    edges[first_edge[local(from)]++] = to;
}

/* Both directions of each edge, on the ranks of their beginnings. */
static void each_edge(post_handler *handler) {
    uint64_t state = LCG_SEED;
    for (long i = 0; i < n_vertices * EDGES_PER_VERTEX; i++) {
        long from, to;
        draw(&state, &from, &to);
        if (owner(from) == w.rank)
            handler(from, to);
        if (owner(to) == w.rank)
            handler(to, from);
    }
}

static void build(void) {
    n_vertices = 1L << w.size;
    n_own = (n_vertices - w.rank + w.ranks - 1) / w.ranks;
    first_edge = NEW(long, n_own + 2);
    each_edge(count_edge);
    for (long v = 0; v < n_own; v++)
        first_edge[v + 1] += first_edge[v];
    edges = NEW(long, first_edge[n_own] + 1);
    each_edge(keep_edge);
    for (long v = n_own; v > 0; v--)
        first_edge[v] = first_edge[v - 1];
    first_edge[0] = 0;
    parent = NEW(long, n_own);
    level = NEW(long, n_own);
    next = NEW(long, n_own);
}

/* Is the vertex new? A level's messages may meet the one that found it. */
static void visit(long vertex, long from) {
    long v = local(vertex);
    if (parent[v] < 0) {
        parent[v] = from;
        level[v] = depth;
        next[n_next++] = v;
    }
}

static void follow(long v) {
    for (long e = first_edge[v]; e < first_edge[v + 1]; e++)
        post(owner(edges[e]), edges[e], global(v));
}

static void search(long root) {
    long *now = NEW(long, n_own), n_now, n_all = 1;
    for (long v = 0; v < n_own; v++)
        parent[v] = level[v] = -1;
    n_next = depth = 0;
    if (owner(root) == w.rank)
        visit(root, root);
    while (n_all > 0) {
        long *swapped = now;
        now = next;
        next = swapped;
        n_now = n_next;
        n_next = 0;
        depth++;
        for (long i = 0; i < n_now; i++)
            follow(now[i]);
        post_drain();
        MPI_Allreduce(&n_next, &n_all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
    free(now);
}

/* What a vertex was found from lies one level above it: checked by the parent's rank, which knows its level. */
static long wrong, checked;
static void check_level(long vertex, long found_at) {
    checked++;
    wrong += level[local(vertex)] != found_at - 1;
}

int main(int argc, char **argv) {
    bool good = true;
    long found = 0;
    workload_begin(&w, &spec, &argc, &argv);
    build();
    workload_start(&w);
    for (long i = 0; i < w.iterations; i++) {
        post_begin(w.rank, w.ranks, visit);
        search(i * 37 % 64); /* those with most edges come first */
        post_end();
        workload_lap();
    }
    wrong = checked = 0;
    post_begin(w.rank, w.ranks, check_level);
    for (long v = 0; v < n_own; v++)
        if (parent[v] >= 0 && parent[v] != global(v))
            post(owner(parent[v]), parent[v], level[v]);
    post_drain();
    post_end();
    MPI_Allreduce(&checked, &found, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    good = wrong == 0 && found > n_vertices / 4;
    return workload_end(&w, good, (double)found);
}
