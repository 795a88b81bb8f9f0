/* clocked.c: runs a command and writes how long it took: clocked FILE COMMAND...
 *
 * FILE gets one line, "wall processor", in nanoseconds; processor time is that of all its processes. The exit status is
 * the command's, 128 + n when signal n ended it, 127 when it could not be started. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fputs("usage: clocked FILE COMMAND...\n", stderr);
        return 2;
    }
    double begin = now_ns();
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        fprintf(stderr, "clocked: cannot run '%s': %s\n", argv[2], strerror(errno));
        _exit(127);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    double wall = now_ns() - begin;
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    double processor = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
                       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3;
    FILE *file = fopen(argv[1], "w");
    if (!file || fprintf(file, "%.0f %.0f\n", wall, processor) < 0 || fclose(file) != 0) {
        fprintf(stderr, "clocked: cannot write '%s': %s\n", argv[1], strerror(errno));
        return 127;
    }
    return child < 0 ? 127 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
