/* writes.c: writes of 4 KiB to one file, for samples.py. Arguments: file, number of writes, and for a file
 * that does not grow beyond some blocks, their number. Prints nanoseconds of processor time a write. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static double processor_ns(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1e9 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Of its own, so that valgrind counts what happens in it. */
__attribute__((noinline)) static int write_all(int file, long n, long blocks) {
    static char block[4096];
    for (long i = 0; i < n; i++) {
        if (i % blocks == 0)
            lseek(file, 0, SEEK_SET);
        if (write(file, block, sizeof block) != sizeof block)
            return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    long n = argc > 2 ? atol(argv[2]) : 1000;
    long blocks = argc > 3 ? atol(argv[3]) : n;
    MPI_Init(&argc, &argv);
    int file = open(argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0600);
    double begin = processor_ns();
    if (write_all(file, n, blocks))
        return 1;
    printf("%.1f\n", (processor_ns() - begin) / (double)n);
    close(file);
    return MPI_Finalize();
}
