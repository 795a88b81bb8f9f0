/* merged_calls.c: MPI calls of which the compiler makes one of two, or several of one, or which have no place of their
 * own; some are made for the first time after many others. */
#include <mpi.h>
#include <setjmp.h>

#define LATE 600

static int data[64];
static jmp_buf away;
static int (*volatile barrier)(MPI_Comm) = MPI_Barrier;

static void alike(int i) {
    if (i & 4)
        MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else if (i < LATE)
        MPI_Bcast(data, 2, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static inline __attribute__((always_inline)) void put_in(int n) {
    MPI_Bcast(data, n, MPI_INT, 0, MPI_COMM_SELF);
}

static __attribute__((noinline)) void puts_in(int i) {
    put_in(3);
    if (i % 5 == 0)
        put_in(i > LATE ? 4 : 5);
}

#define TWO (MPI_Barrier(MPI_COMM_WORLD), MPI_Barrier(MPI_COMM_SELF))

static __attribute__((noinline)) int tail(int i) {
    return i % 2 ? MPI_Barrier(MPI_COMM_SELF) : MPI_Barrier(MPI_COMM_WORLD);
}

static __attribute__((noinline)) int size_of(MPI_Comm comm) {
    int size;
    MPI_Comm_size(comm, &size);
    return size;
}

/* Jumps out of a function that was entered below its own frame, and calls from there. */
static __attribute__((noinline)) void jump(int i) {
    MPI_Barrier(MPI_COMM_SELF);
    if (i % 7 == 0)
        longjmp(away, 1);
}

static __attribute__((noinline)) void land(int i) {
    if (setjmp(away) == 0)
        jump(i);
    else
        MPI_Bcast(data, 6, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Bcast(data, 7, MPI_INT, 0, MPI_COMM_SELF);
}

/* Jumps out of a call's arguments, so that the call is not made; another one, of which nothing is known, comes next. */
static __attribute__((noinline)) int jump_away(int i) {
    if (i % 9 == 0)
        longjmp(away, 1);
    return 1;
}

static __attribute__((noinline)) void give_up(int i) {
    if (setjmp(away) == 0)
        MPI_Bcast(data, jump_away(i), MPI_INT, 0, MPI_COMM_SELF);
    barrier(MPI_COMM_SELF);
}

/* A call in a call's arguments, and a decision there. */
static __attribute__((noinline)) void nest(int i) {
    int rank;
    MPI_Bcast(data, (MPI_Comm_rank(MPI_COMM_SELF, &rank), 11), MPI_INT, 0, MPI_COMM_SELF);
    MPI_Bcast(data, i % 2 ? 12 : 13, MPI_INT, 0, MPI_COMM_SELF);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2 * LATE; i++) {
        alike(i);
        puts_in(i);
        TWO, tail(i);
        MPI_Bcast(data, i % 3 ? size_of(MPI_COMM_WORLD) : 8, MPI_INT, 0, MPI_COMM_SELF);
        if (i % 11 == 0)
            barrier(MPI_COMM_SELF);
        if (i > LATE && i % 200 == 0) {
            int (*volatile other)(void *, int, MPI_Datatype, int, MPI_Comm) = MPI_Bcast;
            other(data, 9, MPI_INT, 0, MPI_COMM_SELF);
        }
        land(i);
        give_up(i);
        nest(i);
    }
    MPI_Finalize();
    return 0;
}
