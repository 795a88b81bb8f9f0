/* otf2_files.c: names and makes the directory of an OTF2 archive, and replaces an older one (otf2_files.h). */
#define _GNU_SOURCE
#include "formats/otf2_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const parts[] = {"traces.otf2", "traces.def", "traces"};
#define PARTS (sizeof parts / sizeof *parts)

static bool exists(const char *directory, const char *name) {
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return lstat(path, &status) == 0;
}

bool refrain_otf2_files_there(const char *directory) {
    for (size_t i = 0; i < PARTS; i++)
        if (exists(directory, parts[i]))
            return true;
    return false;
}

bool refrain_otf2_files_name(struct refrain_otf2_files *files, const char *directory, bool replaces, long process) {
    *files = (struct refrain_otf2_files){.directory = strdup(directory)};
    if (replaces && asprintf(&files->temporary, "%s/new.%ld", directory, process) < 0)
        files->temporary = NULL;
    return files->directory && (!replaces || files->temporary);
}

void refrain_otf2_files_free(struct refrain_otf2_files *files) {
    free(files->directory);
    free(files->temporary);
}

const char *refrain_otf2_files_at(const struct refrain_otf2_files *files) {
    return files->temporary ? files->temporary : files->directory;
}

bool refrain_otf2_files_make(const struct refrain_otf2_files *files, struct refrain_error *error) {
    if (mkdir(files->directory, 0777) != 0 && errno != EEXIST) {
        REFRAIN_FAIL(error, "%s: cannot be made: %s", files->directory, strerror(errno));
        return false;
    }
    if (files->temporary && mkdir(files->temporary, 0777) != 0) {
        REFRAIN_FAIL(error, "%s: cannot be made: %s", files->temporary, strerror(errno));
        return false;
    }
    return true;
}

/* Removes a file of an archive, or a directory with such files. */
static bool remove_part(const char *directory, const char *name) {
    char path[4096], file[4352];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (unlink(path) == 0)
        return true;
    DIR *entries = opendir(path);
    if (!entries)
        return false;
    for (struct dirent *entry; (entry = readdir(entries));) {
        size_t n = strlen(entry->d_name);
        if (n < 5 || (strcmp(entry->d_name + n - 4, ".evt") != 0 && strcmp(entry->d_name + n - 4, ".def") != 0))
            continue; /* rmdir refuses directories with other files */
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        unlink(file);
    }
    closedir(entries);
    return rmdir(path) == 0;
}

static void remove_all(const char *directory) {
    for (size_t i = 0; i < PARTS; i++)
        remove_part(directory, parts[i]);
    rmdir(directory); /* unless it has other files */
}

static bool replace(const struct refrain_otf2_files *files, struct refrain_error *error) {
    bool replaced = true;
    for (size_t i = 0; i < PARTS; i++) {
        char from[4096], to[4096];
        snprintf(from, sizeof from, "%s/%s", files->temporary, parts[i]);
        snprintf(to, sizeof to, "%s/%s", files->directory, parts[i]);
        if ((exists(files->directory, parts[i]) && !remove_part(files->directory, parts[i])) || rename(from, to) != 0) {
            REFRAIN_FAIL(error, "%s: cannot be overwritten: %s; the new archive is %s", to, strerror(errno),
                         files->temporary);
            replaced = false;
        }
    }
    if (replaced)
        rmdir(files->temporary);
    return replaced;
}

bool refrain_otf2_files_settle(const struct refrain_otf2_files *files, bool opened, bool complete,
                               struct refrain_error *error) {
    if (complete)
        return !files->temporary || replace(files, error);
    if (files->temporary || opened)
        remove_all(refrain_otf2_files_at(files));
    return true;
}
