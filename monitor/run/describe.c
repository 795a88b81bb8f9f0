/* describe.c: writes into the trace what process it is of (describe.h). */
#define _GNU_SOURCE
#include "run/describe.h"
#include "run/configure.h"
#include "run/pool.h"
#include <refrain/process.h>
#include <refrain/trace.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char *refrain_executable_name(char *path, size_t bytes) {
    ssize_t n = readlink("/proc/self/exe", path, bytes - 1);
    path[n < 0 ? 0 : n] = 0;
    const char *slash = strrchr(path, '/');
    return n > 0 ? (slash ? slash + 1 : path) : "a.out";
}

/* Start time of this process. Readers compare it to distinguish the process from a later one with the same id. */
static uint64_t own_start(void) {
    struct refrain_process_stat stat;
    return refrain_process_stat(getpid(), &stat) ? stat.start : 0;
}

/* True for variables that decide how the program runs: those of refrain, of OpenMP, of malloc, and those by which
 * people tune MPI libraries. Most variables with OMPI_MCA_ are set by launchers and do not count. */
static bool is_setting(const char *variable) {
    static const char *const beginnings[] = {
        "REFRAIN_",      "OMP_",          "GOMP_",         "KMP_",         "MPICH_",          "MPIR_CVAR_",
        "I_MPI_",        "MV2_",          "UCX_",          "FI_",          "OMPI_MCA_btl",    "OMPI_MCA_pml",
        "OMPI_MCA_mtl=", "OMPI_MCA_coll", "OMPI_MCA_osc=", "OMPI_MCA_io=", "OMPI_MCA_rmaps_", "OMPI_MCA_hwloc_",
        "MALLOC_",       "MKL_NUM_",      "OPENBLAS_NUM_"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(variable, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static uint32_t settings(void) {
    extern char **environ;
    char text[8192];
    size_t n = 0;
    for (char **e = environ; *e; e++) {
        size_t length = strlen(*e);
        if (is_setting(*e) && n + length + 2 < sizeof text) {
            memcpy(text + n, *e, length);
            n += length;
            text[n++] = '\n';
        }
    }
    text[n] = 0;
    return refrain_pool_name(text);
}

#define MOST_ARGUMENT_BYTES 1024u /* bytes of the program's arguments that the trace keeps */

/* Appends one argument to text[n], in quotes if a shell needs them. Returns the new length, which is more than `room`
 * if the argument does not fit; then nothing is appended. */
static size_t add_argument(char *text, size_t n, size_t room, const char *argument) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%";
    bool quoted = !*argument || argument[strspn(argument, plain)];
    size_t length = strlen(argument) + (n > 0) + (quoted ? 2 : 0);
    for (const char *c = argument; *c; c++)
        length += *c == '\'' ? 3 : 0;
    if (n + length > room)
        return room + 1;
    if (n > 0)
        text[n++] = ' ';
    if (quoted)
        text[n++] = '\'';
    for (const char *c = argument; *c; c++) {
        if (*c == '\'') {
            memcpy(text + n, "'\\'", 3);
            n += 3;
        }
        text[n++] = *c;
    }
    if (quoted)
        text[n++] = '\'';
    return n;
}

/* Returns the program's arguments as a name in the pool, with " ..." in place of those that do not fit. 0 without any.
 */
static uint32_t arguments(void) {
    char line[4096], text[MOST_ARGUMENT_BYTES + 5];
    size_t bytes = 0, n = 0;
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t got = 0;
    while (file >= 0 && bytes < sizeof line - 1 && (got = read(file, line + bytes, sizeof line - 1 - bytes)) > 0)
        bytes += (size_t)got;
    if (file >= 0)
        close(file);
    line[bytes] = 0;
    /* The first one is the program itself. The last one is left out if it may be incomplete. */
    size_t at = strlen(line) + 1;
    bool cut = bytes == sizeof line - 1;
    for (size_t next; at < bytes; at = next) {
        next = at + strlen(line + at) + 1;
        size_t longer =
            cut && next > bytes ? MOST_ARGUMENT_BYTES + 1 : add_argument(text, n, MOST_ARGUMENT_BYTES, line + at);
        if (longer > MOST_ARGUMENT_BYTES) {
            memcpy(text + n, " ...", 4);
            n += 4;
            break;
        }
        n = longer;
    }
    text[n] = 0;
    return n > 0 ? refrain_pool_name(text) : 0;
}

void refrain_describe_process(struct refrain_header *header) {
    char path[REFRAIN_PATH_BYTES];
    header->environment = settings();
    header->arguments = arguments();
    refrain_executable_name(path, sizeof path);
    header->executable = refrain_pool_name(path);
    header->start_directory = refrain_pool_name(refrain_configuration.start_directory);
    if (gethostname(path, sizeof path) == 0) {
        path[sizeof path - 1] = 0;
        header->host = refrain_pool_name(path);
    }
    refrain_process_boot_id(header->boot_id);
    header->process_start = own_start();
}
