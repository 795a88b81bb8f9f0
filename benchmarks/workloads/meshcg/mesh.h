/* mesh.h: an unstructured mesh in uneven parts, and the sparse matrix on the part of this rank.
 *
 * The mesh is a triangulated square with a round hole. Each node belongs to the rank whose seed is nearest, so that
 * parts differ in size and in their number of neighbours. Vectors hold this rank's nodes, then the ghosts, by
 * neighbour.
 */
#ifndef MESH_H
#define MESH_H

#include "../common/workload.h"

struct mesh_neighbour {
    int rank;
    int n_send, n_receive;
    int *send;         /* own nodes, ascending in the global numbering */
    int first_receive; /* place of the first ghost in a vector */
    double *buffer;    /* n_send values */
};

struct mesh {
    int side;                                   /* nodes a side */
    int n_own, n_ghosts, n_neighbours, n_inner; /* n_inner: nodes without a neighbour elsewhere come first */
    int *global;                                /* own nodes and ghosts: global number */
    int *row_start, *column;                    /* compressed rows of the own nodes */
    double *entry, *diagonal;
    struct mesh_neighbour *neighbours;
    MPI_Request *requests; /* two for each neighbour */
    MPI_Status *statuses;
};

/* Builds this rank's part. False when there are fewer nodes than ranks. Collective. */
bool mesh_open(struct mesh *m, const struct workload *w);
void mesh_close(struct mesh *m);

/* y = A x for the own nodes; fills the ghosts of x on the way. */
void mesh_multiply(const struct mesh *m, double *x, double *y);

#endif
