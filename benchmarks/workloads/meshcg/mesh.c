/* mesh.c: making the mesh, dealing it out, and the matrix-vector product. */
#include "mesh.h"
#include "../common/lcg.h"

#include <stdlib.h>
#include <string.h>

#define TAG_GHOSTS 11
#define EDGES 6
#define SHIFT 0.02 /* added to the diagonal of the Laplacian, so that it is regular */
#define NOWHERE (-1)

static const int edge_row[EDGES] = {-1, -1, 0, 0, 1, 1}, edge_column[EDGES] = {-1, 0, -1, 1, 0, 1};

static bool in_hole(int side, int node) {
    double r = (double)(node / side) / side - 0.6, c = (double)(node % side) / side - 0.45;
    return r * r + c * c < 0.03 && side > 8;
}

/* The node at an edge of `node`, or NOWHERE. */
static int across(int side, int node, int edge) {
    int r = node / side + edge_row[edge], c = node % side + edge_column[edge];
    if (r < 0 || c < 0 || r >= side || c >= side || in_hole(side, r * side + c))
        return NOWHERE;
    return r * side + c;
}

static double weight(int a, int b) {
    return 1 + 0.25 * ((a + b) % 5);
}

/* Owner of every node, NOWHERE in the hole; the same on all ranks. Null when nodes are too few. */
static int *deal_nodes(int side, int ranks) {
    int nodes = side * side, *owner = NEW(int, nodes), *seed = NEW(int, ranks), available = 0, chosen = 0;
    uint64_t random = LCG_SEED;
    for (int node = 0; node < nodes; node++) {
        owner[node] = NOWHERE;
        available += !in_hole(side, node);
    }
    while (chosen < ranks && ranks <= available) {
        int node = (int)(lcg_next(&random) * nodes);
        if (in_hole(side, node) || owner[node] != NOWHERE)
            continue;
        owner[node] = chosen;
        seed[chosen++] = node;
    }
    for (int node = 0; node < nodes && chosen == ranks; node++) {
        long nearest = 0, best = -1;
        if (in_hole(side, node))
            continue;
        for (int s = 0; s < ranks; s++) {
            long apart = SQUARE((long)(node / side - seed[s] / side)) + SQUARE((long)(node % side - seed[s] % side));
            if (best < 0 || apart < best) {
                best = apart;
                nearest = s;
            }
        }
        owner[node] = (int)nearest;
    }
    free(seed);
    if (chosen == ranks)
        return owner;
    free(owner);
    return NULL;
}

static bool touches(int side, const int *owner, int node, int rank) {
    for (int e = 0; e < EDGES; e++) {
        int other = across(side, node, e);
        if (other != NOWHERE && owner[other] == rank)
            return true;
    }
    return false;
}

static bool is_inner(int side, const int *owner, int node) {
    for (int e = 0; e < EDGES; e++) {
        int other = across(side, node, e);
        if (other != NOWHERE && owner[other] != owner[node])
            return false;
    }
    return true;
}

/* Numbers the own nodes, inner ones first. */
static void number_own(struct mesh *m, const int *owner, int *local, int rank) {
    for (int pass = 0; pass < 2; pass++) {
        for (int node = 0; node < SQUARE(m->side); node++)
            if (owner[node] == rank && is_inner(m->side, owner, node) == (pass == 0)) {
                local[node] = m->n_own;
                m->global[m->n_own++] = node;
            }
        if (pass == 0)
            m->n_inner = m->n_own;
    }
}

/* Both sides list the nodes on a border in the global order, so nothing has to be sent to agree on it. */
static void meet_neighbour(struct mesh *m, const int *owner, int *local, int rank, int other) {
    struct mesh_neighbour n = {.rank = other, .first_receive = m->n_own + m->n_ghosts, .send = NEW(int, m->n_own)};
    for (int node = 0; node < SQUARE(m->side); node++) {
        if (owner[node] == rank && touches(m->side, owner, node, other)) {
            n.send[n.n_send++] = local[node];
        } else if (owner[node] == other && touches(m->side, owner, node, rank)) {
            local[node] = n.first_receive + n.n_receive++;
            m->global[local[node]] = node;
        }
    }
    if (n.n_send == 0) {
        free(n.send);
        return;
    }
    n.buffer = NEW(double, n.n_send);
    m->n_ghosts += n.n_receive;
    m->neighbours[m->n_neighbours++] = n;
}

static void make_rows(struct mesh *m, const int *local) {
    int used = 0;
    for (int i = 0; i < m->n_own; i++) {
        m->row_start[i] = used;
        m->diagonal[i] = SHIFT;
        for (int e = 0; e < EDGES; e++) {
            int other = across(m->side, m->global[i], e);
            if (other == NOWHERE)
                continue;
            double strength = weight(m->global[i], other);
            m->diagonal[i] += strength;
            m->column[used] = local[other];
            m->entry[used++] = -strength;
        }
    }
    m->row_start[m->n_own] = used;
}

bool mesh_open(struct mesh *m, const struct workload *w) {
    int side = (int)w->size, nodes = SQUARE(side);
    int *owner = deal_nodes(side, w->ranks);
    if (!owner)
        return false;
    *m = (struct mesh){.side = side, .global = NEW(int, nodes), .neighbours = NEW(struct mesh_neighbour, w->ranks)};
    int *local = NEW(int, nodes);
    number_own(m, owner, local, w->rank);
    for (int other = 0; other < w->ranks; other++)
        if (other != w->rank)
            meet_neighbour(m, owner, local, w->rank, other);
    m->row_start = NEW(int, m->n_own + 1);
    m->column = NEW(int, (long)m->n_own *EDGES);
    m->entry = NEW(double, (long)m->n_own *EDGES);
    m->diagonal = NEW(double, m->n_own);
    m->requests = NEW(MPI_Request, 2L * m->n_neighbours);
    m->statuses = NEW(MPI_Status, 2L * m->n_neighbours);
    make_rows(m, local);
    free(local);
    free(owner);
    return true;
}

void mesh_close(struct mesh *m) {
    for (int i = 0; i < m->n_neighbours; i++) {
        free(m->neighbours[i].send);
        free(m->neighbours[i].buffer);
    }
    void *all[] = {m->neighbours, m->requests, m->statuses, m->global, m->row_start, m->column, m->entry, m->diagonal};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void multiply_rows(const struct mesh *m, const double *x, double *y, int begin, int end) {
    for (int i = begin; i < end; i++) {
        double sum = m->diagonal[i] * x[i];
        for (int k = m->row_start[i]; k < m->row_start[i + 1]; k++)
            sum += m->entry[k] * x[m->column[k]];
        y[i] = sum;
    }
}

void mesh_multiply(const struct mesh *m, double *x, double *y) {
    for (int i = 0; i < m->n_neighbours; i++) {
        struct mesh_neighbour *n = &m->neighbours[i];
        MPI_Irecv(x + n->first_receive, n->n_receive, MPI_DOUBLE, n->rank, TAG_GHOSTS, MPI_COMM_WORLD,
                  &m->requests[2 * i]);
        for (int k = 0; k < n->n_send; k++)
            n->buffer[k] = x[n->send[k]];
        MPI_Isend(n->buffer, n->n_send, MPI_DOUBLE, n->rank, TAG_GHOSTS, MPI_COMM_WORLD, &m->requests[2 * i + 1]);
    }
    multiply_rows(m, x, y, 0, m->n_inner);
    MPI_Waitall(2 * m->n_neighbours, m->requests, m->statuses);
    multiply_rows(m, x, y, m->n_inner, m->n_own);
}
