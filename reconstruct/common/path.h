/* path.h: the two parts of a path. */
#ifndef REFRAIN_PATH_H
#define REFRAIN_PATH_H

#include <stddef.h>
#include <string.h>

/* The part of the path behind its last slash: "dir/solve.c" -> "solve.c". The result is part of the path. */
static inline const char *refrain_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Length of the directory with its slash: "dir/solve.c" -> 4; 0 if the path has none. */
static inline size_t refrain_directory_bytes(const char *path) {
    return (size_t)(refrain_base_name(path) - path);
}

#endif
