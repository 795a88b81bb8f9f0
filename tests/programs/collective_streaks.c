/* collective_streaks.c: collectives of one site, one right after the other, and all that comes between two of them or
 * within one: other words, another call, another communicator, a signal handler with collectives of its own, a call
 * within an operation of a reduction, a pause, a recursion, another function from the same line.
 * Usage: collective_streaks ROUNDS [KILL]; "between", "inside": all ranks kill themselves after so many reductions, or
 * in one. */
#include "mpi_check.h"
#include <refrain/refrain.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static enum { NOTHING, CALL, SIGNAL, COLLECTIVES, KILL } in_next;
static MPI_Op sum;

static void barriers(MPI_Comm comm, int n) {
    for (int i = 0; i < n; i++)
        MPI_Barrier(comm);
}

static void handler(int signal) {
    (void)signal;
    barriers(MPI_COMM_SELF, 30);
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type) {
    int size, what = in_next;
    (void)type;
    in_next = NOTHING;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    switch (what) {
    case CALL:
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        break;
    case SIGNAL:
        raise(SIGUSR1);
        break;
    case COLLECTIVES:
        barriers(MPI_COMM_SELF, 40);
        break;
    case KILL:
        kill(getpid(), SIGKILL);
    }
}

static int all(int n, MPI_Comm comm) {
    int values[3] = {1, 1, 1}, sums[3];
    MPI_Allreduce(values, sums, n, MPI_INT, sum, comm);
    return sums[0];
}

/* What is between two of them. */
static void between(int rounds) {
    for (int i = 0; i < rounds; i++) {
        CHECK(all(i % 400 == 30 || i % 90 > 80 ? 2 : 1, MPI_COMM_WORLD) == size_of(MPI_COMM_WORLD));
        all(1, MPI_COMM_WORLD);
    }
    for (int i = 0; i < rounds; i++) {
        all(i % 700 == 30 ? 3 : 1, MPI_COMM_WORLD);
        if (i % 600 == 300)
            MPI_Barrier(MPI_COMM_SELF);
        if (i % 500 == 400)
            raise(SIGUSR1);
        if (i % 1500 == 1300) {
            refrain_pause();
            barriers(MPI_COMM_WORLD, 20);
            refrain_resume();
        }
    }
}

static void inside(int rounds) {
    for (int i = 0; i < rounds; i++) {
        int at = i % 400;
        in_next = at == 100 ? CALL : at == 200 ? SIGNAL : at == 300 ? COLLECTIVES : NOTHING;
        all(1, MPI_COMM_WORLD);
    }
}

/* The same handles come to mean something else. */
static void handles(int rounds) {
    for (int i = 0; i < rounds / 100; i++) {
        MPI_Comm comm;
        MPI_Datatype type;
        char buffer[64] = {0};
        MPI_Comm_split(MPI_COMM_WORLD, i % 3 ? 0 : rank_in(MPI_COMM_WORLD), 0, &comm);
        MPI_Type_contiguous(1 + i % 5, MPI_INT, &type);
        MPI_Type_commit(&type);
        for (int k = 0; k < 100; k++)
            MPI_Bcast(buffer, 1, type, 0, comm);
        for (int k = 0; k < 100; k++)
            MPI_Bcast(buffer, 1, type, k > 50 && size_of(comm) > 1, comm);
        MPI_Type_free(&type);
        MPI_Comm_free(&comm);
    }
}

/* Two functions from one line. */
static void same_line(int rounds) {
    int (*volatile functions[])(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm) = {MPI_Allreduce, MPI_Scan};
    for (int i = 0; i < rounds; i++) {
        int value = 1, result;
        functions[i % 500 > 480](&value, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void deeper(int depth) {
    barriers(MPI_COMM_WORLD, 60);
    for (int i = 0; i < 60; i++)
        all(1, MPI_COMM_WORLD);
    if (depth > 0)
        deeper(depth - 1);
    barriers(MPI_COMM_SELF, 60);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    const char *kill_at = argc > 2 ? argv[2] : "";
    MPI_Init(&argc, &argv);
    signal(SIGUSR1, handler);
    MPI_Op_create(add, 1, &sum);
    between(rounds);
    inside(rounds);
    handles(rounds);
    same_line(rounds);
    deeper(8);
    if (size_of(MPI_COMM_WORLD) == 1)
        barriers(MPI_COMM_WORLD, 70000); /* more than a round has */
    if (kill_at[0]) {
        for (int i = 0; i < 777; i++)
            all(1, MPI_COMM_WORLD);
        if (strcmp(kill_at, "between") == 0)
            kill(getpid(), SIGKILL);
        in_next = KILL;
        all(1, MPI_COMM_WORLD);
    }
    report("collective_streaks", rounds);
    MPI_Op_free(&sum);
    MPI_Finalize();
    return 0;
}
