/* mpi_errors.c: invalid arguments get MPI's own error, and handles that MPI never gave out do no harm. Prints the class
 * and the first words of every error. Usage: mpi_errors [FATAL]
 * With a number the error handler does not return, and that one of a few errors is made alone. */
#include "mpi_check.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static void say(const char *what, int rc) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int class, length;
    MPI_Error_class(rc, &class);
    MPI_Error_string(rc, text, &length);
    text[strcspn(text, ",\n")] = 0;
    if (rank_in(MPI_COMM_WORLD) == 0)
        printf("mpi_errors: %s: %d %s\n", what, class, class == MPI_SUCCESS ? "" : text);
}

static int size;

static void fatal(int which) {
    int value = 1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Barrier(MPI_COMM_WORLD); /* all are past MPI_Init */
    switch (which) {
    case 1:
        MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
        break;
    case 2:
        MPI_Irecv(&value, -5, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        break;
    case 3:
        MPI_Barrier(MPI_COMM_NULL);
        break;
    case 4:
        MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD);
        break;
    case 5:
        MPI_Isend(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, &request);
        break;
    default:
        MPI_Send(&value, 1, MPI_INT, 0, -9, MPI_COMM_WORLD);
    }
}

/* Requests that were made behind the back of whoever counts them, and such as never were or are no more. */
static void strange_requests(void) {
    int out = 3, in = 0, flag, index, n, indices[3];
    MPI_Request requests[3];
    MPI_Status statuses[3];
    for (int round = 0; round < 3; round++) {
        PMPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
        PMPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
        say("waiting for what nobody saw", MPI_Waitall(2, requests, statuses));
        PMPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
        say("for one of two", MPI_Waitsome(2, requests, &n, indices, MPI_STATUSES_IGNORE));
        say("for the rest", MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
        PMPI_Waitall(2, requests, statuses); /* completed behind its back */
        PMPI_Recv_init(&in, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[0]);
        say("starting", MPI_Start(&requests[0]));
        MPI_Send(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
        say("waiting", MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        say("freeing", MPI_Request_free(&requests[0]));
    }
    requests[0] = MPI_REQUEST_NULL;
    say("start null", MPI_Start(&requests[0]));
    say("free null", MPI_Request_free(&requests[0]));
    say("cancel null", MPI_Cancel(&requests[0]));
    say("count negative", MPI_Waitall(-1, requests, MPI_STATUSES_IGNORE));
    say("count negative, any", MPI_Waitany(-2, requests, &index, MPI_STATUS_IGNORE));
    say("count negative, some", MPI_Testsome(-2, requests, &n, indices, MPI_STATUSES_IGNORE));
#ifdef MPICH_VERSION /* a handle is a number there, and Open MPI does not look before it leaps */
    memset(requests, 0x55, sizeof requests);
    say("wait for garbage", MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    say("test garbage", MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE));
    say("wait for all garbage", MPI_Waitall(3, requests, statuses));
    say("test all garbage", MPI_Testall(3, requests, &flag, statuses));
    say("wait for any garbage", MPI_Waitany(3, requests, &index, statuses));
    say("wait for some garbage", MPI_Waitsome(3, requests, &n, indices, MPI_STATUSES_IGNORE));
    say("start garbage", MPI_Startall(3, requests));
    say("cancel garbage", MPI_Cancel(&requests[0]));
    say("free garbage", MPI_Request_free(&requests[0]));
    say("no request", MPI_Wait(NULL, MPI_STATUS_IGNORE));
    say("no requests", MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE));
    say("no requests", MPI_Startall(2, NULL));
    MPI_Comm strange;
    MPI_Datatype type;
    MPI_Win win;
    memset(&strange, 0x55, sizeof strange);
    memset(&type, 0x55, sizeof type);
    memset(&win, 0x55, sizeof win);
    say("garbage communicator", MPI_Send(&out, 1, MPI_INT, 0, 0, strange));
    say("collective on garbage", MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, strange));
    say("garbage datatype", MPI_Send(&out, 1, type, 0, 0, MPI_COMM_SELF));
    say("put to garbage", MPI_Put(&out, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    say("duplicate garbage", MPI_Comm_dup(strange, &strange));
#else
    (void)flag;
#endif
}

/* One of four requests fails. The others have completed nevertheless (the test counts tag 8). */
static void one_of_some(bool tests, bool ignored) {
    int out[4] = {1, 2, 3, 4}, in[4], n, left = 4, indices[4];
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Isend(out, 4, MPI_INT, 0, 8, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(out, 4, MPI_INT, 0, 9, MPI_COMM_SELF, &requests[1]);
    MPI_Irecv(in, 4, MPI_INT, 0, 8, MPI_COMM_SELF, &requests[2]);
    MPI_Irecv(&in[3], 1, MPI_INT, 0, 9, MPI_COMM_SELF, &requests[3]);
    while (left > 0) {
        MPI_Status *wanted = ignored ? MPI_STATUSES_IGNORE : statuses;
        int rc =
            tests ? MPI_Testsome(4, requests, &n, indices, wanted) : MPI_Waitsome(4, requests, &n, indices, wanted);
        if (rc != MPI_SUCCESS)
            say("truncated among some", rc);
        left -= n;
    }
}

int main(int argc, char **argv) {
    int value = 1, index, flag;
    MPI_Request request = MPI_REQUEST_NULL, requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Comm comm, none = MPI_COMM_NULL;
    MPI_Init(&argc, &argv);
    size = size_of(MPI_COMM_WORLD);
    if (argc > 1)
        fatal(atoi(argv[1]));
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
    for (int way = 0; way < 4; way++)
        one_of_some(way & 1, way & 2);
    strange_requests();
    report("mpi_errors", in[0]);
    MPI_Finalize();
    return 0;
}
