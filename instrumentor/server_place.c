/* server_place.c: where servers are, and which one is a wrapper's (server_parts.h).
 *
 * The name of a server's socket follows from all that decides what a process may do and see, but for what each job
 * brings. So wrappers in a container, under another limit or with another libclang have another server.
 */
#include "program.h"
#include "server_parts.h"
#include "toolchain.h"
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_private(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

bool refrain_server_directory(struct refrain_text *path, bool make) {
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (runtime && runtime[0] == '/' && is_private(runtime))
        refrain_text_format(path, "%s/refrain", runtime);
    else
        refrain_text_format(path, "/tmp/refrain-servers-%u", (unsigned)geteuid());
    if (make)
        mkdir(path->bytes, S_IRWXU);
    return is_private(path->bytes);
}

/* The lines of a file of the kernel's that begin with one of the words; all of them when there are no words. */
static bool add_lines(struct refrain_text *identity, const char *path, const char *const *words) {
    struct refrain_text text = {0};
    char *rest = NULL;
    bool good = refrain_text_read(&text, path);
    for (char *line = good ? strtok_r(text.bytes, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        bool taken = !words;
        for (size_t i = 0; words && words[i]; i++)
            taken |= strncmp(line, words[i], strlen(words[i])) == 0;
        if (taken)
            refrain_text_format(identity, "%s\n", line);
    }
    refrain_text_free(&text);
    return good;
}

static bool add_link(struct refrain_text *identity, const char *path) {
    char target[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n > 0)
        refrain_text_format(identity, "%s %.*s\n", path, (int)n, target);
    return n > 0;
}

static bool add_file(struct refrain_text *identity, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    refrain_text_format(identity, "%s %llu %llu", path, (unsigned long long)status.st_dev,
                        (unsigned long long)status.st_ino);
    if (S_ISREG(status.st_mode))
        refrain_text_format(identity, " %lld %lld.%ld", (long long)status.st_size, (long long)status.st_mtim.tv_sec,
                            status.st_mtim.tv_nsec);
    refrain_text_string(identity, "\n");
    return true;
}

/* What loaders, allocators and libclang read when a process starts. */
static void add_environment(struct refrain_text *identity) {
    static const char *const beginnings[] = {"LD_",   "GLIBC_", "MALLOC_", "LIBCLANG_",
                                             "LLVM_", "ASAN_",  "LSAN_",   "UBSAN_"};
    extern char **environ;
    for (char **variable = environ; *variable; variable++)
        for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
            if (strncmp(*variable, beginnings[i], strlen(beginnings[i])) == 0)
                refrain_text_format(identity, "%s\n", *variable);
}

bool refrain_server_identity(struct refrain_text *identity) {
    static const char *const status[] = {"Umask:",      "Uid:",     "Gid:",          "Groups:", "Cap",
                                         "NoNewPrivs:", "Seccomp:", "Cpus_allowed:", NULL};
    static const char *const namespaces[] = {"mnt", "user", "pid", "net", "ipc", "uts"};
    struct refrain_text library = {0}, program = {0};
    char path[64];
    refrain_text_string(identity, REFRAIN_VERSION "\n");
    bool good = refrain_toolchain_library("refrain-instrument", &library) && add_file(identity, library.bytes) &&
                add_file(identity, "/proc/self/exe") && add_link(identity, "/proc/self/exe") &&
                add_file(identity, "/proc/self/root") && add_lines(identity, "/proc/self/status", status) &&
                add_lines(identity, "/proc/self/limits", NULL);
    for (size_t i = 0; i < sizeof namespaces / sizeof namespaces[0]; i++) {
        snprintf(path, sizeof path, "/proc/self/ns/%s", namespaces[i]);
        good = good && add_link(identity, path);
    }
    add_lines(identity, "/proc/self/cgroup", NULL); /* not everywhere */
    if (refrain_program_path(&program))
        good = good && add_file(identity, program.bytes);
    errno = 0;
    refrain_text_format(identity, "nice %d, policy %d\n", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0));
    add_environment(identity);
    refrain_text_free(&library);
    refrain_text_free(&program);
    return good && errno == 0;
}
