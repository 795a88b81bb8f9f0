/* killed_recording.c: kills itself while an event is recorded: the monitor has learned the event, and now the event
 * file has to grow before it can have it. Usage: CALLS: so many calls come first. The event file grows after a number
 * of bytes, so with other CALLS another event is the one. Mode both, one rank. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Instead of the C library's. The files of the trace have been reserved from their beginning before. */
int fallocate(int file, int mode, off_t offset, off_t bytes) {
    if (offset > 0)
        kill(getpid(), SIGKILL);
    return (int)syscall(SYS_fallocate, file, mode, offset, bytes);
}

int main(int argc, char **argv) {
    int calls = atoi(argv[1]), rank, sent[3] = {0}, received[3];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < calls; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;) {
        MPI_Request requests[6];
        for (int k = 0; k < 3; k++)
            MPI_Irecv(&received[k], 1, MPI_INT, 0, k, MPI_COMM_SELF, &requests[k]);
        for (int k = 0; k < 3; k++)
            MPI_Isend(&sent[k], 1, MPI_INT, 0, k, MPI_COMM_SELF, &requests[3 + k]);
        MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    }
}
