/* chance.c: random control flow, partners, tags, sizes, depth of recursion, call sites, communicators, windows and
 * requests; then a regular phase, then calls of functions that had not been called before. All ranks draw what
 * concerns them all from one sequence of numbers, so that whoever is sent to receives. Usage: chance [SEED [STEPS]] */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES 4096
#define COMMS 6

static uint64_t of_all, own;
static int rank, size;
static MPI_Comm comms[COMMS];
static MPI_Win window;
static char out[8][BYTES], in[8][BYTES], memory[BYTES];

static unsigned next(uint64_t *state, unsigned n) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (unsigned)((*state >> 11) % n);
}

/* The same on all ranks; each rank's own. */
static unsigned all(unsigned n) {
    return next(&of_all, n);
}
static unsigned mine(unsigned n) {
    return next(&own, n);
}

/* Many call sites: one in each of these functions. */
#define SENDER(k)                                                                                                      \
    static void sender_##k(void) {                                                                                     \
        int shift = (int)all((unsigned)size), tag = (int)all(4), bytes = (int)all(k % 3 ? 20 : BYTES);                 \
        MPI_Sendrecv(out[0], bytes, MPI_CHAR, (rank + shift) % size, tag, in[0], BYTES, MPI_CHAR,                      \
                     (rank + size - shift) % size, tag, comms[k % COMMS], MPI_STATUS_IGNORE);                          \
    }
#define SENDERS(X)                                                                                                     \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19)
SENDERS(SENDER)
#define NAME(k) sender_##k,
static void (*const senders[])(void) = {SENDERS(NAME)};
#define N_SENDERS (sizeof senders / sizeof *senders)

static void requests(void) {
    MPI_Request request[16];
    unsigned n = all(8), posted = 0;
    for (unsigned i = 0; i < n; i++) {
        int shift = (int)all((unsigned)size), tag = (int)all(100), bytes = (int)all(50) * 8;
        MPI_Irecv(in[i], BYTES, MPI_CHAR, (rank + size - shift) % size, tag, MPI_COMM_WORLD, &request[posted++]);
        MPI_Isend(out[i], bytes, MPI_CHAR, (rank + shift) % size, tag, MPI_COMM_WORLD, &request[posted++]);
    }
    if (mine(2)) {
        MPI_Waitall((int)posted, request, MPI_STATUSES_IGNORE);
        return;
    }
    int index;
    for (unsigned left = posted; left > 0; left--)
        MPI_Waitany((int)posted, request, &index, MPI_STATUS_IGNORE);
}

static void alone(void) {
    static char one[64], two[64];
    if (mine(3) == 0)
        MPI_Barrier(MPI_COMM_SELF);
    for (unsigned i = mine(4); i > 0; i--)
        if (mine(2)) {
            int bytes = (int)mine(64);
            MPI_Sendrecv(one, bytes, MPI_CHAR, 0, 1, two, 64, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        } else if (mine(3) == 0) {
            continue;
        } else {
            MPI_Barrier(MPI_COMM_SELF);
        }
}

static void collect(void) {
    double a = 1, b;
    switch (all(4)) {
    case 0:
        MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, comms[all(COMMS)]);
        break;
    case 1:
        MPI_Bcast(in[1], (int)all(BYTES), MPI_CHAR, (int)all((unsigned)size), comms[all(COMMS)]);
        break;
    case 2:
        MPI_Barrier(comms[all(COMMS)]);
        break;
    default:
        MPI_Reduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, (int)all((unsigned)size), MPI_COMM_WORLD);
    }
}

static void access_window(void) {
    MPI_Win_fence(0, window);
    for (unsigned i = all(4); i > 0; i--) {
        int bytes = (int)all(64), target = (int)all((unsigned)size);
        if (all(2))
            MPI_Put(out[2], bytes, MPI_CHAR, target, 64 * rank, bytes, MPI_CHAR, window);
        else
            MPI_Get(in[2], bytes, MPI_CHAR, target, 0, bytes, MPI_CHAR, window);
    }
    MPI_Win_fence(0, window);
}

static void recurse(unsigned depth);

/* The other half of a recursion. */
static void around(unsigned depth) {
    if (all(2))
        collect();
    recurse(depth);
}

static void recurse(unsigned depth) {
    if (depth == 0 || all(5) == 0) {
        senders[all(N_SENDERS)]();
        return;
    }
    for (unsigned i = all(3); i > 0; i--)
        if (all(3))
            recurse(depth - 1);
        else
            around(depth - 1);
    if (all(4) == 0)
        alone();
}

static void phase_of_chance(long steps) {
    while (steps-- > 0) {
        switch (all(8)) {
        case 0:
            requests();
            break;
        case 1:
            recurse(all(6));
            break;
        case 2:
            collect();
            break;
        case 3:
            access_window();
            break;
        case 4:
            if (all(40) == 0) { /* a communicator comes and goes */
                unsigned k = 1 + all(COMMS - 1);
                MPI_Comm_free(&comms[k]);
                MPI_Comm_dup(MPI_COMM_WORLD, &comms[k]);
                break;
            }
            /* fall through */
        default:
            if (all(3))
                senders[all(N_SENDERS)]();
            else
                alone();
        }
    }
}

static void phase_of_rule(long steps) {
    for (long i = 0; i < steps; i++) {
        double a = 1, b;
        MPI_Sendrecv(out[0], 80, MPI_CHAR, (rank + 1) % size, 7, in[0], BYTES, MPI_CHAR, (rank + size - 1) % size, 7,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i % 10 == 0)
            MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
}

static void calls_not_seen_before(void) {
    MPI_Datatype type;
    int value = 0, values[64];
    for (int i = 0; i < 100; i++) {
        MPI_Allgather(&value, 1, MPI_INT, values, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Scan(&value, values, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Type_contiguous(4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Send(values, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Ssend(values, 0, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    long steps = argc > 2 ? atol(argv[2]) : 1000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    of_all = seed * 0x9e3779b97f4a7c15u | 1;
    own = (seed + 1000 + (uint64_t)rank) * 0x9e3779b97f4a7c15u | 1;
    comms[0] = MPI_COMM_WORLD;
    for (int i = 1; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    phase_of_chance(steps);
    phase_of_rule(steps / 4);
    calls_not_seen_before();
    MPI_Win_free(&window);
    for (int i = 1; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    printf("%u %u\n", all(1000), mine(1000));
    MPI_Finalize();
    return 0;
}
