/* file_writer.c: opens and closes the file of a writer (file_writer.h). */
#include "formats/file_writer.h"

#include <stdlib.h>

enum refrain_status refrain_file_writer_open(const struct refrain_format_request *request,
                                             const struct refrain_format_file *of, struct refrain_writer **writer,
                                             struct refrain_error *error) {
    struct refrain_file_writer *file = calloc(1, of->bytes);
    *writer = NULL;
    if (!file)
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = (of->patchable ? refrain_sink_open_patchable
                                                : refrain_sink_open)(request->path, request->force, &file->out, error);
    if (status) {
        free(file);
        return status;
    }
    file->writer = of->functions;
    file->error = error;
    file->waiting = request->waiting;
    *writer = &file->writer;
    return REFRAIN_OK;
}

enum refrain_status refrain_file_writer_close(struct refrain_file_writer *file, bool no_memory) {
    enum refrain_status status = no_memory ? REFRAIN_FAIL_MEMORY(file->error) : REFRAIN_OK;
    enum refrain_status closed = refrain_sink_close(file->out, file->begun && !no_memory, file->error);
    return status ? status : closed;
}
