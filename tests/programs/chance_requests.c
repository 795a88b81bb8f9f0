/* chance_requests.c: control flow of chance until the memory is spent, then thousands of requests under way at a time,
 * which are waited for in orders of chance, all together or one by one. Usage: chance_requests [SEED [STEPS
 * [REQUESTS]]] */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_REQUESTS 20000
#define ROUNDS 4

static uint64_t state;
static int rank, size;
static MPI_Request requests[MOST_REQUESTS];
static int order[MOST_REQUESTS], in[MOST_REQUESTS], out[MOST_REQUESTS];

static unsigned chance(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % n);
}

#define SENDER(k)                                                                                                      \
    static void sender_##k(void) {                                                                                     \
        static char one[256], two[256];                                                                                \
        int bytes = (int)chance(256), tag = (int)chance(100);                                                          \
        while (chance(3))                                                                                              \
            MPI_Sendrecv(one, bytes, MPI_CHAR, 0, tag, two, 256, MPI_CHAR, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);  \
        if (chance(2))                                                                                                 \
            MPI_Barrier(MPI_COMM_SELF);                                                                                \
    }
#define SENDERS(X)                                                                                                     \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19)
SENDERS(SENDER)
#define NAME(k) sender_##k,
static void (*const senders[])(void) = {SENDERS(NAME)};

static void shuffle(int n) {
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = (int)chance((unsigned)i + 1), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

/* n requests under way at a time, half of them receives; each goes to where chance has put it in the array. */
static void many(int n) {
    int left = (rank + size - 1) % size, right = (rank + 1) % size, done, some[64];
    shuffle(n);
    for (int i = 0; i < n / 2; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, i % 7 ? left : MPI_ANY_SOURCE, i % 100, MPI_COMM_WORLD, &requests[order[i]]);
    for (int i = 0; i < n / 2; i++) {
        out[i] = i;
        MPI_Isend(&out[i], 1, MPI_INT, right, i % 100, MPI_COMM_WORLD, &requests[order[n / 2 + i]]);
    }
    switch (chance(3)) {
    case 0:
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        for (int i = 0; i < n; i++)
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        break;
    default:
        for (int i = 0; i < n; i += 64)
            for (int of = n - i < 64 ? n - i : 64, got = 0; got < of; got += done)
                MPI_Waitsome(of, &requests[i], &done, some, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < n / 2; i++)
        if (in[i] % 100 != i % 100)
            MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    long steps = argc > 2 ? atol(argv[2]) : 1000;
    int n = argc > 3 ? atoi(argv[3]) / 2 * 2 : 4000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    state = (seed + 1000 + (uint64_t)rank) * 0x9e3779b97f4a7c15u | 1;
    for (long i = 0; i < steps; i++)
        senders[chance(sizeof senders / sizeof *senders)]();
    for (int i = 0; i < ROUNDS; i++)
        many(n < MOST_REQUESTS ? n : MOST_REQUESTS);
    printf("%u\n", chance(1000));
    MPI_Finalize();
    return 0;
}
