/* mpi_intercomm.c: two groups communicate across an intercommunicator, which is made and merged. One rank prints it. */
#include "mpi_check.h"

#ifdef OPEN_MPI
#define TOGETHER 1 /* Open MPI 4.1 waits for ever on several duplicates of an intercommunicator, by itself */
#else
#define TOGETHER 3
#endif

#define MOST 64

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    long total = 0;
    if (size >= 2) {
        MPI_Comm side, inter, merged, copy;
        int high = rank >= (size + 1) / 2, out = rank, in[MOST], mine[MOST];
        MPI_Comm_split(MPI_COMM_WORLD, high, rank, &side);
        MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, high ? 0 : (size + 1) / 2, 12, &inter);
        int remote, here = rank_in(inter);
        MPI_Comm_remote_size(inter, &remote);
        for (int round = 0; round < 4; round++) {
            /* point to point: ranks are those of the other group */
            if (here < remote) {
                MPI_Status status;
                MPI_Sendrecv(&out, 1, MPI_INT, here, 3, in, 1, MPI_INT, here, 3, inter, &status);
                CHECK(status.MPI_SOURCE == here && in[0] == (high ? here : here + (size + 1) / 2));
            }
            /* from the low side's rank 0 to the high side, and back */
            int root = high ? 0 : here == 0 ? MPI_ROOT : MPI_PROC_NULL, value = high ? -1 : round;
            MPI_Bcast(&value, 1, MPI_INT, root, inter);
            CHECK(value == round);
            root = high ? (here == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
            MPI_Gather(&out, 1, MPI_INT, in, 1, MPI_INT, root, inter);
            MPI_Scatter(in, 1, MPI_INT, &value, 1, MPI_INT, root, inter);
            CHECK(high || value == rank);
            MPI_Reduce(&out, &value, 1, MPI_INT, MPI_SUM, root, inter);
            MPI_Allreduce(&out, &value, 1, MPI_INT, MPI_SUM, inter);
            total += value;
            MPI_Allgather(&out, 1, MPI_INT, in, 1, MPI_INT, inter);
            for (int i = 0; i < remote; i++)
                mine[i] = rank;
            MPI_Alltoall(mine, 1, MPI_INT, in, 1, MPI_INT, inter);
            CHECK(in[remote - 1] == (high ? remote - 1 : size - 1));
            MPI_Barrier(inter);
        }
        MPI_Comm_dup(inter, &copy);
        MPI_Barrier(copy);
        MPI_Comm_free(&copy);
        MPI_Request request, several[TOGETHER];
        MPI_Status status;
        /* several pending duplicates, twice, beside one that is complete at once */
        for (int round = 0; round < 2; round++) {
            MPI_Comm copies[TOGETHER];
            for (int i = 0; i < TOGETHER; i++)
                MPI_Comm_idup(inter, &copies[i], &several[i]);
            MPI_Waitall(TOGETHER, several, MPI_STATUSES_IGNORE);
            MPI_Comm_dup(inter, &copy);
            for (int i = TOGETHER - 1; i >= 0; i--) {
                if (here < remote)
                    MPI_Sendrecv(&out, 1, MPI_INT, here, i, in, 1, MPI_INT, here, i, copies[i], MPI_STATUS_IGNORE);
                MPI_Barrier(copies[i]);
                MPI_Comm_free(&copies[i]);
            }
            MPI_Barrier(copy);
            MPI_Comm_free(&copy);
        }
        MPI_Ibarrier(inter, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Iallreduce(&out, mine, 1, MPI_INT, MPI_MAX, inter, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(mine[0] == (high ? (size + 1) / 2 - 1 : size - 1));
        /* whoever is first on the other side */
        if (here == 0) {
            MPI_Isend(&out, 1, MPI_INT, 0, 5, inter, &request);
            MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status);
            CHECK(status.MPI_SOURCE == 0 && in[0] == (high ? 0 : (size + 1) / 2));
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        /* the first of each side, with each other */
        MPI_Comm_split(inter, here == 0 ? 1 : MPI_UNDEFINED, 0, &copy);
        if (copy != MPI_COMM_NULL) {
            MPI_Allgather(&out, 1, MPI_INT, in, 1, MPI_INT, copy);
            CHECK(in[0] == (high ? 0 : (size + 1) / 2));
            MPI_Comm_free(&copy);
        }
        MPI_Intercomm_merge(inter, high, &merged);
        CHECK(rank_in(merged) == rank);
        MPI_Bcast(&out, 1, MPI_INT, size - 1, merged);
        CHECK(out == size - 1);
        MPI_Comm_free(&merged);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&side);
    }
    report("mpi_intercomm", total);
    MPI_Finalize();
    return 0;
}
