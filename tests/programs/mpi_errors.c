/* mpi_errors.c: invalid arguments get MPI's own error, and handles that MPI never gave out do no harm. The error
 * handler returns; the classes of the errors are printed. */
#include "mpi_check.h"

static void say(const char *what, int rc) {
    int class;
    MPI_Error_class(rc, &class);
    if (rank_in(MPI_COMM_WORLD) == 0)
        printf("mpi_errors: %s: %s\n", what, class == MPI_SUCCESS ? "no error" : "error");
}

int main(int argc, char **argv) {
    int value = 1, index, flag;
    MPI_Request request = MPI_REQUEST_NULL, requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Comm comm, none = MPI_COMM_NULL;
    MPI_Init(&argc, &argv);
    int size = size_of(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    say("rank too high", MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD));
    say("rank negative", MPI_Send(&value, 1, MPI_INT, -77, 0, MPI_COMM_WORLD));
    say("nonblocking rank too high", MPI_Isend(&value, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD, &request));
    request = MPI_REQUEST_NULL;
    say("count negative", MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    say("receive count negative", MPI_Irecv(&value, -5, MPI_INT, 0, 0, MPI_COMM_WORLD, &request));
    request = MPI_REQUEST_NULL;
    say("tag negative", MPI_Isend(&value, 1, MPI_INT, 0, -9, MPI_COMM_WORLD, &request));
    request = MPI_REQUEST_NULL;
    say("datatype null", MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
    say("communicator null", MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    say("root too high", MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD));
    say("barrier on null", MPI_Barrier(MPI_COMM_NULL));
    say("free null", MPI_Comm_free(&none));
    say("duplicate null", MPI_Comm_dup(MPI_COMM_NULL, &comm));
    say("wait for null", MPI_Wait(&request, MPI_STATUS_IGNORE));
    say("wait for all null", MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    say("any of null", MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE));
    /* a message longer than its receive: truncated, on both sides of the request table */
    int out[4] = {1, 2, 3, 4}, in[1];
    MPI_Isend(out, 4, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[0]);
    say("truncated", MPI_Recv(in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Irecv(in, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(out, 4, MPI_INT, 0, 6, MPI_COMM_SELF, &requests[1]);
    MPI_Status statuses[2];
    say("truncated in an array", MPI_Waitall(2, requests, statuses));
    for (int i = 0; i < 20; i++) { /* the table is none the worse for it */
        MPI_Irecv(in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(out, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, statuses);
    }
    report("mpi_errors", in[0]);
    MPI_Finalize();
    return 0;
}
