/* mpi_before_after.c: the calls that are allowed before MPI_Init and after MPI_Finalize. */
#include "mpi_check.h"

#include <string.h>

static long ask(void) {
    int initialized, finalized, version, subversion, length;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(library, &length);
    return initialized + 2 * finalized + (version >= 3 ? 4 : 0) + (strlen(library) > 0 ? 8 : 0);
}

int main(int argc, char **argv) {
    long before = 0;
    for (int i = 0; i < 3; i++)
        before += ask();
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD);
    report("mpi_before_after", before + ask());
    MPI_Finalize();
    long after = 0;
    for (int i = 0; i < 3; i++)
        after += ask();
    if (rank == 0)
        printf("mpi_before_after: after %ld\n", after);
    return 0;
}
