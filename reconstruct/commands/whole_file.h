/* whole_file.h: an output file that gets its name when it is complete. Until then, an older file of that name stays. */
#ifndef REFRAIN_WHOLE_FILE_H
#define REFRAIN_WHOLE_FILE_H

#include "common/error.h"
#include <stdbool.h>
#include <stdio.h>

struct refrain_whole_file {
    FILE *file; /* to write to */
    const char *path;
    char *beside; /* its temporary name; null: the target is no regular file and is written directly */
};

/* Opens a file for writing; null or "-": standard output. An existing file is an error unless it may be replaced. */
enum refrain_status refrain_whole_file_open(struct refrain_whole_file *whole, const char *path, bool replace,
                                            struct refrain_error *error);

/* Closes the file, and leaves standard output open. It gets its final name if `status`, the result of writing, is
 * REFRAIN_OK and everything was written; else it is removed. Returns the first status that is not REFRAIN_OK. */
enum refrain_status refrain_whole_file_close(struct refrain_whole_file *whole, enum refrain_status status,
                                             struct refrain_error *error);

#endif
