/* package_of.c: finds the Debian packages of files (names_text.h). dpkg has a list for each package, info/NAME.list or
 * info/NAME:ARCHITECTURE.list, with a line for each file. dpkg-query reads all lists into a tree for each question,
 * which takes ten times as long as to search them for the lines. */
#define _GNU_SOURCE
#include "commands/names_text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".list"

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* True if the path is one of the lines. */
static bool lists(const char *text, size_t bytes, const char *path) {
    size_t length = strlen(path);
    const char *end = text + bytes, *at = text;
    while ((at = memmem(at, (size_t)(end - at), path, length))) {
        const char *after = at + length;
        if ((at == text || at[-1] == '\n') && (after == end || *after == '\n'))
            return true;
        at = after;
    }
    return false;
}

/* If /lib is a link to /usr/lib, a file has two names, of which the list has only one. */
static bool lists_either(const char *text, size_t bytes, const char *path) {
    static const char usr[] = "/usr";
    char *longer = NULL;
    if (lists(text, bytes, path))
        return true;
    if (strncmp(path, "/usr/", 5) == 0)
        return lists(text, bytes, path + sizeof usr - 1);
    bool found = asprintf(&longer, "%s%s", usr, path) > 0 && lists(text, bytes, longer);
    free(longer);
    return found;
}

/* Sets the package of all files that the list has. Its name is the list's name up to the architecture. */
static void look_through(const char *text, size_t bytes, const char *list, const char *const *paths, char **packages,
                         size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!packages[i] && paths[i] && paths[i][0] == '/' && lists_either(text, bytes, paths[i]))
            packages[i] = strndup(list, least(strcspn(list, ":"), strlen(list) - strlen(SUFFIX)));
}

/* The text of a list; the next list overwrites it. */
struct list_text {
    char *bytes;
    size_t room;
};

/* Reads the whole file. False if it cannot be read or is empty. */
static bool read_text(int fd, struct list_text *text, size_t *n) {
    struct stat status;
    if (fstat(fd, &status) != 0 || status.st_size <= 0)
        return false;
    if ((size_t)status.st_size > text->room) {
        char *longer = realloc(text->bytes, (size_t)status.st_size);
        if (!longer)
            return false;
        *text = (struct list_text){longer, (size_t)status.st_size};
    }
    *n = 0;
    for (ssize_t got; *n < (size_t)status.st_size; *n += (size_t)got)
        if ((got = read(fd, text->bytes + *n, (size_t)status.st_size - *n)) <= 0)
            break;
    return *n > 0;
}

static void read_list(int directory, const char *name, struct list_text *text, const char *const *paths,
                      char **packages, size_t n) {
    size_t bytes;
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (read_text(fd, text, &bytes))
        look_through(text->bytes, bytes, name, paths, packages, n);
    close(fd);
}

static bool is_list(const char *name) {
    size_t length = strlen(name), suffix = strlen(SUFFIX);
    return length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;
}

void refrain_packages_of(const char *const *paths, char **packages, size_t n) {
    char *path = NULL;
    const char *admin = getenv("DPKG_ADMINDIR");
    memset(packages, 0, n * sizeof *packages);
    if (n == 0 || asprintf(&path, "%s/info", admin && *admin ? admin : "/var/lib/dpkg") < 0)
        return;
    DIR *directory = opendir(path);
    free(path);
    if (!directory)
        return;
    struct list_text text = {NULL, 0};
    for (struct dirent *entry; (entry = readdir(directory));)
        if (is_list(entry->d_name))
            read_list(dirfd(directory), entry->d_name, &text, paths, packages, n);
    closedir(directory);
    free(text.bytes);
}
