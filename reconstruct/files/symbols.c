/* symbols.c: return addresses to source lines, by addr2line from binutils where it is installed. */
#define _GNU_SOURCE
#include "trace_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *keep(struct refrain_trace *trace, const char *text, size_t n) {
    char *copy = refrain_trace_allocate(trace, n + 1, 1);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

struct addr2line {
    pid_t pid;
    FILE *questions, *answers;
};

/* Starts addr2line on an object with a pipe to it and one from it. False where that cannot be. */
static bool start_addr2line(struct addr2line *child, const char *object) {
    int in[2], out[2];
    posix_spawn_file_actions_t actions;
    char *const argv[] = {"addr2line", "-f", "-e", (char *)(uintptr_t)object, NULL};
    if (pipe2(in, O_CLOEXEC) != 0)
        return false;
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]);
        close(in[1]);
        return false;
    }
    bool started = posix_spawn_file_actions_init(&actions) == 0;
    if (started) {
        posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        started = posix_spawnp(&child->pid, argv[0], &actions, NULL, argv, environ) == 0;
        posix_spawn_file_actions_destroy(&actions);
    }
    close(in[0]);
    close(out[1]);
    child->questions = started ? fdopen(in[1], "w") : NULL;
    child->answers = started ? fdopen(out[0], "r") : NULL;
    if (!child->questions)
        close(in[1]);
    if (!child->answers)
        close(out[0]);
    return started;
}

static void end_addr2line(struct addr2line *child) {
    if (child->questions)
        fclose(child->questions);
    if (child->answers)
        fclose(child->answers);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Reads the two lines that answer one address. False when there is no answer. */
static bool take_answer(struct refrain_trace *trace, FILE *answers, struct refrain_symbol *symbol) {
    char line[4096];
    if (!fgets(line, sizeof line, answers))
        return false;
    line[strcspn(line, "\n")] = 0;
    if (strcmp(line, "??") != 0)
        symbol->function = keep(trace, line, strlen(line));
    if (!fgets(line, sizeof line, answers))
        return false;
    char *colon = strrchr(line, ':');
    if (colon && line[0] != '?' && atoi(colon + 1) > 0) {
        symbol->file = keep(trace, line, (size_t)(colon - line));
        symbol->line = (uint32_t)atoi(colon + 1);
    }
    return true;
}

/* Resolves the symbols of one object, from `i` on, with one addr2line. It answers each line before it reads the next,
 * so that neither side waits for room in a pipe. */
static void resolve_object(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n, size_t i) {
    struct stat status;
    struct addr2line child;
    const char *object = symbols[i].object;
    if (stat(object, &status) != 0 || (uint64_t)status.st_mtime * 1000000000u > symbols[i].not_before ||
        !start_addr2line(&child, object))
        return;
    bool answered = child.questions && child.answers;
    for (size_t j = i; answered && j < n; j++) {
        if (strcmp(symbols[j].object, object) != 0)
            continue;
        /* The call is before its return address. */
        answered = fprintf(child.questions, "0x%llx\n", (unsigned long long)symbols[j].address - 1) > 0 &&
                   fflush(child.questions) == 0 && take_answer(trace, child.answers, &symbols[j]);
    }
    end_addr2line(&child);
}

/* A pipe to an addr2line that died must not end the tool: this thread takes the signal for itself. */
void refrain_symbols_resolve(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n) {
    sigset_t pipe_signal, before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    for (size_t i = 0; i < n; i++) {
        bool done = false;
        for (size_t j = 0; j < i && !done; j++)
            done = strcmp(symbols[j].object, symbols[i].object) == 0;
        if (!done)
            resolve_object(trace, symbols, n, i);
    }
    if (!sigismember(&before, SIGPIPE))
        sigtimedwait(&pipe_signal, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
