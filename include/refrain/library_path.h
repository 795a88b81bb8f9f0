/* library_path.h: finds a library that is installed with refrain (refrain record, refrain simulate). Its includer
 * defines _GNU_SOURCE. */
#ifndef REFRAIN_LIBRARY_PATH_H
#define REFRAIN_LIBRARY_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Finds the directory that holds the library `name`: `given` (null or empty: none), else the libraries' directory of
 * this program's installation, without links. False if the library is in neither, or the path needs more than `bytes`.
 */
static inline bool refrain_library_directory(const char *given, const char *name, char *directory, size_t bytes) {
    char own[PATH_MAX], path[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n < 0 ? 0 : n] = 0;
    char *slash = strrchr(own, '/');
    if (slash)
        *slash = 0;
    for (int i = 0; i < 3; i++) {
        int length = i == 0 ? snprintf(path, sizeof path, "%s", given ? given : "")
                            : snprintf(path, sizeof path, "%s/%s", own, i == 1 ? REFRAIN_LIBDIR_FROM_BIN : "../lib");
        char *real = length > 0 && (size_t)length < sizeof path ? realpath(path, NULL) : NULL;
        bool found = real && snprintf(path, sizeof path, "%s/%s", real, name) < (int)sizeof path &&
                     access(path, R_OK) == 0 && strlen(real) < bytes;
        if (found)
            strcpy(directory, real);
        free(real);
        if (found)
            return true;
    }
    return false;
}

#endif
