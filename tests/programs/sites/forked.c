/* forked.c: forks while another thread has code changed, and loads a library in the child. Usage: forked LIBRARY */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int done;

__attribute__((noinline)) int tiny(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i ^ n;
    return sum;
}

static void *run(void *unused) {
    volatile int sum = 0;
    while (!done)
        sum += tiny(sum & 3);
    return unused;
}

int main(int argc, char **argv) {
    volatile int *under_way = dlsym(RTLD_DEFAULT, "under_way");
    pthread_t thread;
    int status = 0;
    if (argc < 2 || !under_way)
        return 2;
    pthread_create(&thread, NULL, run, NULL);
    while (!*under_way)
        usleep(1000);
    pid_t child = fork();
    if (child == 0) {
        alarm(5);
        _exit(dlopen(argv[1], RTLD_NOW) ? 7 : 1);
    }
    waitpid(child, &status, 0);
    done = 1;
    pthread_join(thread, NULL);
    printf("status %x\n", (unsigned)status);
    return 0;
}
