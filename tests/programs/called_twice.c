/* called_twice.c: a function that two others call, with partners in another order; loops of which some ranks skip
 * iterations or all calls; values that begin anew with their loop, or stay for all of it (test_proxy.sh, test_model.sh). */
#include <mpi.h>

static int rank, ranks;
static char out[4096], in[4096];

static void swap(int partner, int bytes, int tag) {
    MPI_Request request;
    MPI_Irecv(in, sizeof in, MPI_CHAR, partner, tag, MPI_COMM_WORLD, &request);
    MPI_Send(out, bytes, MPI_CHAR, partner, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void sum(void) {
    for (int distance = 1; distance < ranks; distance *= 2)
        swap(rank ^ distance, 8, 1);
}

static void scatter(void) {
    for (int distance = ranks / 2; distance > 0; distance /= 2)
        swap(rank ^ distance, 100, 2);
}

/* Only every second iteration, and in it not the last rank, sends; the last rank skips the whole iteration. */
static void wave(void) {
    for (int i = 0; i < 6; i++) {
        if (i % 2 && rank > 0)
            MPI_Recv(in, sizeof in, MPI_CHAR, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i % 2 && rank < ranks - 1)
            MPI_Send(out, 64, MPI_CHAR, rank + 1, 3, MPI_COMM_WORLD);
    }
}

/* Amounts in turns, which begin anew each time, as often as not after half of a turn. */
static void turns(void) {
    for (int i = 0; i < ranks - 1; i++)
        MPI_Sendrecv(out, i % 2 ? 16 : 48, MPI_CHAR, (rank + 1) % ranks, 4, in, sizeof in, MPI_CHAR,
                     (rank + ranks - 1) % ranks, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Partners that are the same for all iterations of a loop; of two ranks the one before is also the one after. */
static void sides(void) {
    int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < ranks - 1; i++)
            MPI_Sendrecv(out, 8, MPI_CHAR, side ? before : after, 5, in, sizeof in, MPI_CHAR, side ? after : before, 5,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int step = 0; step < 3; step++) {
        sum();
        wave();
        scatter();
        turns();
        sides();
        sum();
    }
    MPI_Finalize();
    return 0;
}
