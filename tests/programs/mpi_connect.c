/* mpi_connect.c: groups that find each other: by a port (MPI_Comm_accept and MPI_Comm_connect) and by a socket
 * (MPI_Comm_join). The halves of MPI_COMM_WORLD are the server and its client; with one rank there is nobody to meet.
 * Usage: mpi_connect [join] */
#include "mpi_check.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int rank, size, half;
static long total;

/* Rank 0 prints which function this MPI does not support. */
static void skip(const char *function) {
    if (rank == 0)
        printf("skipped: %s fails: this MPI or its process manager does not do it\n", function);
    MPI_Finalize();
    exit(0);
}

/* True if the function failed on any rank. */
static int failed(int rc) {
    int mine = rc != MPI_SUCCESS, any;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any;
}

/* Each rank has a partner in the other group if there is one with its number. Then the first group sends a value to the
 * other one. */
static void talk(MPI_Comm other, MPI_Comm own, int is_server) {
    int theirs, mine = rank_in(own), value = rank, got = -1, sum;
    MPI_Comm_remote_size(other, &theirs);
    if (mine < theirs)
        MPI_Sendrecv(&value, 1, MPI_INT, mine, 5, &got, 1, MPI_INT, mine, 5, other, MPI_STATUS_IGNORE);
    total += got;
    value = is_server && mine == 0 ? 77 : 0;
    MPI_Bcast(&value, 1, MPI_INT, is_server ? (mine == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, other);
    CHECK(value == (is_server && mine > 0 ? 0 : 77));
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, other);
    CHECK(sum == theirs * (theirs - 1) / 2);
    total += sum;
}

static void by_port(MPI_Comm own, int is_server) {
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm other;
    int rc = rank == 0 ? MPI_Open_port(MPI_INFO_NULL, port) : MPI_SUCCESS;
    if (failed(rc))
        skip("MPI_Open_port");
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int round = 0; round < 3; round++) {
        rc = is_server ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, own, &other)
                       : MPI_Comm_connect(port, MPI_INFO_NULL, 0, own, &other);
        if (failed(rc))
            skip("MPI_Comm_accept");
        talk(other, own, is_server);
        MPI_Comm_disconnect(&other);
    }
    if (rank == 0)
        MPI_Close_port(port);
}

/* The first rank of each half; the socket's name is of the abstract kind, which leaves nothing behind. */
static void by_socket(int is_server) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int id = (int)getpid(), rc = MPI_SUCCESS, fd = -1;
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "mpi_connect-%d", id);
    int listener = rank == 0 ? socket(AF_UNIX, SOCK_STREAM, 0) : -1;
    if (rank == 0 && (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1)))
        rc = MPI_ERR_OTHER;
    if (failed(rc))
        skip("bind");
    if (rank == half) {
        fd = socket(AF_UNIX, SOCK_STREAM, 0);
        rc = connect(fd, (struct sockaddr *)&address, sizeof address) ? MPI_ERR_OTHER : MPI_SUCCESS;
    } else if (rank == 0) {
        fd = accept(listener, NULL, NULL);
    }
    if (fd >= 0)
        rc = MPI_Comm_join(fd, &other);
    if (failed(rc) || failed(fd >= 0 && other == MPI_COMM_NULL))
        skip("MPI_Comm_join");
    if (fd >= 0) {
        talk(other, MPI_COMM_SELF, is_server);
        MPI_Comm_disconnect(&other);
        close(fd);
    }
    if (listener >= 0)
        close(listener);
}

int main(int argc, char **argv) {
    MPI_Comm own;
    MPI_Init(&argc, &argv);
    rank = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    half = (size + 1) / 2;
    if (size > 1) {
        int is_server = rank < half;
        MPI_Comm_split(MPI_COMM_WORLD, is_server, rank, &own);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
        if (argc > 1 && strcmp(argv[1], "join") == 0)
            by_socket(is_server);
        else
            by_port(own, is_server);
        MPI_Comm_free(&own);
    }
    report("mpi_connect", total);
    MPI_Finalize();
    return 0;
}
