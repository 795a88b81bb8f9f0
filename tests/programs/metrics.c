/* metrics.c: each of some functions touches a number of pages for the first time. "kill": the ranks are killed at the
 * end. "close": closes all descriptors that the program does not know, in the middle. "reuse": a file gets the numbers
 * of the counters' descriptors; nobody may read or close it; prints how many there were. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
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

static int file, reused[64], n_reused;
static pthread_barrier_t began, replaced;

static void replace_counters(void) {
    char name[64], target[64];
    for (int fd = 3; fd < 4096 && n_reused < 64; fd++) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(name, target, sizeof target - 1);
        target[n < 0 ? 0 : n] = 0;
        if (strstr(target, "perf_event") && dup2(file, fd) == fd)
            reused[n_reused++] = fd;
    }
}

static void *beside(void *unused) {
    touch(10);
    pthread_barrier_wait(&began);
    pthread_barrier_wait(&replaced);
    touch(10);
    return unused;
}

/* Both threads' counters, while they count; one thread ends after that. */
static int reuse(void) {
    pthread_t thread;
    char path[] = "/tmp/metrics.XXXXXX", bytes[1000] = "these are the program's";
    file = mkstemp(path);
    unlink(path);
    if (file < 0 || write(file, bytes, sizeof bytes) != sizeof bytes || lseek(file, 0, SEEK_SET) != 0)
        return -1;
    pthread_barrier_init(&began, NULL, 2);
    pthread_barrier_init(&replaced, NULL, 2);
    pthread_create(&thread, NULL, beside, NULL);
    pthread_barrier_wait(&began);
    replace_counters();
    pthread_barrier_wait(&replaced);
    for (int i = 0; i < 10; i++)
        touch(10);
    pthread_join(thread, NULL);
    for (int i = 0; i < n_reused; i++)
        if (fcntl(reused[i], F_GETFD) < 0)
            return -2;
    return lseek(file, 0, SEEK_CUR) == 0 ? n_reused : -3;
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
    if (argc > 1 && strcmp(argv[1], "reuse") == 0)
        printf("reused %d\n", reuse());
    MPI_Finalize();
    return 0;
}
