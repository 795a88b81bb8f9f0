/* file_writer.h: common to writers of formats that are a single file: opening and closing (format.h ->
 * write_<name>.c). */
#ifndef REFRAIN_FILE_WRITER_H
#define REFRAIN_FILE_WRITER_H

#include "formats/format.h"
#include "formats/sink.h"

/* The first member of such a writer. */
struct refrain_file_writer {
    struct refrain_writer writer;
    struct refrain_error *error;
    struct refrain_sink *out;
    bool waiting; /* events have their waits */
    bool begun;   /* the begin function has succeeded, so the file is kept */
};

/* Makes a writer, zero but for its struct refrain_file_writer, and opens its file. *writer is null when the status is
 * not REFRAIN_OK. */
enum refrain_status refrain_file_writer_open(const struct refrain_format_request *request,
                                             const struct refrain_format_file *of, struct refrain_writer **writer,
                                             struct refrain_error *error);

/* Closes the file. It gets its name if begin succeeded, `no_memory` is false and all was written. The caller frees
 * the writer. */
enum refrain_status refrain_file_writer_close(struct refrain_file_writer *file, bool no_memory);

#endif
