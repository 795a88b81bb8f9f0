/* mpi_spawn.c: a program that starts two further copies of itself and talks to them. */
#include "mpi_check.h"

#include <string.h>

int main(int argc, char **argv) {
    MPI_Comm parent, children, all;
    int value = 0, rank;
    char *arguments[] = {"child", NULL};
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (argc > 1 && strcmp(argv[1], "child") == 0) {
        CHECK(parent != MPI_COMM_NULL);
        MPI_Bcast(&value, 1, MPI_INT, 0, parent);
        value += rank_in(MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 0, 4, parent);
        MPI_Intercomm_merge(parent, 1, &all);
        MPI_Barrier(all);
        MPI_Comm_free(&all);
        MPI_Comm_disconnect(&parent);
    } else {
        rank = rank_in(MPI_COMM_WORLD);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE)) {
            if (rank == 0)
                printf("skipped: MPI_Comm_spawn fails: this process manager starts no further processes\n");
            MPI_Finalize();
            return 0;
        }
        value = 40;
        MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
        if (rank == 0)
            for (int i = 0; i < 2; i++) {
                MPI_Recv(&value, 1, MPI_INT, i, 4, children, MPI_STATUS_IGNORE);
                CHECK(value == 40 + i);
            }
        MPI_Intercomm_merge(children, 0, &all);
        MPI_Barrier(all);
        MPI_Comm_free(&all);
        MPI_Comm_disconnect(&children);
        report("mpi_spawn", 1);
    }
    MPI_Finalize();
    return 0;
}
