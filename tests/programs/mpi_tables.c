/* mpi_tables.c: more than a tracer's tables hold of requests under way and datatypes, and, with an argument, of windows
 * open at a time; and many communicators. The program does not notice. */
#include "mpi_check.h"

#define REQUESTS 2100
#define COMMUNICATORS 40
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
    if (argc > 1) /* not everywhere are there so many */
        for (int i = 0; i < WINDOWS; i++)
            MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &windows[i]);
    for (int i = 0; i < WINDOWS && argc > 1; i++)
        MPI_Win_free(&windows[i]);
    report("mpi_tables", total);
    MPI_Finalize();
    return 0;
}
