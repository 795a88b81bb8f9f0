/* mpi_cost.c: patterns of MPI calls in loops, each timed by itself (mpi_cost.sh). Two ranks or more; rank 0 prints, for
 * each pattern: name, MPI calls per round, and the least nanoseconds a round took, over batches. Usage: mpi_cost
 * [ROUNDS [PATTERN]]: all patterns whose names hold PATTERN.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCHES 15
#define WALK_BYTES (320 << 10)
#define INTS 8192 /* 32 KiB messages: most calls take a microsecond and more */

static int rank, size, left, right, peer;
static int out[4][INTS], in[4][INTS];
static MPI_Request persistent[8];

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void pingpong(void) {
    if (peer < 0)
        return;
    if (rank % 2 == 0) {
        MPI_Send(out[0], INTS, MPI_INT, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(in[0], INTS, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in[0], INTS, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out[0], INTS, MPI_INT, peer, 1, MPI_COMM_WORLD);
    }
}

static void sendrecv(void) {
    MPI_Sendrecv(out[0], INTS, MPI_INT, right, 2, in[0], INTS, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void post(MPI_Request *requests, int n) {
    for (int i = 0; i < n; i++)
        MPI_Irecv(in[i], INTS, MPI_INT, i % 2 ? left : right, 3 + i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < n; i++)
        MPI_Isend(out[i], INTS, MPI_INT, i % 2 ? right : left, 3 + i, MPI_COMM_WORLD, &requests[n + i]);
}

static void pair(void) {
    MPI_Request requests[2];
    post(requests, 1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void halo(void) {
    MPI_Request requests[8];
    post(requests, 4);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static void any(void) {
    MPI_Request requests[8];
    int index;
    post(requests, 4);
    for (int i = 0; i < 8; i++)
        MPI_Waitany(8, requests, &index, MPI_STATUS_IGNORE);
}

static void persist(void) {
    MPI_Startall(8, persistent);
    MPI_Waitall(8, persistent, MPI_STATUSES_IGNORE);
}

static void bcast(void) {
    MPI_Bcast(out[0], INTS, MPI_INT, 0, MPI_COMM_WORLD);
}

static void allreduce(void) {
    MPI_Allreduce(out[0], in[0], 2048, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void dot(void) {
    static double sum = 1, all;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* A program's own work, which leaves nothing of a tracer in the first cache. */
static __attribute__((noinline)) void walk(void) {
    static long block[WALK_BYTES / sizeof(long)];
    for (unsigned i = 0; i < sizeof block / sizeof *block; i += 8)
        block[i]++;
}

static void walk_bcast(void) {
    walk();
    bcast();
}

static void walk_sendrecv(void) {
    static int sent, received;
    walk();
    MPI_Sendrecv(&sent, 1, MPI_INT, right, 2, &received, 1, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void walk_pair(void) {
    walk();
    pair();
}

static void walk_barrier(void) {
    walk();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Sums and vectors are exchanged alternately, as in a conjugate gradient method. So the parameters of three calls have
 * a cycle of six. */
static void walk_exchange(void) {
    static unsigned turn;
    int tag = (int)(turn % 3), n = turn % 2 ? 1 : 128;
    MPI_Request request;
    turn++;
    walk();
    MPI_Irecv(in[0], n, MPI_INT, left, tag, MPI_COMM_WORLD, &request);
    MPI_Send(out[0], n, MPI_INT, right, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void iallreduce(void) {
    MPI_Request request;
    MPI_Iallreduce(out[0], in[0], 2048, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void barrier(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*round)(void);
    int calls;
} patterns[] = {
    {"Send + Recv", pingpong, 2},
    {"Sendrecv", sendrecv, 1},
    {"Irecv + Isend + Waitall", pair, 3},
    {"4 Irecv + 4 Isend + Waitall", halo, 9},
    {"4 Irecv + 4 Isend + 8 Waitany", any, 16},
    {"Startall + Waitall of 8", persist, 2},
    {"Bcast", bcast, 1},
    {"Allreduce", allreduce, 1},
    {"Allreduce of one number", dot, 1},
    {"Iallreduce + Wait", iallreduce, 2},
    {"Barrier", barrier, 1},
    {"320 KiB walked, Barrier", walk_barrier, 1},
    {"320 KiB walked, Bcast", walk_bcast, 1},
    {"320 KiB walked, Sendrecv", walk_sendrecv, 1},
    {"320 KiB walked, Irecv + Isend + Waitall", walk_pair, 3},
    {"320 KiB walked, Irecv + Send + Wait, in turns", walk_exchange, 3},
};

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 2000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    peer = rank % 2 ? rank - 1 : rank + 1 < size ? rank + 1 : -1;
    for (int i = 0; i < 4; i++) {
        MPI_Recv_init(in[i], INTS, MPI_INT, left, i, MPI_COMM_WORLD, &persistent[i]);
        MPI_Send_init(out[i], INTS, MPI_INT, right, i, MPI_COMM_WORLD, &persistent[4 + i]);
    }
    for (unsigned p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        double least = 1e18;
        if (argc > 2 && !strstr(patterns[p].name, argv[2]))
            continue;
        for (int batch = 0; batch < BATCHES; batch++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = now_ns();
            for (int i = 0; i < rounds; i++)
                patterns[p].round();
            double ns = (now_ns() - begin) / rounds;
            least = ns < least ? ns : least;
        }
        if (rank == 0)
            printf("%s\t%d\t%.1f\n", patterns[p].name, patterns[p].calls, least);
    }
    for (int i = 0; i < 8; i++)
        MPI_Request_free(&persistent[i]);
    MPI_Finalize();
    return 0;
}
