/* mpi_neighbours.c: Cartesian, graph and distributed graph topologies, and the collectives among neighbours. */
#include "mpi_check.h"

#define MOST 64 /* neighbours */

static long total;

/* All forms of neighbourhood collectives: each rank sends its number to `out` neighbours, and receives from `in`. */
static void exchange(MPI_Comm comm, int in, int out) {
    int me = rank_in(comm), sends[MOST], receives[MOST], counts[MOST], places[MOST];
    MPI_Aint bytes[MOST];
    MPI_Datatype types[MOST];
    MPI_Request request;
    CHECK(in <= MOST && out <= MOST);
    for (int i = 0; i < MOST; i++) {
        sends[i] = me;
        counts[i] = 1;
        places[i] = i;
        bytes[i] = i * (MPI_Aint)sizeof(int);
        types[i] = MPI_INT;
    }
    long sums[5] = {0};
    for (int form = 0; form < 5; form++) {
        for (int i = 0; i < in; i++)
            receives[i] = 0;
        for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
            request = MPI_REQUEST_NULL;
            if (form == 0 && !nonblocking)
                MPI_Neighbor_allgather(sends, 1, MPI_INT, receives, 1, MPI_INT, comm);
            else if (form == 0)
                MPI_Ineighbor_allgather(sends, 1, MPI_INT, receives, 1, MPI_INT, comm, &request);
            else if (form == 1 && !nonblocking)
                MPI_Neighbor_allgatherv(sends, 1, MPI_INT, receives, counts, places, MPI_INT, comm);
            else if (form == 1)
                MPI_Ineighbor_allgatherv(sends, 1, MPI_INT, receives, counts, places, MPI_INT, comm, &request);
            else if (form == 2 && !nonblocking)
                MPI_Neighbor_alltoall(sends, 1, MPI_INT, receives, 1, MPI_INT, comm);
            else if (form == 2)
                MPI_Ineighbor_alltoall(sends, 1, MPI_INT, receives, 1, MPI_INT, comm, &request);
            else if (form == 3 && !nonblocking)
                MPI_Neighbor_alltoallv(sends, counts, places, MPI_INT, receives, counts, places, MPI_INT, comm);
            else if (form == 3)
                MPI_Ineighbor_alltoallv(sends, counts, places, MPI_INT, receives, counts, places, MPI_INT, comm,
                                        &request);
            else if (form == 4 && !nonblocking)
                MPI_Neighbor_alltoallw(sends, counts, bytes, types, receives, counts, bytes, types, comm);
            else
                MPI_Ineighbor_alltoallw(sends, counts, bytes, types, receives, counts, bytes, types, comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < in; i++)
            sums[form] += receives[i];
        CHECK(sums[form] == sums[0]);
    }
    total += sums[0];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int size = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
    MPI_Comm cart, row, graph, adjacent, distributed;

    int dimensions[2] = {0, 0}, periods[2] = {1, 0}, up, down;
    MPI_Dims_create(size, 2, dimensions);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 0, &cart);
    MPI_Comm_set_name(cart, "grid");
    MPI_Cart_shift(cart, 1, 1, &down, &up);
    int value = rank, got = -1;
    MPI_Sendrecv(&value, 1, MPI_INT, up, 3, &got, 1, MPI_INT, down, 3, cart, MPI_STATUS_IGNORE);
    exchange(cart, 4, 4);
    MPI_Cart_sub(cart, (int[]){0, 1}, &row);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, row);
    total += value;

    int ends[MOST], edges[2 * MOST]; /* a ring */
    CHECK(size <= MOST);
    for (int i = 0; i < size; i++) {
        ends[i] = 2 * (i + 1);
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 0, &graph);
    exchange(graph, 2, 2);

    int left = (rank + size - 1) % size, right = (rank + 1) % size, degree = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &adjacent);
    exchange(adjacent, 1, 1);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &distributed);
    exchange(distributed, 1, 1);

    MPI_Comm_free(&row);
    MPI_Comm_free(&cart);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&adjacent);
    MPI_Comm_free(&distributed);
    report("mpi_neighbours", total);
    MPI_Finalize();
    return 0;
}
