/* launcher.c: finds the launcher, and makes it pass on the environment (record.h). Hydra, srun and most others pass
 * on all variables. The launchers of Open MPI pass to other nodes only the variables named by -x. */
#define _GNU_SOURCE
#include "program.h"
#include "record.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    if (S_ISDIR(status.st_mode) || access(path, X_OK) != 0) {
        errno = EACCES;
        return false;
    }
    return true;
}

char *refrain_find_program(const char *name) {
    if (strchr(name, '/'))
        return is_program(name) ? strdup(name) : NULL;
    const char *path = getenv("PATH");
    int error = ENOENT;
    for (const char *p = path ? path : "/bin:/usr/bin"; *name;) {
        size_t n = strcspn(p, ":");
        char candidate[PATH_MAX];
        int length = snprintf(candidate, sizeof candidate, "%.*s%s%s", (int)n, p, n ? "/" : "", name);
        if (length > 0 && (size_t)length < sizeof candidate) {
            if (is_program(candidate))
                return strdup(candidate);
            if (errno == EACCES)
                error = EACCES;
        }
        if (!p[n])
            break;
        p += n + 1;
    }
    errno = error;
    return NULL;
}

static bool is_open_mpi(const char *name) {
    struct refrain_program program;
    char *path = refrain_find_program(name);
    bool is = path && refrain_program_read(path, &program) && program.open_mpi_runtime;
    free(path);
    return is;
}

char **refrain_launcher_command(int argc, char **argv) {
    char **variables = refrain_record_variables();
    size_t n_variables = 0, contexts = 1, n = 0;
    while (variables && variables[n_variables])
        n_variables++;
    for (int i = 1; i < argc; i++)
        contexts += strcmp(argv[i], ":") == 0;
    bool pass = is_open_mpi(argv[0]);
    char **command = variables ? malloc(((size_t)argc + 1 + 2 * contexts * n_variables) * sizeof *command) : NULL;
    for (int i = 0; command && i < argc; i++) {
        command[n++] = argv[i];
        if (pass && (i == 0 || strcmp(argv[i], ":") == 0))
            for (size_t v = 0; v < n_variables; v++) {
                command[n++] = (char *)(uintptr_t) "-x";
                command[n++] = variables[v];
            }
    }
    if (command)
        command[n] = NULL;
    free(variables); /* the names themselves are now arguments of the command */
    return command;
}
