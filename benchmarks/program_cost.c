/* program_cost.c: calls a program's main() repeatedly in one process, so that the start and end of MPI are not measured
 * (program_cost.sh). The program is compiled with main, MPI_Init, MPI_Init_thread and MPI_Finalize renamed to
 * program_...; its output is discarded. Rank 0 prints the nanoseconds of all repetitions except the first. Environment:
 * REPETITIONS. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int program_main(int argc, char **argv);
int program_init(int *argc, char ***argv);
int program_init_thread(int *argc, char ***argv, int required, int *provided);
int program_finalize(void);

static int level = -1;

int program_init_thread(int *argc, char ***argv, int required, int *provided) {
    if (level < 0)
        MPI_Init_thread(argc, argv, required, &level);
    *provided = level;
    return MPI_SUCCESS;
}

int program_init(int *argc, char ***argv) {
    int provided;
    return program_init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}

int program_finalize(void) {
    return MPI_SUCCESS;
}

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    const char *wanted = getenv("REPETITIONS");
    long repetitions = wanted ? atol(wanted) : 1;
    int rank, result = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    int status = program_main(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now_ns();
    for (long i = 0; i < repetitions && status == 0; i++)
        status = program_main(argc, argv);
    MPI_Barrier(MPI_COMM_WORLD);
    double ns = now_ns() - begin;
    if (rank == 0)
        dprintf(result, "%.0f\n", ns);
    MPI_Finalize();
    return status;
}
