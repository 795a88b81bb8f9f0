/* mpi_tables.c: more of everything than a tracer's tables hold: requests under way, communicators, windows, files and
 * datatypes open at a time. The program does not notice. */
#include "mpi_check.h"

#define REQUESTS 2100
#define COMMUNICATORS 300
#define WINDOWS 260
#define TYPES 2100

static MPI_Request requests[2 * REQUESTS];
static int out[REQUESTS], in[REQUESTS];
static MPI_Datatype types[TYPES];
static MPI_Win windows[WINDOWS];
static MPI_Comm communicators[COMMUNICATORS];

int main(int argc, char **argv) {
    long total = 0;
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 0; i < REQUESTS; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < REQUESTS; i++) {
        out[i] = rank + i;
        MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[REQUESTS + i]);
    }
    MPI_Waitall(2 * REQUESTS, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < REQUESTS; i++)
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
    MPI_Sendrecv(out, 1, types[TYPES - 1], right, 0, in, 1, types[TYPES - 1], left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < TYPES; i++)
        MPI_Type_free(&types[i]);
    if (argc > 1) /* not everywhere are there so many */
        for (int i = 0; i < WINDOWS; i++)
            MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &windows[i]);
    for (int i = 0; i < WINDOWS && argc > 1; i++)
        MPI_Win_free(&windows[i]);
    report("mpi_tables", total);
    MPI_Finalize();
    return 0;
}
