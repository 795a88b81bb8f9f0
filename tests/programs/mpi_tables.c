/* mpi_tables.c: more pending requests, datatypes, different communicators, open files and windows than a tracer's
 * tables can hold. The program must not notice. */
#include "mpi_check.h"

#define REQUESTS 2100
#define COMMUNICATORS 40
#define WINDOWS 260
#define TYPES 2100
#define TOPOLOGIES 2100 /* no two alike */
#define DIMENSIONS 12
#define FILES 260

static MPI_Request requests[2 * REQUESTS];
static int out[REQUESTS], in[REQUESTS];
static MPI_Datatype types[TYPES];
static MPI_Win windows[WINDOWS];
static MPI_File files[FILES];
static MPI_Comm communicators[COMMUNICATORS];

/* Communicators of one rank each: they differ by the dimensions that are periodic. */
static int topologies(void) {
    int ones[DIMENSIONS], periods[DIMENSIONS], sum = 0;
    MPI_Comm comm;
    for (int i = 0; i < TOPOLOGIES; i++) {
        for (int d = 0; d < DIMENSIONS; d++) {
            ones[d] = 1;
            periods[d] = i >> d & 1;
        }
        MPI_Cart_create(MPI_COMM_SELF, DIMENSIONS, ones, periods, 0, &comm);
        int value = i, got = -1;
        MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
        CHECK(got == i);
        sum += got;
        MPI_Comm_free(&comm);
    }
    return sum;
}

static void open_files(int rank) {
    char name[64], byte = 1;
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "tables-%d-%d", rank, i);
        MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &files[i]);
        CHECK(files[i] != MPI_FILE_NULL);
    }
    MPI_File_write(files[FILES - 1], &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < FILES; i++)
        MPI_File_close(&files[i]);
}

/* MPI_Win_allocate makes them, since some MPI libraries limit the windows of MPI_Win_create. */
static int open_windows(int rank) {
    int *memory[WINDOWS], sum = 0;
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Win_allocate(sizeof *memory[i], sizeof *memory[i], MPI_INFO_NULL, MPI_COMM_SELF, &memory[i], &windows[i]);
        CHECK(windows[i] != MPI_WIN_NULL);
        *memory[i] = 0;
    }
    for (int i = 0; i < WINDOWS; i++) { /* those in the table, and those beyond */
        int value = rank + i;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, windows[i]);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, windows[i]);
        MPI_Win_unlock(0, windows[i]);
        CHECK(*memory[i] == rank + i);
        sum += *memory[i];
    }
    for (int i = 0; i < WINDOWS; i++)
        MPI_Win_free(&windows[i]);
    return sum;
}

int main(int argc, char **argv) {
    long total = 0;
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    int ring = size < 4 ? size : 4, left = (rank + ring - 1) % ring, right = (rank + 1) % ring; /* of the first few */
    int mine = rank < ring ? REQUESTS : 0;
    for (int i = 0; i < mine; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < mine; i++) {
        out[i] = rank + i;
        MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[mine + i]);
    }
    MPI_Waitall(2 * mine, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < mine; i++)
        CHECK(in[i] == left + i);
    total += in[REQUESTS - 1];
    for (int i = 0; i < COMMUNICATORS; i++)
        MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? rank : -rank, &communicators[i]);
    for (int i = 0; i < COMMUNICATORS; i++) {
        int value = rank;
        MPI_Bcast(&value, 1, MPI_INT, 0, communicators[i]);
        CHECK(value == (i % 2 ? 0 : size - 1));
        MPI_Comm_free(&communicators[i]);
    }
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_contiguous(i % 7 + 1, MPI_BYTE, &types[i]);
        MPI_Type_commit(&types[i]);
    }
    if (mine > 0)
        MPI_Sendrecv(out, 1, types[TYPES - 1], right, 0, in, 1, types[TYPES - 1], left, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    for (int i = 0; i < TYPES; i++)
        MPI_Type_free(&types[i]);
    total += topologies();
    for (int i = 0; i < 2; i++) { /* there is no room for these any more */
        int value = rank;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, i ? -rank : rank, &communicators[i]);
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, communicators[i]);
        total += value;
    }
    for (int i = 0; i < 2; i++) /* both at a time, so that neither has the record of the other */
        MPI_Comm_free(&communicators[i]);
    open_files(rank);
    total += open_windows(rank);
    report("mpi_tables", total);
    MPI_Finalize();
    return 0;
}
