/* import_source.h: the formats that refrain convert reads (cmd_convert.c -> import_text.c, import_otf2.c ->
 * import_trace.h). */
#ifndef REFRAIN_IMPORT_SOURCE_H
#define REFRAIN_IMPORT_SOURCE_H

#include "common/error.h"
#include <stdbool.h>
#include <stdint.h>

struct refrain_import_request {
    const char *path;      /* the input */
    const char *directory; /* the new trace */
    /* Called now and then with the number of events so far and the time of the latest; may be null. */
    void (*progress)(void *data, uint64_t events, int64_t time_ns);
    void *data;
};

/* Result of a conversion. */
struct refrain_import_result {
    int32_t ranks;
    uint64_t events;
    uint64_t left_out; /* records of the input that a trace cannot hold */
};

/* Reads the text form that refrain reconstruct and refrain events write (write_text.h), from a file that can be read
 * twice. The text does not list the members of a communicator: they are the ranks that use it. The events of
 * nonblocking operations are nonblocking only if the text has their completions (--all); otherwise they are read as
 * blocking ones. */
enum refrain_status refrain_import_text(const struct refrain_import_request *request,
                                        struct refrain_import_result *result, struct refrain_error *error);

/* Reads an OTF2 archive, given by its anchor file or its directory. */
enum refrain_status refrain_import_otf2(const struct refrain_import_request *request,
                                        struct refrain_import_result *result, struct refrain_error *error);

#endif
