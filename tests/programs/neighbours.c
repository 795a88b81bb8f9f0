/* neighbours.c: usage neighbours STEPS: a ring, a butterfly and a halo exchange in two dimensions with open borders, on
 * a power of four ranks; what a rank sends to follows from its own rank. */
#include <mpi.h>
#include <stdlib.h>

static int rank, size, width;

static void ring(void) {
    int token = rank;
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
}

static void butterfly(void) {
    for (int bit = 1; bit < size; bit *= 2) {
        double value[2] = {rank, bit};
        MPI_Sendrecv_replace(value, 2, MPI_DOUBLE, rank ^ bit, 2, rank ^ bit, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* A neighbour of the grid; there is none beyond its border. */
static void exchange(int x, int y, int step_x, int step_y, char *there, char *here, int bytes) {
    int to_x = x + step_x, to_y = y + step_y;
    MPI_Request requests[2];
    if (to_x < 0 || to_x >= width || to_y < 0 || to_y >= width)
        return;
    MPI_Irecv(there, bytes, MPI_CHAR, to_y * width + to_x, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(here, bytes, MPI_CHAR, to_y * width + to_x, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void halo(void) {
    static char there[4][64], here[64];
    int x = rank % width, y = rank / width;
    exchange(x, y, x % 2 ? -1 : 1, 0, there[0], here, 64);
    exchange(x, y, x % 2 ? 1 : -1, 0, there[1], here, 64);
    exchange(x, y, 0, y % 2 ? -1 : 1, there[2], here, 32);
    exchange(x, y, 0, y % 2 ? 1 : -1, there[3], here, 32);
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (width = 1; width * width < size; width++)
        ;
    for (int step = 0; step < steps; step++) {
        ring();
        butterfly();
        halo();
        if (step % 4 == 3)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
