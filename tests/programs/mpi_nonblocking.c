/* mpi_nonblocking.c: nonblocking collectives, several at a time and in other communicators, and persistent ones. */
#include "mpi_check.h"

#define MOST 64 /* ranks */

int main(int argc, char **argv) {
    int one, bcast, all[MOST], gathered[MOST], scattered, sum, scan, exscan, in[MOST], out[MOST], block, counts[MOST],
        places[MOST], flag;
    long total = 0;
    MPI_Request requests[16];
    MPI_Comm other;
    MPI_Datatype types[MOST];
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    CHECK(size <= MOST);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = 0; i < size; i++) {
        out[i] = rank;
        counts[i] = 1;
        places[i] = i;
        types[i] = MPI_INT;
    }
    for (int round = 0; round < 6; round++) {
        int n = 0, root = round % size;
        one = rank + round;
        bcast = rank == root ? round : -1;
        for (int i = 0; i < size; i++)
            all[i] = i;
        MPI_Ibcast(&bcast, 1, MPI_INT, root, MPI_COMM_WORLD, &requests[n++]);
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other, &requests[n++]);
        MPI_Igather(&one, 1, MPI_INT, gathered, 1, MPI_INT, root, MPI_COMM_WORLD, &requests[n++]);
        MPI_Iscatter(all, 1, MPI_INT, &scattered, 1, MPI_INT, root, other, &requests[n++]);
        MPI_Ibarrier(MPI_COMM_WORLD, &requests[n++]);
        MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &requests[n++]);
        MPI_Iscan(&one, &scan, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]);
        MPI_Iexscan(&one, &exscan, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]);
        MPI_Ireduce_scatter_block(out, &block, 1, MPI_INT, MPI_SUM, other, &requests[n++]);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        CHECK(bcast == round && scattered == rank && in[size - 1] == size - 1);
        CHECK(sum == size * (size - 1) / 2 + size * round && block == size * (size - 1) / 2);
        n = 0;
        MPI_Igatherv(&one, 1, MPI_INT, gathered, counts, places, MPI_INT, root, MPI_COMM_WORLD, &requests[n++]);
        MPI_Iscatterv(all, counts, places, MPI_INT, &scattered, 1, MPI_INT, root, MPI_COMM_WORLD, &requests[n++]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        n = 0;
        MPI_Iallgather(&one, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &requests[n++]);
        MPI_Iallgatherv(&one, 1, MPI_INT, gathered, counts, places, MPI_INT, MPI_COMM_WORLD, &requests[n++]);
        do
            MPI_Testall(n, requests, &flag, MPI_STATUSES_IGNORE);
        while (not_yet(flag));
        n = 0;
        int places_bytes[MOST];
        for (int i = 0; i < size; i++)
            places_bytes[i] = i * (int)sizeof(int);
        MPI_Ialltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD, &requests[n++]);
        MPI_Ialltoallw(out, counts, places_bytes, types, gathered, counts, places_bytes, types, MPI_COMM_WORLD,
                       &requests[n++]);
        MPI_Ireduce(&one, &sum, 1, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD, &requests[n++]);
        MPI_Ireduce_scatter(out, &block, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        CHECK(gathered[size - 1] == size - 1 && (rank != root || sum == size - 1 + round));
        total += block + scan;
    }
#if MPI_VERSION >= 4
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Bcast_init(&bcast, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, other, MPI_INFO_NULL, &requests[2]);
    for (int round = 0; round < 5; round++) {
        bcast = rank == 0 ? round : -1;
        one = round;
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Startall(2, &requests[1]);
        MPI_Waitall(2, &requests[1], MPI_STATUSES_IGNORE);
        CHECK(bcast == round && sum == round * size);
    }
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&requests[i]);
#endif
    MPI_Comm_free(&other);
    report("mpi_nonblocking", total);
    MPI_Finalize();
    return 0;
}
