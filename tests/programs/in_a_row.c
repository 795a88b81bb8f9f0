/* in_a_row.c: repeats collectives or messages of one call site, and everything that may come between two of them or
 * inside one: other parameters, another message than expected, none, a message that is too long, another call, another
 * communicator, a signal handler with collectives, a call inside the operation of a reduction or an error handler, a
 * pause, a recursion, another function on the same line. Usage: in_a_row ROUNDS [KILL]. "between", "inside",
 * "messages": all ranks kill themselves after a number of reductions, inside one, or after a number of messages. */
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

/* Calls between two of the repeated ones. */
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

/* The same handles get another meaning. */
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

/* Each sends to the next rank what it receives from the one before it. */
static int exchange(int n, int tag, int source) {
    int values[3] = {1, 2, 3}, received[3] = {0}, size = size_of(MPI_COMM_WORLD), count;
    MPI_Status status;
    MPI_Sendrecv(values, n, MPI_INT, (rank_in(MPI_COMM_WORLD) + 1) % size, tag, received, 3, MPI_INT, source,
                 MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_TAG == tag);
    MPI_Get_count(&status, MPI_INT, &count);
    return count;
}

static void exchanges(int n, MPI_Comm comm) {
    int size = size_of(comm), next = (rank_in(comm) + 1) % size, before = (rank_in(comm) + size - 1) % size, value = 7;
    for (int i = 0; i < n; i++)
        MPI_Sendrecv_replace(&value, 1, MPI_INT, next, 5, before, 5, comm, MPI_STATUS_IGNORE);
    CHECK(value == 7);
}

static void on_error(MPI_Comm *comm, int *error, ...) {
    int size;
    (void)error;
    MPI_Comm_size(*comm, &size);
    barriers(MPI_COMM_SELF, 10);
}

/* To itself: some that are sent, and all of them received; every 7th pass one is too long. */
static void in_rows(int rounds) {
    static char room[64 * (sizeof(int[4]) + MPI_BSEND_OVERHEAD)];
    MPI_Errhandler handler;
    MPI_Comm self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(self, handler);
    MPI_Buffer_attach(room, (int)sizeof room);
    for (int i = 0; i < rounds / 20; i++) {
        int values[4] = {i}, received[3], failed = 0;
        for (int k = 0; k < 40; k++)
            MPI_Bsend(values, i % 7 == 0 && k == 30 ? 4 : 1 + (i % 3 == 0 && k > 35), MPI_INT,
                      k == 20 ? MPI_PROC_NULL : 0, i % 5 == 0 && k == 25, self);
        for (int k = 0; k < 40; k++)
            failed += MPI_Recv(received, 3, MPI_INT,
                               k == 20 ? MPI_PROC_NULL
                               : i % 2 ? MPI_ANY_SOURCE
                                       : 0,
                               MPI_ANY_TAG, self, MPI_STATUS_IGNORE) != MPI_SUCCESS;
        CHECK(failed == (i % 7 == 0));
    }
    int bytes;
    void *detached;
    MPI_Buffer_detach(&detached, &bytes);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&self);
}

/* One sends, the other receives, and answers at the end. */
static void one_way(int rounds) {
    int rank = rank_in(MPI_COMM_WORLD), value = 0, size = size_of(MPI_COMM_WORLD);
    if (size % 2)
        return;
    for (int i = 0; i < rounds; i++)
        if (rank % 2 == 0)
            MPI_Send(&i, 1, MPI_INT, rank + 1, i % 300 == 299, MPI_COMM_WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, rank - 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < rounds; i++)
        if (rank % 2 == 0)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Ssend(&value, i % 128 != 0, MPI_INT, rank - 1, 9, MPI_COMM_WORLD);
}

static void messages(int rounds) {
    for (int i = 0; i < rounds; i++) {
        int n = i % 400 == 30 || i % 90 > 80 ? 2 : 1;
        CHECK(exchange(n, i % 700 == 60,
                       i % 50 > 30
                           ? MPI_ANY_SOURCE
                           : (rank_in(MPI_COMM_WORLD) + size_of(MPI_COMM_WORLD) - 1) % size_of(MPI_COMM_WORLD)) == n);
        if (i % 500 == 400)
            raise(SIGUSR1);
        if (i % 1500 == 1300) {
            refrain_pause();
            exchanges(20, MPI_COMM_WORLD);
            refrain_resume();
        }
        if (i % 100 == 99)
            exchanges(100, i % 300 == 99 ? MPI_COMM_SELF : MPI_COMM_WORLD);
    }
    in_rows(rounds);
    one_way(rounds);
}

static void deeper(int depth) {
    barriers(MPI_COMM_WORLD, 60);
    for (int i = 0; i < 60; i++)
        all(1, MPI_COMM_WORLD);
    exchanges(60, MPI_COMM_WORLD);
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
    messages(rounds);
    deeper(8);
    if (size_of(MPI_COMM_WORLD) == 1) { /* that many go alike before */
        barriers(MPI_COMM_WORLD, 70000);
        exchanges(70000, MPI_COMM_WORLD);
    }
    if (kill_at[0]) {
        for (int i = 0; i < 777; i++)
            all(1, MPI_COMM_WORLD);
        if (strcmp(kill_at, "messages") == 0) {
            exchanges(777, MPI_COMM_SELF);
            kill(getpid(), SIGKILL);
        }
        if (strcmp(kill_at, "between") == 0)
            kill(getpid(), SIGKILL);
        in_next = KILL;
        all(1, MPI_COMM_WORLD);
    }
    report("in_a_row", rounds);
    MPI_Op_free(&sum);
    MPI_Finalize();
    return 0;
}
