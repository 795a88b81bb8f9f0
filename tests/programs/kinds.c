/* kinds.c: places that are followed by more kinds of steps than there is room to count. Functions call each other at
 * random: at their beginnings, from a switch, from loops with very different counts, from branches and after calls
 * through pointers, with markers between, and in user regions. All ranks do the same. Usage: kinds [SEED [STEPS]] */
#include <mpi.h>
#include <refrain/refrain.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N_KINDS 8u
static uint64_t state;
static int rank, size, value, other;
static void (*kinds[N_KINDS])(unsigned depth);

static unsigned chance(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % n);
}

/* Forty call sites, in functions without probes: the places that they are reached from go on in forty ways. */
#define SENDER(k)                                                                                                      \
    static void sender_##k(void) {                                                                                     \
        MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, k, &other, 1, MPI_INT, (rank + size - 1) % size, k,        \
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                                               \
    }
#define TEN(X, k) X(k##0) X(k##1) X(k##2) X(k##3) X(k##4) X(k##5) X(k##6) X(k##7) X(k##8) X(k##9)
#define SENDERS(X) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4)
SENDERS(SENDER)
#define NAME(k) sender_##k,
static void (*const senders[])(void) = {SENDERS(NAME)};

static void exchange(void) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"};
    const char *name = names[chance(sizeof names / sizeof *names)];
    if (chance(3) == 0)
        refrain_marker(name);
    unsigned in_region = chance(4);
    if (in_region == 0)
        refrain_region_begin(names[chance(sizeof names / sizeof *names)]);
    senders[chance(sizeof senders / sizeof *senders)]();
    if (in_region == 0)
        refrain_region_end();
}

static void alone(void) {
    for (unsigned n = chance(2) ? chance(100) : chance(4); n > 0; n--)
        if (chance(2))
            MPI_Barrier(MPI_COMM_SELF);
}

static void chosen(unsigned depth);

static void called_first(unsigned depth) {
    chosen(depth);
    for (unsigned n = chance(3); n > 0; n--)
        exchange();
}

static void branches(unsigned depth) {
    for (unsigned n = chance(3); n > 0; n--)
        if (chance(2)) {
            exchange();
            chosen(depth);
        } else {
            chosen(depth);
            alone();
        }
}

static void either(unsigned depth) {
    if (chance(2)) {
        chosen(depth);
        MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    for (unsigned n = chance(4); n > 0; n--)
        exchange();
    chosen(depth);
}

static void pointers(unsigned depth) {
    for (unsigned n = chance(3); n > 0; n--) {
        if (depth > 0)
            kinds[chance(N_KINDS)](depth - 1);
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        chosen(depth);
    }
}

static void itself(unsigned depth) {
    if (depth > 0 && chance(2))
        itself(depth - 1);
    for (unsigned n = chance(2); n > 0; n--)
        MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (depth > 0 && chance(2))
        itself(depth - 1);
    exchange();
}

static void loops(unsigned depth) {
    for (unsigned n = chance(3); n > 0; n--)
        chosen(depth);
    alone();
    for (unsigned n = chance(8); n > 0; n--)
        exchange();
}

static void seldom(unsigned depth) {
    for (unsigned n = chance(9) / 7; n > 0; n--) {
        chosen(depth);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void last(unsigned depth) {
    (void)depth;
    for (unsigned n = chance(5); n > 0; n--)
        exchange();
}

static void (*kinds[N_KINDS])(unsigned depth) = {called_first, branches, either, pointers, itself, loops, seldom, last};

static void chosen(unsigned depth) {
    if (depth == 0)
        return;
    switch (chance(10)) {
    case 0:
        called_first(depth - 1);
        break;
    case 1:
        branches(depth - 1);
        break;
    case 2:
        either(depth - 1);
        break;
    case 3:
        pointers(depth - 1);
        break;
    case 4:
        itself(depth - 1);
        break;
    case 5:
        loops(depth - 1);
        seldom(depth - 1);
        break;
    case 6:
        last(depth);
        break;
    default:
        kinds[chance(N_KINDS)](depth - 1);
    }
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    state = seed * 0x9e3779b97f4a7c15u | 1;
    for (long steps = argc > 2 ? atol(argv[2]) : 1000; steps > 0; steps--)
        chosen(1 + chance(5));
    printf("%u\n", chance(1000));
    MPI_Finalize();
    return 0;
}
