/* package_of.c: which Debian package a file is from (names_text.h). */
#define _GNU_SOURCE
#include "commands/names_text.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Begins a program whose standard output is read from *out. False where there is no such program. */
static bool begin(char *const argv[], pid_t *pid, int *out) {
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    bool begun = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) == 0 &&
                 posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
                 posix_spawnp(pid, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *out = ends[0];
    if (!begun)
        close(ends[0]);
    return begun;
}

/* The name in a line "package[:architecture][, package ...]: path". */
static char *search(const char *path) {
    char line[4096] = "";
    pid_t pid;
    int out;
    if (strpbrk(path, "*?[\\")) /* a pattern to dpkg */
        return NULL;
    if (!begin((char *const[]){"dpkg-query", "--search", "--", (char *)(uintptr_t)path, NULL}, &pid, &out))
        return NULL;
    FILE *file = fdopen(out, "r");
    bool got = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    else
        close(out);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    size_t n = strcspn(line, ":, \n");
    return got && n > 0 && line[n] != ' ' && line[n] != '\n' ? strndup(line, n) : NULL;
}

/* A file is listed by one of its names, of which there are two where /lib is /usr/lib. */
char *refrain_package_of(const char *path) {
    char *other = NULL, *package = path[0] == '/' ? search(path) : NULL;
    if (package || path[0] != '/')
        return package;
    if (strncmp(path, "/usr/", 5) == 0)
        return search(path + 4);
    if (asprintf(&other, "/usr%s", path) < 0)
        return NULL;
    package = search(other);
    free(other);
    return package;
}
