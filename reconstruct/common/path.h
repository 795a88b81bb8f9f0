/* path.h: the two parts of a path. */
#ifndef REFRAIN_PATH_H
#define REFRAIN_PATH_H

#include <stddef.h>
#include <string.h>

/* What follows the last slash: "dir/solve.c" -> "solve.c", also within the path that is given. */
static inline const char *refrain_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Bytes of the directory with its slash: "dir/solve.c" -> 4; 0 where the path has none. */
static inline size_t refrain_directory_bytes(const char *path) {
    return (size_t)(refrain_base_name(path) - path);
}

#endif
