/* import_source.h: what refrain convert reads (cmd_convert.c -> import_text.c, import_otf2.c -> import_trace.h). */
#ifndef REFRAIN_IMPORT_SOURCE_H
#define REFRAIN_IMPORT_SOURCE_H

#include "common/error.h"
#include <stdbool.h>
#include <stdint.h>

struct refrain_import_request {
    const char *path;      /* of what is read */
    const char *directory; /* of the trace that is made */
    /* Told now and then how many events there were, and when the last one was; null: nobody wants to know. */
    void (*progress)(void *data, uint64_t events, int64_t time_ns);
    void *data;
};

/* What a conversion came to. */
struct refrain_import_result {
    int32_t ranks;
    uint64_t events;
    uint64_t left_out; /* of what was read, as a trace cannot hold it */
};

/* The text form that refrain reconstruct and refrain events write (write_text.h): a file that can be read twice. Which
 * ranks are members of a communicator it does not say: they are those that use it. Nonblocking communication is told
 * as such where the text has its completions (--all). */
enum refrain_status refrain_import_text(const struct refrain_import_request *request,
                                        struct refrain_import_result *result, struct refrain_error *error);

/* An OTF2 archive: its anchor file, or the directory that it is in. */
enum refrain_status refrain_import_otf2(const struct refrain_import_request *request,
                                        struct refrain_import_result *result, struct refrain_error *error);

#endif
