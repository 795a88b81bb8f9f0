/* traces.c: finds the traces of one `refrain record` among others by the identity that each trace keeps with the
 * settings of its run (record.h). */
#define _GNU_SOURCE
#include "record.h"
#include <refrain/trace.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Does the file's header hold this identity among the run's settings? */
static bool has_identity(int directory_fd, const char *name, const char *id) {
    struct refrain_header header;
    char settings[16384], wanted[256];
    int fd = openat(directory_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool has = false;
    if (pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
        memcmp(header.magic, REFRAIN_MAGIC, sizeof header.magic) == 0) {
        ssize_t n = pread(fd, settings, sizeof settings - 1,
                          (off_t)header.environment * REFRAIN_UNIT_BYTES + (off_t)sizeof(struct refrain_name));
        settings[n < 0 ? 0 : n] = 0;
        snprintf(wanted, sizeof wanted, "REFRAIN_RECORD_ID=%s\n", id);
        has = strstr(settings, wanted) != NULL;
    }
    close(fd);
    return has;
}

static bool ends(const char *name, const char *with) {
    size_t n = strlen(name), m = strlen(with);
    return n > m && strcmp(name + n - m, with) == 0;
}

static bool is_of_run(int parent_fd, const char *name, const char *id) {
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    bool is = false;
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (ends(entry->d_name, ".trace")) {
            is = has_identity(fd, entry->d_name, id);
            break; /* all of one run have the same settings */
        }
    if (directory)
        closedir(directory);
    else if (fd >= 0)
        close(fd);
    return is;
}

static int ends_as_trace(const struct dirent *entry) {
    return ends(entry->d_name, REFRAIN_TRACE_SUFFIX);
}

size_t refrain_record_traces(const char *directory, const char *id, void (*found)(const char *path, void *data),
                             void *data) {
    struct dirent **entries;
    int n = scandir(directory, &entries, ends_as_trace, alphasort), fd;
    size_t traces = 0;
    if (n < 0)
        return 0;
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < n; i++) {
        if (fd >= 0 && is_of_run(fd, entries[i]->d_name, id)) {
            found(entries[i]->d_name, data);
            traces++;
        }
        free(entries[i]);
    }
    free(entries);
    if (fd >= 0)
        close(fd);
    return traces;
}
