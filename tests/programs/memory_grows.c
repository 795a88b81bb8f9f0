/* memory_grows.c: rank 1 takes 200 MiB and uses them before MPI_Allreduce (line 30), and gives them back before the
 * second MPI_Barrier. The other ranks take nothing. What is measured is known to a few MiB (tests/test_resident.sh). */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define BYTES ((size_t)200 << 20)

/* Longer than the distance of two readings. */
static void pause_ms(long ms) {
    struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

int main(int argc, char **argv) {
    int rank, one = 1, sum;
    char *memory = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pause_ms(30);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(memory, 1, BYTES);
    }
    pause_ms(30);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (memory)
        munmap(memory, BYTES);
    pause_ms(30);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
