/* metrics.c: pages are touched for the first time, so many in each of some functions. With "kill" the ranks are killed
 * at the end, with "close" all descriptors that the program knows nothing of are closed in the middle. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int touch(int pages) {
    size_t bytes = (size_t)pages * 4096;
    volatile char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        abort();
    madvise((void *)p, bytes, MADV_NOHUGEPAGE);
    for (int i = 0; i < pages; i++)
        p[(size_t)i * 4096] = 1;
    return p[0];
}

static int idle(int n) {
    volatile int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i;
    return sum;
}

static void *in_thread(void *unused) {
    for (int i = 0; i < 10; i++)
        touch(50);
    return unused;
}

int main(int argc, char **argv) {
    int rank;
    pthread_t thread;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&thread, NULL, in_thread, NULL);
    for (int i = 0; i < 10; i++) {
        touch(rank == 0 ? 400 : 100);
        idle(1000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    pthread_join(thread, NULL);
    if (argc > 1 && strcmp(argv[1], "kill") == 0)
        raise(SIGKILL);
    if (argc > 1 && strcmp(argv[1], "close") == 0) {
        for (int fd = 400; fd < 4096; fd++)
            close(fd);
        touch(10);
    }
    MPI_Finalize();
    return 0;
}
