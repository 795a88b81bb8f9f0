/* oddeven.c: odd-even transposition, a block on each rank (oddeven.h). */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include "oddeven.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *left, const void *right) {
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

/* Keeps the lower or the upper half of two sorted blocks. */
static void merge(int *mine, const int *theirs, int *room, int count, int lower) {
    int a = lower ? 0 : count - 1, b = a, step = lower ? 1 : -1;
    for (int i = a; i >= 0 && i < count; i += step)
        if (lower ? mine[a] <= theirs[b] : mine[a] >= theirs[b]) {
            room[i] = mine[a];
            a += step;
        } else {
            room[i] = theirs[b];
            b += step;
        }
    memcpy(mine, room, (size_t)count * sizeof *mine);
}

int oddeven_agree(int value) {
    int ends[2] = {value, -value}, all[2];
    MPI_Allreduce(ends, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all[0] == -all[1];
}

int oddeven_is_sorted(const int *numbers, int count) {
    int rank, ranks, before = -1, good = 1, last = count ? numbers[count - 1] : -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank + 1 < ranks)
        MPI_Isend(&last, 1, MPI_INT, rank + 1, 2, MPI_COMM_WORLD, &request);
    if (rank > 0)
        MPI_Recv(&before, 1, MPI_INT, rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count && good; before = numbers[i++])
        good = before <= numbers[i];
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return good;
}

int oddeven_sort(int *numbers, int count) {
    int rank, ranks, round, *theirs, *room;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count == 0)
        return 0;
    theirs = malloc((size_t)count * 2 * sizeof *theirs);
    if (!theirs)
        MPI_Abort(MPI_COMM_WORLD, 3);
    room = theirs + count;
    qsort(numbers, (size_t)count, sizeof *numbers, by_value);
    for (round = 0; round < ranks; round++) {
        int peer = (rank + round) % 2 ? rank - 1 : rank + 1;
        if (peer < 0 || peer >= ranks)
            continue;
        MPI_Sendrecv(numbers, count, MPI_INT, peer, 1, theirs, count, MPI_INT, peer, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        merge(numbers, theirs, room, count, rank < peer);
    }
    free(theirs);
    return round;
}
