/* mpi_callbacks.c: functions of the user's that MPI calls, and which call MPI: reductions, attributes that are copied
 * and deleted, error handlers, and what is still to do when MPI_Finalize frees MPI_COMM_SELF. */
#include "mpi_check.h"

static int copies, deletions, errors, last;

static int copied(MPI_Comm comm, int key, void *extra, void *value, void *new_value, int *flag) {
    int size;
    (void)key;
    (void)extra;
    MPI_Comm_size(comm, &size);
    copies += size;
    *(void **)new_value = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int key, void *value, void *extra) {
    MPI_Comm copy;
    int rank, got = -1;
    (void)key;
    (void)extra;
    (void)value;
    MPI_Comm_rank(comm, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 3, &got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    deletions += got == rank;
    if (last) { /* as good a time as any for a communicator */
        int sum = 0, one = 1;
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD), &copy);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
        CHECK(sum == size_of(MPI_COMM_WORLD));
        MPI_Comm_free(&copy);
    }
    return MPI_SUCCESS;
}

static void handler(MPI_Comm *comm, int *code, ...) {
    int class, rank;
    MPI_Comm_rank(*comm, &rank);
    MPI_Error_class(*code, &class);
    errors += class != MPI_SUCCESS;
}

/* A reduction that is itself built from MPI: the larger of two, found with a predefined one. */
static void largest(void *in, void *inout, int *n, MPI_Datatype *type) {
    MPI_Reduce_local(in, inout, *n, *type, MPI_MAX);
}

int main(int argc, char **argv) {
    int key, value = 7, sum;
    long total = 0;
    MPI_Comm comm, copy;
    MPI_Errhandler own;
    MPI_Op op;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    MPI_Comm_create_keyval(copied, deleted, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, key, &value);
    for (int round = 0; round < 4; round++) {
        MPI_Comm_dup(comm, &copy);
        MPI_Barrier(copy);
        MPI_Comm_free(&copy);
    }
    CHECK(copies == 4 * size && deletions == 4);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(comm, own);
    for (int round = 0; round < 3; round++)
        MPI_Send(&value, 1, MPI_INT, size + 5, 0, comm);
    CHECK(errors == 3);
    MPI_Op_create(largest, 1, &op);
    for (int round = 0; round < 4; round++) {
        int mine = rank + round;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, op, comm);
        CHECK(sum == size - 1 + round);
        MPI_Iallreduce(&mine, &sum, 1, MPI_INT, op, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Reduce(&mine, &sum, 1, MPI_INT, op, size - 1, comm);
        MPI_Scan(&mine, &sum, 1, MPI_INT, op, comm);
        CHECK(sum == rank + round);
        total += sum;
    }
    MPI_Op_free(&op);
    MPI_Errhandler_free(&own);
    MPI_Comm_free(&comm);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &value); /* deleted by MPI_Finalize, and then it communicates */
    report("mpi_callbacks", total);
    last = 1;
    MPI_Finalize();
    return 0;
}
