/* mpi_sessions.c: MPI without MPI_Init: a communicator from the process set of all ranks, and one of a part of it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Group world, evens;
    MPI_Comm comm, part, copy;
    int rank, size, got, sum;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Comm_create_from_group(world, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 5; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 2, &got, 1, MPI_INT, (rank + size - 1) % size, 2, comm,
                     MPI_STATUS_IGNORE);
    if (got != (rank + size - 1) % size)
        MPI_Abort(comm, 1);
    int range[1][3] = {{0, size - 1, 2}};
    MPI_Group_range_incl(world, 1, range, &evens);
    if (rank % 2 == 0) {
        MPI_Comm_create_from_group(evens, "evens", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &part);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
        MPI_Comm_free(&part);
    }
    if (size >= 2) { /* even ranks and odd ones, across an intercommunicator */
        MPI_Group odds;
        MPI_Comm across;
        int value = rank, remote;
        MPI_Group_difference(world, evens, &odds);
        MPI_Intercomm_create_from_groups(rank % 2 ? odds : evens, 0, rank % 2 ? evens : odds, 0, "across",
                                         MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &across);
        MPI_Comm_remote_size(across, &remote);
        for (int i = 0; i < 3; i++) {
            if (rank / 2 < remote)
                MPI_Sendrecv(&rank, 1, MPI_INT, rank / 2, 3, &value, 1, MPI_INT, rank / 2, 3, across,
                             MPI_STATUS_IGNORE);
            if (rank / 2 < remote && value != (rank ^ 1))
                MPI_Abort(comm, 2);
        }
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, across);
        MPI_Comm_free(&across);
        MPI_Group_free(&odds);
    }
    /* a second session beside the first */
    MPI_Session another;
    MPI_Group self;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &another);
    MPI_Group_from_session_pset(another, "mpi://SELF", &self);
    MPI_Comm_create_from_group(self, "self", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_Group_free(&self);
    MPI_Session_finalize(&another);
    MPI_Comm_dup(comm, &copy);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy);
    if (rank == 0)
        printf("mpi_sessions: %d\n", sum);
    MPI_Comm_free(&copy);
    MPI_Group_free(&evens);
    MPI_Group_free(&world);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
#else
    printf("mpi_sessions: this MPI has none\n");
#endif
    return 0;
}
