/* chance.h: shared by the random programs: random numbers, and functions with call sites and control flow of their own,
 * which use up the memory. */
#ifndef CHANCE_H
#define CHANCE_H

#include <mpi.h>
#include <stdint.h>

static uint64_t chance_state; /* not 0 */

/* A number below n. */
static unsigned chance(unsigned n) {
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return (unsigned)((chance_state >> 11) % n);
}

/* The ranks that the functions exchange messages with; they draw the same numbers. */
static struct {
    MPI_Comm comm;
    int rank, size;
} chance_ranks;

static void chance_begin(uint64_t seed, MPI_Comm comm) {
    chance_state = seed * 0x9e3779b97f4a7c15u | 1;
    chance_ranks.comm = comm;
    MPI_Comm_rank(comm, &chance_ranks.rank);
    MPI_Comm_size(comm, &chance_ranks.size);
}

#define CHANCE_SENDER(k)                                                                                               \
    static void sender_##k(void) {                                                                                     \
        static char out[256], in[256];                                                                                 \
        int rank = chance_ranks.rank, size = chance_ranks.size;                                                        \
        int bytes = (int)chance(256), tag = (int)chance(100), shift = (int)chance((unsigned)size);                     \
        while (chance(3))                                                                                              \
            MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + shift) % size, tag, in, 256, MPI_CHAR,                          \
                         (rank + size - shift) % size, tag, chance_ranks.comm, MPI_STATUS_IGNORE);                     \
        if (chance(2))                                                                                                 \
            MPI_Barrier(chance_ranks.comm);                                                                            \
    }
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
TEN(CHANCE_SENDER, 1)
TEN(CHANCE_SENDER, 2)
#define CHANCE_NAME(k) sender_##k,
static void (*const chance_senders[])(void) = {TEN(CHANCE_NAME, 1) TEN(CHANCE_NAME, 2)};

static void chance_spend(long steps) {
    for (; steps > 0; steps--)
        chance_senders[chance(sizeof chance_senders / sizeof *chance_senders)]();
}

#endif
