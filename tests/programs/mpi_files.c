/* mpi_files.c: files with known numbers of bytes and accesses, whose sizes on disk are these bytes, for test_files.sh.
 * Usage: mpi_files DIRECTORY. Each rank writes to DIRECTORY/common, DIRECTORY/shared and DIRECTORY/own.RANK. */
#include "mpi_check.h"

#define SMALL 4096
#define LARGE 131072

static char block[LARGE];
static int rank, size;

static MPI_File open_file(MPI_Comm comm, const char *directory, const char *name, int mode) {
    char path[4096];
    MPI_File file;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    CHECK(MPI_File_open(comm, path, mode, MPI_INFO_NULL, &file) == MPI_SUCCESS);
    return file;
}

/* Written: 10 * SMALL at offsets, LARGE by a collective, 2 * 8192 nonblocking, 3 * 1000 by a split collective.
 * Read: LARGE by a collective. */
static void common_file(const char *directory) {
    MPI_File file = open_file(MPI_COMM_WORLD, directory, "common", MPI_MODE_CREATE | MPI_MODE_RDWR);
    const MPI_Offset all = 10 * SMALL + LARGE + 2 * 8192 + 3 * 1000;
    MPI_Offset at = rank * all;
    MPI_Request requests[4];
    int in = -1;
    for (int i = 0; i < 10; i++, at += SMALL)
        MPI_File_write_at(file, at, block, SMALL, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, at, block, LARGE, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_read_at_all(file, at, block, LARGE, MPI_CHAR, MPI_STATUS_IGNORE);
    at += LARGE;
    for (int i = 0; i < 2; i++, at += 8192)
        MPI_File_iwrite_at(file, at, block, 8192, MPI_CHAR, &requests[i]);
    MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++, at += 1000) {
        MPI_File_write_at_all_begin(file, at, block, 1000, MPI_CHAR);
        MPI_File_write_at_all_end(file, block, MPI_STATUS_IGNORE);
    }
    CHECK(at == (rank + 1) * all);
    MPI_File_close(&file);
}

/* Written: 5 * 100 at the pointer. Read: 3 * 200, of which the last one has only 100, and nothing at the end. A read
 * that is refused. */
static void own_file(const char *directory) {
    char name[32];
    snprintf(name, sizeof name, "own.%d", rank);
    MPI_File file = open_file(MPI_COMM_SELF, directory, name, MPI_MODE_CREATE | MPI_MODE_RDWR);
    for (int i = 0; i < 5; i++)
        MPI_File_write(file, block, 100, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    for (int i = 0; i < 4; i++)
        MPI_File_read(file, block, 200, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    file = open_file(MPI_COMM_SELF, directory, name, MPI_MODE_WRONLY);
    CHECK(MPI_File_read_at(file, 0, block, 10, MPI_CHAR, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    MPI_File_close(&file);
}

/* Written: 2 * 10 at the shared pointer, 30 in the order of ranks. */
static void shared_file(const char *directory) {
    MPI_File file = open_file(MPI_COMM_WORLD, directory, "shared", MPI_MODE_CREATE | MPI_MODE_WRONLY);
    for (int i = 0; i < 2; i++)
        MPI_File_write_shared(file, block, 10, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_write_ordered(file, block, 30, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv) {
    const char *directory = argc > 1 ? argv[1] : ".";
    MPI_Init(&argc, &argv);
    rank = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    common_file(directory);
    own_file(directory);
    shared_file(directory);
    return MPI_Finalize();
}
