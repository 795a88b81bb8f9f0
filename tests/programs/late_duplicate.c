/* late_duplicate.c FIFO: duplicates of communicators by MPI_Comm_idup. On the last rank they are complete before rank 0
 * has sent the name that a tracer gives them: PMPI_Ibcast below holds rank 0 until the last rank, after its tests,
 * writes to the pipe. MPI_Test must return meanwhile. */
#define _GNU_SOURCE
#include "mpi_check.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#define MOST_TESTS 20000
#define ROUNDS 4

static int pipe_end = -1, held;

/* Only a tracer calls this function here. MPI progresses meanwhile. */
int PMPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request) {
    int (*real)(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *) =
        (int (*)(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *))dlsym(RTLD_NEXT, "PMPI_Ibcast");
    MPI_Request never;
    int rank, flag;
    char byte;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && pipe_end >= 0) {
        PMPI_Irecv(&byte, 1, MPI_CHAR, 0, 99, MPI_COMM_SELF, &never);
        while (read(pipe_end, &byte, 1) != 1) {
            PMPI_Test(&never, &flag, MPI_STATUS_IGNORE);
            sched_yield();
        }
        PMPI_Cancel(&never);
        PMPI_Wait(&never, MPI_STATUS_IGNORE);
    }
    held++;
    return real(buffer, count, type, root, comm, request);
}

static void use(MPI_Comm comm) {
    int rank = rank_in(comm), size = size_of(comm), got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 8, &got, 1, MPI_INT, (rank + size - 1) % size, 8, comm,
                 MPI_STATUS_IGNORE);
    CHECK(got == (rank + size - 1) % size);
    MPI_Barrier(comm);
}

int main(int argc, char **argv) {
    MPI_Comm comm;
    MPI_Request request;
    long known = 0;
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), last = size_of(MPI_COMM_WORLD) - 1;
    CHECK(argc == 2 && last > 0);
    if (rank == 0)
        pipe_end = open(argv[1], O_RDONLY | O_NONBLOCK);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == last)
        pipe_end = open(argv[1], O_WRONLY);
    for (int round = 0; round < ROUNDS; round++) {
        int flag = 0;
        char byte = 1;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
        for (int i = 0; i < MOST_TESTS && rank == last && not_yet(flag); i++)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (rank == last)
            CHECK(write(pipe_end, &byte, 1) == 1);
        known += flag;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (round % 2)
            use(comm);
        MPI_Comm_free(&comm);
    }
    if (rank == last)
        fprintf(stderr, "late_duplicate: %ld known early, %d held\n", known, held);
    report("late_duplicate", 1);
    MPI_Finalize();
    return 0;
}
