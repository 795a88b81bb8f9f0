/* sink_spool.c: sinks that can be overwritten and read (sink.h). */
#define _GNU_SOURCE
#include "common/path.h"
#include "formats/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a file without a name in `directory`. */
static int open_unnamed(const char *directory) {
    char *name = NULL;
    int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || asprintf(&name, "%s/refrain-XXXXXX", directory) < 0)
        return file;
    file = mkostemp(name, O_CLOEXEC);
    if (file >= 0)
        unlink(name);
    free(name);
    return file;
}

enum refrain_status refrain_sink_open_spool(const char *beside, struct refrain_sink **result,
                                            struct refrain_error *error) {
    struct refrain_sink *sink;
    enum refrain_status status = refrain_sink_open(NULL, false, &sink, error);
    *result = NULL;
    if (status)
        return status;
    const char *system = getenv("TMPDIR");
    const size_t within = beside ? refrain_directory_bytes(beside) : 0;
    char *directory = !beside || strcmp(beside, "-") == 0 ? strdup(system && system[0] ? system : "/tmp")
                      : within                            ? strndup(beside, within)
                                                          : strdup(".");
    sink->file = directory ? open_unnamed(directory) : -1;
    sink->spool = true;
    if (sink->file >= 0) {
        *result = sink;
    } else {
        status = REFRAIN_FAIL(error, "%s: no temporary file can be made in it: %s", directory ? directory : "?",
                              strerror(errno));
        sink->spool = false;
        refrain_sink_close(sink, false, NULL);
    }
    free(directory);
    return status;
}

enum refrain_status refrain_sink_open_patchable(const char *path, bool force, struct refrain_sink **result,
                                                struct refrain_error *error) {
    struct refrain_sink *sink;
    enum refrain_status status = refrain_sink_open(path, force, &sink, error);
    *result = sink;
    if (status || sink->unnamed || sink->temporary)
        return status;
    status = refrain_sink_open_spool(NULL, result, error);
    if (!status) {
        (*result)->copy_to = sink->file;
        (*result)->path = sink->path;
        sink->path = NULL; /* so that closing does not rename it */
    }
    refrain_sink_close(sink, false, NULL);
    return status;
}

void refrain_sink_patch(struct refrain_sink *sink, uint64_t position, const void *bytes, size_t n) {
    if (position < sink->flushed && position + n > sink->flushed)
        refrain_sink_flush(sink);
    if (position >= sink->flushed)
        memcpy(sink->buffer + (position - sink->flushed), bytes, n);
    else if (!sink->failed && pwrite(sink->file, bytes, n, (off_t)position) != (ssize_t)n)
        sink->failed = errno ? errno : EIO;
}
