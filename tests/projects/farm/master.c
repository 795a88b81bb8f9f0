/* master.c: gives the next piece to each worker that has nothing to do. */
#include "farm.h"
#include <mpi.h>
#include <stddef.h>

#define PIECE 50

static void add(int task, long value, long *results) {
    if (task == 0)
        results[task] += value;
    else if (value > results[task])
        results[task] = value;
}

static void hand_out(int to, int piece, int n) {
    long order[3] = {piece / n, piece % n * PIECE, (piece % n + 1) * PIECE};
    MPI_Send(order, 3, MPI_LONG, to, TAG_TASK, MPI_COMM_WORLD);
}

void master(int n, long *results) {
    int ranks, next = 0, busy = 0, all = n * count_tasks();
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (; ranks == 1 && next < all; next++)
        add(next / n, tasks[next / n].run(next % n * PIECE, (next % n + 1) * PIECE), results);
    for (int to = 1; to < ranks && next < all; to++, busy++)
        hand_out(to, next++, n);
    while (busy > 0) {
        long result[2];
        MPI_Status status;
        MPI_Recv(result, 2, MPI_LONG, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
        add((int)result[0], result[1], results);
        if (next < all)
            hand_out(status.MPI_SOURCE, next++, n);
        else
            busy--;
    }
    for (int to = 1; to < ranks; to++)
        MPI_Send(NULL, 0, MPI_LONG, to, TAG_STOP, MPI_COMM_WORLD);
}
