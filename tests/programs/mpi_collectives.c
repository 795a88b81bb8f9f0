/* mpi_collectives.c: every blocking collective, from each root, in place, with counts that vary by rank, and with
 * reductions of the user's own. */
#include "mpi_check.h"

#define MOST 64 /* ranks */

static int rank, size;
static long total;

/* Keeps the larger of absolute values; calls MPI itself, as such functions may. */
static void larger(void *in, void *inout, int *n, MPI_Datatype *type) {
    int bytes;
    MPI_Type_size(*type, &bytes);
    CHECK(bytes == sizeof(int));
    for (int i = 0; i < *n; i++)
        if (abs(((int *)in)[i]) > abs(((int *)inout)[i]))
            ((int *)inout)[i] = ((int *)in)[i];
}

static void rooted(int root) {
    int one = rank, all[MOST], counts[MOST], places[MOST], varied[MOST * MOST], got = -1, sum = 0, value = root;
    for (int i = 0, at = 0; i < size; i++) {
        counts[i] = i % 3 + 1;
        places[i] = at;
        at += counts[i];
        all[i] = i * 10;
    }
    MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(value == root);
    MPI_Gather(&one, 1, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD);
    if (rank == root)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, root, MPI_COMM_WORLD);
    else
        MPI_Gather(&one, 1, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD);
    if (rank == root)
        CHECK(all[size - 1] == size - 1);
    int mine[3] = {rank, rank, rank};
    MPI_Gatherv(mine, counts[rank], MPI_INT, varied, counts, places, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scatter(all, 1, MPI_INT, &got, 1, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(got == rank);
    if (rank == root)
        MPI_Scatter(all, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root, MPI_COMM_WORLD);
    else
        MPI_Scatter(NULL, 0, MPI_INT, &got, 1, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scatterv(varied, counts, places, MPI_INT, mine, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
    CHECK(mine[0] == rank);
    MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    if (rank == root)
        MPI_Reduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD);
    else
        MPI_Reduce(&one, NULL, 1, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD);
    if (rank == root)
        CHECK(sum == size * (size - 1) / 2 || sum == size - 1);
    total += sum;
}

static void among_all(MPI_Op op) {
    int one = rank + 1, all[MOST], counts[MOST], places[MOST], out[MOST * 3], in[MOST * 3], sum;
    MPI_Datatype types[MOST];
    for (int i = 0, at = 0; i < size; i++) {
        counts[i] = i % 3 + 1;
        places[i] = at;
        at += counts[i];
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allgather(&one, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(all[size - 1] == size);
    for (int i = 0; i < counts[rank]; i++)
        out[i] = rank;
    MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    CHECK(in[places[size - 1]] == size - 1);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size * (size + 1) / 2);
    sum = -one;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    CHECK(sum == -size);
    for (int i = 0; i < size; i++)
        out[i] = rank * size + i;
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(in[size - 1] == (size - 1) * size + rank);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(in[size - 1] == rank * size + size - 1);
    /* rank r gets r % 3 + 1 numbers from everyone */
    int received[MOST], into[MOST];
    for (int i = 0; i < size; i++) {
        received[i] = counts[rank];
        into[i] = i * counts[rank];
        types[i] = MPI_INT;
    }
    for (int i = 0; i < places[size - 1] + counts[size - 1]; i++)
        out[i] = rank;
    MPI_Alltoallv(out, counts, places, MPI_INT, in, received, into, MPI_INT, MPI_COMM_WORLD);
    CHECK(in[into[size - 1]] == size - 1);
    for (int i = 0; i < size; i++) { /* displacements are in bytes now */
        places[i] *= (int)sizeof(int);
        into[i] *= (int)sizeof(int);
    }
    MPI_Alltoallw(out, counts, places, types, in, received, into, types, MPI_COMM_WORLD);
    CHECK(in[0] == 0);
    MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == (rank + 1) * (rank + 2) / 2);
    MPI_Exscan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(rank == 0 || sum == rank * (rank + 1) / 2);
    for (int i = 0; i < MOST * 3; i++)
        out[i] = 1;
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(in[0] == size);
    MPI_Reduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(in[0] == size);
    MPI_Reduce_local(out, in, 1, MPI_INT, MPI_SUM);
    total += in[0];
}

int main(int argc, char **argv) {
    MPI_Op op;
    MPI_Init(&argc, &argv);
    rank = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    CHECK(size <= MOST);
    MPI_Op_create(larger, 1, &op);
    for (int root = 0; root < size; root++)
        rooted(root);
    for (int round = 0; round < 5; round++)
        among_all(op);
    MPI_Op_free(&op);
    report("mpi_collectives", total);
    MPI_Finalize();
    return 0;
}
