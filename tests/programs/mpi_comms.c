/* mpi_comms.c: communicators of every origin, each used for a message and a collective. */
#include "mpi_check.h"

static long total;

static void use(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL)
        return;
    int rank = rank_in(comm), size = size_of(comm), got = -1, sum;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 8, &got, 1, MPI_INT, (rank + size - 1) % size, 8, comm,
                 MPI_STATUS_IGNORE);
    CHECK(got == (rank + size - 1) % size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == size * (size - 1) / 2);
    total += sum;
}

static void use_and_free(MPI_Comm comm) {
    use(comm);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
    MPI_Comm comm, halves, reversed;
    MPI_Group world, evens;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    use(MPI_COMM_WORLD);
    use(MPI_COMM_SELF);
    for (int round = 0; round < 3; round++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        use_and_free(comm);
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
        use_and_free(comm);
        MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        use_and_free(comm);

        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
        MPI_Comm_set_name(halves, rank % 2 ? "odd" : "even");
        use(halves);
        MPI_Comm_split(halves, 0, -rank, &reversed);
        CHECK(rank_in(reversed) == size_of(halves) - 1 - rank_in(halves));
        use_and_free(reversed);
        use_and_free(halves);
        MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &comm);
        CHECK((comm == MPI_COMM_NULL) == (rank == 0));
        use_and_free(comm);
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
        use_and_free(comm);

        int range[1][3] = {{0, size - 1, 2}};
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_range_incl(world, 1, range, &evens);
        MPI_Comm_create(MPI_COMM_WORLD, evens, &comm);
        CHECK((comm == MPI_COMM_NULL) == (rank % 2 == 1));
        use_and_free(comm);
        if (rank % 2 == 0) {
            MPI_Comm_create_group(MPI_COMM_WORLD, evens, 77, &comm);
            use_and_free(comm);
        }
        MPI_Group_free(&evens);
        MPI_Group_free(&world);
    }
    MPI_Comm duplicates[5];
    MPI_Request requests[5];
    for (int i = 0; i < 5; i++)
        MPI_Comm_idup(i == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF, &duplicates[i], &requests[i]);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    for (int i = 4; i >= 0; i--)
        use_and_free(duplicates[i]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_disconnect(&comm);
    report("mpi_comms", total);
    MPI_Finalize();
    return 0;
}
