/* hooks_callbacks.cc: C++ for test_hooks.sh: functions of the user's that MPI calls and that throw. The exception leaves
 * the MPI function, which has no more than its unwind table to say about it. After each of them the program goes on. */
#include <mpi.h>
#include <stdexcept>

#define KEPT __attribute__((noinline))

static int n_thrown;

namespace called_by_mpi {
KEPT void throws(int n) {
    MPI_Barrier(MPI_COMM_SELF);
    n_thrown++;
    if (n >= 0)
        throw std::runtime_error("from a function that MPI called");
}
KEPT void on_error(MPI_Comm *, int *code, ...) {
    MPI_Barrier(MPI_COMM_SELF);
    throws(*code);
}
KEPT void reduce(void *, void *, int *n, MPI_Datatype *) {
    MPI_Barrier(MPI_COMM_SELF);
    throws(*n);
}
KEPT int copied(MPI_Comm, int key, void *, void *, void *, int *) {
    MPI_Barrier(MPI_COMM_SELF);
    throws(key ? 1 : 2);
    return MPI_SUCCESS;
}
KEPT int deleted(MPI_Comm, int key, void *, void *) {
    MPI_Barrier(MPI_COMM_SELF);
    if (n_thrown % 2)
        throws(key ? 1 : 2);
    return MPI_SUCCESS;
}
} // namespace called_by_mpi

static int value = 1, sum;

KEPT static void send(MPI_Comm comm) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, 1000, 0, comm);
}
KEPT static void reduce(MPI_Op op) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Reduce_local(&value, &sum, 1, MPI_INT, op);
}
KEPT static void duplicate(MPI_Comm comm) {
    MPI_Comm copy;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(comm, &copy);
}
KEPT static void remove(MPI_Comm comm, int key) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_delete_attr(comm, key);
}

KEPT static int exchange(int n, int key, MPI_Op op) {
    int caught = 0;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(called_by_mpi::on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_set_attr(comm, key, &value);
    for (int i = 0; i < n; i++) {
        try {
            if (i % 2)
                send(comm);
            else
                reduce(op);
        } catch (const std::exception &) {
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            caught++;
        }
    }
    for (int i = 0; i < 2; i++) {
        try {
            if (i == 0)
                duplicate(comm);
            else
                remove(comm, key);
        } catch (const std::exception &) {
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            caught++;
        }
    }
    return caught;
}

int main(int argc, char **argv) {
    int key;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(called_by_mpi::copied, called_by_mpi::deleted, &key, nullptr);
    MPI_Op_create(called_by_mpi::reduce, 1, &op);
    int caught = exchange(10, key, op);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return caught == 12 ? 0 : 1;
}
