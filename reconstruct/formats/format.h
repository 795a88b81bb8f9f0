/* format.h: the table of trace formats (--format, suffix of the output -> writer of event.h).
 *
 * A new format is one file, write_<name>.c, which defines one struct refrain_format, and one row in format_list.def.
 * The commands' help, the choice by suffix and the errors follow from the table. */
#ifndef REFRAIN_FORMAT_H
#define REFRAIN_FORMAT_H

#include "common/error.h"
#include "match/event.h"
#include "match/turns.h"

/* PICL: which records the file has: system: of PICL's event types; user: of user events; tracing: of tracing,
 * besides its begin and end. */
struct refrain_picl_levels {
    bool system, user, tracing;
};

/* The request of the user. Strings live as long as the writer. */
struct refrain_format_request {
    const char *path;  /* file or directory to write; null or "-": standard output (not for directories) */
    bool force;        /* overwrite existing output */
    bool all;          /* text: also postings and completions of nonblocking operations */
    bool waiting;      /* formats that support it: the waits of each call */
    bool paragraph;    /* picl: states that do not overlap, sends and receives in pairs */
    bool picl_verbose; /* picl: all fields, with their formats */
    struct refrain_picl_levels picl_levels;
    struct refrain_turns *turns; /* null: events come in time order. Else they do not; the output is invalid if `wrong`
                                    is set, which a format may do, too */
};

struct refrain_format {
    const char *name;    /* as in --format */
    const char *suffix;  /* an output with this suffix has this format if --format is not given; null none */
    const char *summary; /* for --help, a few words */
    bool directory;      /* the output is a directory, so it needs a path: standard output is refused */
    bool waiting;        /* its events carry wait and peer_wait (waiting.h), asked for or not */
    bool untold;         /* it says what passed in pauses (enum refrain_event_kind: UNTOLD_*) */
    bool by_order; /* its readers take the first receive of a channel for that of the first send (filter_writer.h) */
    /* Where the format is one file (file_writer.h): the bytes of its writer, whose functions these are. It is
     * `patchable` where it can be written over (sink.h). */
    struct refrain_format_file {
        size_t bytes;
        struct refrain_writer functions;
        bool patchable;
    } file;
    /* Null: refrain_file_writer_open() does it. A writer of what was asked for, freed by writer->end. What is there
     * already stays as it is until the whole output has been written. */
    enum refrain_status (*open)(const struct refrain_format_request *request, struct refrain_writer **writer,
                                struct refrain_error *error);
    /* Null: events of all locations must come in time order. Else it makes a further writer for another thread,
     * without begin and end. It is called after begin, and the result lives until the end of the writer. All events
     * of a location go to one of the writers, in time order; events of different locations may come in any order.
     * Null without memory. */
    struct refrain_writer *(*part)(struct refrain_writer *writer);
};

/* The formats, in the order of the help; ends with null. */
extern const struct refrain_format *const refrain_formats[];

/* A writer of what was asked for. *writer is null when the status is not REFRAIN_OK. */
enum refrain_status refrain_format_open(const struct refrain_format *format,
                                        const struct refrain_format_request *request, struct refrain_writer **writer,
                                        struct refrain_error *error);

/* The format of that name; null when there is none. */
const struct refrain_format *refrain_format_named(const char *name);

/* The format whose suffix the path has, or null. */
const struct refrain_format *refrain_format_of_path(const char *path);

/* The names for messages: "otf2, text and json". Owned by the table. */
const char *refrain_format_names(void);

#endif
