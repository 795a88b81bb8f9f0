/* patterns.c: communication as programs have it, each pattern timed by itself (patterns.sh): partners, tags and sizes
 * that take turns, polls between pieces of work, buffers that are flushed now and then. No part of refrain knows any of
 * them. One rank or more: on one rank all neighbours are the rank itself, so that nothing waits. Rank 0 prints, for
 * each pattern: name, MPI calls in a round, and the least nanoseconds of processor time that a round took, over
 * batches. Usage: patterns [ROUNDS [PATTERN]]: all patterns whose names hold PATTERN. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCHES 15
#define MOST 4096 /* integers in a message */
#define NEIGHBOURS 6
#define WALK_BYTES (320 << 10)

static int rank, size;
static int out[NEIGHBOURS][MOST], in[NEIGHBOURS][MOST];
static unsigned turn;  /* of the pattern, counted up with each round */
static uint64_t calls; /* MPI calls that this rank has made */
static MPI_Comm halves, copies[2];
static MPI_Win window;
static MPI_Request persistent[2 * NEIGHBOURS];
static MPI_Datatype column;

#define CALL(call) (calls++, (void)(call))

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int neighbour(int distance) {
    return ((rank + distance) % size + size) % size;
}

/* A program's own work: some arithmetic, which leaves the caches alone. */
static __attribute__((noinline)) void compute(unsigned steps) {
    static volatile double value = 1;
    double x = value;
    for (unsigned i = 0; i < steps; i++)
        x = x * 0.999 + 0.001;
    value = x;
}

/* Work that leaves nothing else in the first cache. */
static __attribute__((noinline)) void walk(void) {
    static long block[WALK_BYTES / sizeof(long)];
    for (unsigned i = 0; i < sizeof block / sizeof *block; i += 8)
        block[i]++;
}

static void irecv(int slot, int count, int from, int tag, MPI_Request *request) {
    CALL(MPI_Irecv(in[slot], count, MPI_INT, from, tag, MPI_COMM_WORLD, request));
}

static void isend(int slot, int count, int to, int tag, MPI_Request *request) {
    CALL(MPI_Isend(out[slot], count, MPI_INT, to, tag, MPI_COMM_WORLD, request));
}

/* ---- patterns ---- */

static void ring(void) {
    MPI_Request requests[2];
    int tag = (int)(turn % 5);
    irecv(0, 64, neighbour(-1), tag, &requests[0]);
    isend(0, 64, neighbour(1), tag, &requests[1]);
    CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

static void walked_ring(void) {
    walk();
    ring();
}

/* Small items are collected in a buffer for each partner. A full buffer is sent, and messages that have arrived are
 * received meanwhile. */
static void posted(void) {
    static int filled;
    static MPI_Request sent = MPI_REQUEST_NULL;
    int flag;
    MPI_Status status;
    out[0][filled++] = (int)turn;
    compute(20);
    if (turn % 3 == 0) {
        CALL(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, copies[0], &flag, &status));
        if (flag) {
            int count;
            CALL(MPI_Get_count(&status, MPI_INT, &count));
            CALL(MPI_Recv(in[0], count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, copies[0], MPI_STATUS_IGNORE));
        }
    }
    if (sent != MPI_REQUEST_NULL)
        CALL(MPI_Test(&sent, &flag, MPI_STATUS_IGNORE));
    if (filled < 16 + (int)(turn % 7) || sent != MPI_REQUEST_NULL)
        return;
    CALL(MPI_Isend(out[0], filled, MPI_INT, neighbour(1), 1, copies[0], &sent));
    filled = 0;
}

/* Six neighbours through one call site to receive and one to send, completed by polling. */
static void halo_polled(void) {
    MPI_Request requests[2 * NEIGHBOURS];
    int done = 0, distances[NEIGHBOURS] = {-1, 1, -2, 2, -3, 3};
    for (int i = 0; i < NEIGHBOURS; i++)
        irecv(i, MOST, neighbour(distances[i]), i ^ 1, &requests[i]);
    for (int i = 0; i < NEIGHBOURS; i++)
        isend(i, 16 << (i / 2 + turn % 2), neighbour(distances[i]), i, &requests[NEIGHBOURS + i]);
    while (!done) {
        compute(10);
        CALL(MPI_Testall(2 * NEIGHBOURS, requests, &done, MPI_STATUSES_IGNORE));
    }
}

static void halo_persistent(void) {
    int n, which[2 * NEIGHBOURS], left = 2 * NEIGHBOURS;
    CALL(MPI_Startall(2 * NEIGHBOURS, persistent));
    while (left > 0) {
        CALL(MPI_Waitsome(2 * NEIGHBOURS, persistent, &n, which, MPI_STATUSES_IGNORE));
        left -= n;
    }
}

static void shifts(void) {
    for (int i = 1; i <= 3; i++) {
        MPI_Datatype type = i == 2 ? column : MPI_INT;
        CALL(MPI_Sendrecv(out[0], i == 2 ? 1 : 64 * i, type, neighbour(i), i, in[0], i == 2 ? 1 : 64 * i, type,
                          neighbour(-i), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

/* A wavefront: lines grow and shrink again. */
static void wavefront(void) {
    unsigned phase = turn % 40;
    int count = (int)(phase < 20 ? phase + 1 : 40 - phase);
    MPI_Request request;
    irecv(0, count, neighbour(-1), 7, &request);
    CALL(MPI_Send(out[0], count, MPI_INT, neighbour(1), 7, MPI_COMM_WORLD));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    compute(5 * phase);
}

/* Sizes and tags without a rule, known to the receiver only from the message. */
static void probed(void) {
    static unsigned state = 1;
    MPI_Request request;
    MPI_Status status;
    int count;
    state = state * 1664525u + 1013904223u;
    CALL(MPI_Isend(out[0], (int)(state >> 20) % MOST, MPI_INT, neighbour(1), (int)(state >> 8 & 15), copies[1],
                   &request));
    CALL(MPI_Probe(neighbour(-1), MPI_ANY_TAG, copies[1], &status));
    CALL(MPI_Get_count(&status, MPI_INT, &count));
    CALL(MPI_Recv(in[0], count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, copies[1], MPI_STATUS_IGNORE));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Branches by chance between calls that are all alike. */
static void coin(void) {
    static unsigned state = 7;
    for (int i = 0; i < 8; i++) {
        state = state * 1664525u + 1013904223u;
        if (state >> 31)
            compute(4);
        else
            compute(6);
    }
    if (state >> 30 & 1)
        CALL(MPI_Barrier(MPI_COMM_SELF));
    else
        CALL(MPI_Bcast(out[0], 4, MPI_INT, 0, MPI_COMM_SELF));
}

static void roots(void) {
    CALL(MPI_Bcast(out[0], 64, MPI_INT, (int)turn % size, MPI_COMM_WORLD));
    compute(50);
    CALL(MPI_Reduce(out[0], in[0], 16, MPI_INT, MPI_SUM, (int)turn % size, MPI_COMM_WORLD));
}

static void communicators(void) {
    CALL(MPI_Allreduce(out[0], in[0], 8, MPI_INT, MPI_MAX, copies[turn % 2]));
    compute(30);
    CALL(MPI_Allreduce(out[0], in[0], 1 + (int)(turn % 4), MPI_INT, MPI_SUM, turn % 3 ? halves : MPI_COMM_WORLD));
}

/* A reduction in the background of work that polls. */
static void background(void) {
    MPI_Request request;
    int done = 0;
    CALL(MPI_Iallreduce(out[0], in[0], 32, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    for (int i = 0; i < 3 && !done; i++) {
        compute(20);
        CALL(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    }
    if (!done)
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void windows(void) {
    CALL(MPI_Win_lock(MPI_LOCK_SHARED, neighbour(1), 0, window));
    CALL(MPI_Put(out[0], 8, MPI_INT, neighbour(1), turn % 32 * 8, 8, MPI_INT, window));
    CALL(MPI_Win_unlock(neighbour(1), window));
}

static void exchange(void) {
    static int counts[1024], places[1024];
    for (int i = 0; i < size; i++) {
        counts[i] = 1 + (int)(turn % 6);
        places[i] = i * 8;
    }
    CALL(MPI_Alltoall(out[0], 1, MPI_INT, in[0], 1, MPI_INT, MPI_COMM_WORLD));
    CALL(MPI_Alltoallv(out[1], counts, places, MPI_INT, in[1], counts, places, MPI_INT, MPI_COMM_WORLD));
}

/* The same numbers on all ranks, without a rule. */
static int chance(int below) {
    static unsigned state = 3;
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 16) % (unsigned)below);
}

/* A number of requests by chance, each completed by a call of its own, the latest ones first. */
static void backwards(void) {
    MPI_Request requests[2 * NEIGHBOURS];
    int n = 1 + chance(NEIGHBOURS), done;
    for (int i = 0; i < n; i++)
        irecv(i, MOST, neighbour(-1), i, &requests[i]);
    for (int i = 0; i < n; i++)
        isend(i, 1 << (turn * 7 + (unsigned)i) % 9, neighbour(1), i, &requests[n + i]);
    for (int i = 2 * n - 1; i >= 0; i--) {
        if ((turn + (unsigned)i) % 3 == 0) {
            CALL(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
            continue;
        }
        for (done = 0; !done;)
            CALL(MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE));
    }
}

/* Some of the persistent requests, another set in each round, are started one by one and polled for in turns. Now and
 * then two of them are made anew. */
static void some_persistent(void) {
    int set = 1 + chance((1 << NEIGHBOURS) - 1), anew = (int)(turn / 32) % NEIGHBOURS, which, done = 0;
    if (turn % 32 == 0) {
        CALL(MPI_Request_free(&persistent[anew]));
        CALL(MPI_Request_free(&persistent[NEIGHBOURS + anew]));
        CALL(MPI_Send_init(out[anew], 1 + chance(300), MPI_INT, neighbour(anew + 1), anew, MPI_COMM_WORLD,
                           &persistent[NEIGHBOURS + anew]));
        CALL(MPI_Recv_init(in[anew], MOST, MPI_INT, neighbour(-anew - 1), anew, MPI_COMM_WORLD, &persistent[anew]));
    }
    for (int i = 0; i < 2 * NEIGHBOURS; i++)
        if (set >> i % NEIGHBOURS & 1)
            CALL(MPI_Start(&persistent[i]));
    do
        CALL(MPI_Testany(2 * NEIGHBOURS, persistent, &which, &done, MPI_STATUS_IGNORE));
    while (!done || which != MPI_UNDEFINED);
}

/* The same call sites at another depth in each round, on the way down and on the way up. */
static void descend(unsigned depth) {
    CALL(MPI_Sendrecv(out[0], (int)depth + 1, MPI_INT, neighbour(1 << depth), (int)depth, in[0], MOST, MPI_INT,
                      neighbour(-(1 << depth)), (int)depth, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (depth > 0)
        descend(depth - 1);
    if (depth % 2)
        CALL(MPI_Allreduce(out[0], in[0], (int)depth, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
}

static void recursive(void) {
    descend(turn * 13 % 7);
}

/* A communicator lives for 64 rounds, with other members and another order of ranks each time. */
static void short_lived(void) {
    static MPI_Comm comm = MPI_COMM_NULL;
    if (turn % 64 == 0) {
        if (comm != MPI_COMM_NULL)
            CALL(MPI_Comm_free(&comm));
        CALL(MPI_Comm_split(MPI_COMM_WORLD, rank % (1 + chance(2)), chance(2) ? -rank : rank, &comm));
    }
    CALL(MPI_Bcast(out[0], 1 + (int)(turn % 5), MPI_INT, 0, comm));
    if (chance(3) == 0)
        CALL(MPI_Allgather(out[0], 2, MPI_INT, in[0], 2, MPI_INT, comm));
}

/* What seldom comes: receives that are cancelled, no partner, synchronous sends, matched probes that look first. */
static void rare_calls(void) {
    MPI_Request request, sent;
    MPI_Message message;
    MPI_Status status;
    int there = 0, to = neighbour(1), tag = 100 + chance(4);
    CALL(MPI_Irecv(in[1], 8, MPI_INT, MPI_ANY_SOURCE, 99, copies[1], &request));
    if (chance(2))
        CALL(MPI_Issend(out[0], 1, column, to, tag, copies[1], &sent));
    else
        CALL(MPI_Isend(out[0], 1 + chance(50), MPI_INT, to, tag, copies[1], &sent));
    CALL(MPI_Sendrecv(out[1], 3, MPI_INT, MPI_PROC_NULL, 1, in[2], 3, MPI_INT, MPI_PROC_NULL, 1, copies[1], &status));
    while (!there)
        CALL(MPI_Improbe(MPI_ANY_SOURCE, tag, copies[1], &there, &message, &status));
    CALL(MPI_Cancel(&request));
    CALL(MPI_Wait(&request, &status));
    CALL(MPI_Imrecv(in[0], MOST, MPI_INT, &message, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Wait(&sent, MPI_STATUS_IGNORE));
}

static const struct {
    const char *name;
    void (*round)(void);
} patterns[] = {
    {"ring, tags in turns", ring},
    {"ring after a walk over 320 KiB", walked_ring},
    {"buffered posts, polls", posted},
    {"halo of six, polled", halo_polled},
    {"halo of six, persistent", halo_persistent},
    {"shifts in three directions", shifts},
    {"wavefront", wavefront},
    {"probed messages by chance", probed},
    {"collectives by chance", coin},
    {"roots in turns", roots},
    {"communicators in turns", communicators},
    {"reduction in the background", background},
    {"puts in a window", windows},
    {"all to all, sizes in turns", exchange},
    {"waits in descending order", backwards},
    {"persistent requests by chance", some_persistent},
    {"recursion of changing depth", recursive},
    {"communicators that live briefly", short_lived},
    {"calls that seldom come", rare_calls},
};

static void time_pattern(unsigned p, int rounds) {
    double least = 1e18, calls_each = 0;
    turn = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        calls = 0;
        double begin = now_ns();
        for (int i = 0; i < rounds; i++, turn++)
            patterns[p].round();
        double ns = (now_ns() - begin) / rounds;
        calls_each = (double)calls / rounds;
        least = ns < least ? ns : least;
    }
    if (rank == 0)
        printf("%s\t%.3f\t%.1f\n", patterns[p].name, calls_each, least);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 2000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &copies[i]);
    MPI_Type_vector(32, 1, 32, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Win_create(in[0], sizeof in[0], sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < NEIGHBOURS; i++) {
        MPI_Recv_init(in[i], 32 * i + 1, MPI_INT, neighbour(-i - 1), i, MPI_COMM_WORLD, &persistent[i]);
        MPI_Send_init(out[i], 32 * i + 1, MPI_INT, neighbour(i + 1), i, MPI_COMM_WORLD, &persistent[NEIGHBOURS + i]);
    }
    for (unsigned p = 0; p < sizeof patterns / sizeof *patterns; p++)
        if (argc <= 2 || strstr(patterns[p].name, argv[2]))
            time_pattern(p, rounds);
    for (int i = 0; i < 2 * NEIGHBOURS; i++)
        MPI_Request_free(&persistent[i]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
