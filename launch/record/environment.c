/* environment.c: sets the environment that `refrain record` passes to the processes of the job (record.h). */
#define _GNU_SOURCE
#include "record.h"
#include <refrain/library_path.h>
#include <refrain/settings.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRIES "librefrain-record.so"
#define YIELD "librefrain-yield.so"
#define IO "librefrain-io.so"
#define THREADS "librefrain-threads.so"

/* AddressSanitizer refuses to start if another library is preloaded before it. This one does not disturb it. */
static void allow_sanitizer(void) {
    const char *options = getenv("ASAN_OPTIONS");
    char text[4096];
    int n = snprintf(text, sizeof text, "%s%sverify_asan_link_order=0", options ? options : "", options ? ":" : "");
    if (n < (int)sizeof text)
        setenv("ASAN_OPTIONS", text, 1);
}

enum refrain_status refrain_record_preload(bool io, struct refrain_error *error) {
    char directory[PATH_MAX];
    if (!refrain_library_directory(getenv("REFRAIN_LIBDIR"), ENTRIES, directory, sizeof directory))
        return REFRAIN_FAIL(error,
                            ENTRIES " was not found beside the tools: install refrain again, or set REFRAIN_LIBDIR");
    if (strpbrk(directory, ": "))
        return REFRAIN_FAIL(error,
                            "%s: a library whose path has a blank or a colon cannot be preloaded; install "
                            "refrain elsewhere",
                            directory);
    const char *before = getenv("LD_PRELOAD"), *pthreads = getenv("REFRAIN_PTHREADS");
    bool threads = false;
    if (pthreads && *pthreads && !refrain_settings_switch(pthreads, &threads))
        return REFRAIN_FAIL(error, "REFRAIN_PTHREADS=%s: on or off is expected", pthreads);
    char *text;
    if (asprintf(&text, "%s%s%s/" ENTRIES ":%s/" YIELD "%s%s%s%s%s", threads ? directory : "",
                 threads ? "/" THREADS ":" : "", directory, directory, io ? ":" : "", io ? directory : "",
                 io ? "/" IO : "", before && *before ? ":" : "", before ? before : "") < 0)
        return REFRAIN_FAIL(error, "out of memory");
    setenv("LD_PRELOAD", text, 1);
    free(text);
    allow_sanitizer();
    return REFRAIN_OK;
}

/* As mkdir -p. */
static bool make_path(char *path) {
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(path, 0777);
            *p = '/';
        }
    struct stat status;
    return (mkdir(path, 0777) == 0 || errno == EEXIST) && stat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
           access(path, W_OK | X_OK) == 0;
}

enum refrain_status refrain_record_directory(const char *directory, bool *made, struct refrain_error *error) {
    char path[PATH_MAX], here[PATH_MAX];
    if (!directory)
        directory = getenv("REFRAIN_DIRECTORY");
    if (!directory || !*directory)
        directory = ".";
    if (directory[0] != '/' && !getcwd(here, sizeof here))
        return REFRAIN_FAIL(error, "the current directory is unknown: %s", strerror(errno));
    int n = directory[0] == '/'           ? snprintf(path, sizeof path, "%s", directory)
            : strcmp(directory, ".") == 0 ? snprintf(path, sizeof path, "%s", here)
                                          : snprintf(path, sizeof path, "%s/%s", here, directory);
    if (n < 0 || (size_t)n >= sizeof path)
        return REFRAIN_FAIL(error, "%s: the path is too long", directory);
    *made = make_path(path);
    if (!*made)
        fprintf(stderr, "refrain record: %s: traces cannot be written there: %s\n", path, strerror(errno));
    setenv("REFRAIN_DIRECTORY", path, 1);
    return REFRAIN_OK;
}

static bool is_needed(const char *entry) {
    return strncmp(entry, "REFRAIN_", 8) == 0 || strncmp(entry, "LD_PRELOAD=", 11) == 0 ||
           strncmp(entry, "ASAN_OPTIONS=", 13) == 0;
}

char **refrain_record_variables(void) {
    extern char **environ;
    size_t n = 0, needed = 0;
    while (environ[n])
        n++;
    char **names = calloc(n + 1, sizeof *names);
    for (size_t i = 0; names && i < n; i++)
        if (is_needed(environ[i]) && (names[needed] = strndup(environ[i], strcspn(environ[i], "="))))
            needed++;
    return names;
}
