/* chance_requests.c: random control flow until the memory is full. Then thousands of requests are pending at a time,
 * and are completed in random orders, all together or one by one. Usage: chance_requests [SEED [STEPS [REQUESTS]]] */
#include "chance.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_REQUESTS 20000
#define ROUNDS 4

static int rank, size;
static MPI_Request requests[MOST_REQUESTS];
static int order[MOST_REQUESTS], in[MOST_REQUESTS], out[MOST_REQUESTS];

static void shuffle(int n) {
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = (int)chance((unsigned)i + 1), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

/* n requests are pending at a time, half of them receives, each at a random place of the array. */
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
    chance_begin(seed + 1000 + (uint64_t)rank, MPI_COMM_SELF); /* so each rank draws its own numbers */
    chance_spend(steps);
    for (int i = 0; i < ROUNDS; i++)
        many(n < MOST_REQUESTS ? n : MOST_REQUESTS);
    printf("%u\n", chance(1000));
    MPI_Finalize();
    return 0;
}
