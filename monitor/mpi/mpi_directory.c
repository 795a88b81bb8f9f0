/* mpi_directory.c: chooses the directory of an MPI process's trace, and describes the MPI library in it. */
#include "mpi_state.h"
#include "run/own_files.h"
#include "run/pool.h"

#include <string.h>

#define PATH_BYTES 4096

void refrain_mpi_describe(int thread_level) {
    if (!refrain_trace_file.base)
        return;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    PMPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = 0;
    for (char *tab; (tab = strchr(version, '\t'));)
        *tab = ' ';
    refrain_trace_file.header->mpi_library = refrain_pool_name(version);
    refrain_trace_file.header->mpi_thread_level = (uint32_t)thread_level;
    refrain_trace_file.header->call_slots = REFRAIN_MPI_FUNCTIONS;
}

void refrain_mpi_choose_directory(MPI_Comm comm, int rank, int size) {
    static bool placed;
    char path[PATH_BYTES] = "";
    int position;
    if (placed)
        return;
    placed = true;
    PMPI_Comm_rank(comm, &position);
    if (position == 0)
        refrain_directory_propose(path, sizeof path);
    PMPI_Bcast(path, (int)sizeof path, MPI_CHAR, 0, comm);
    refrain_trace_file_move(rank, size, path);
}
