/* format.h: the table of trace formats (--format, suffix of the output -> writer of event.h).
 *
 * A new format is one file, write_<name>.c, which defines one struct refrain_format, and one row in format_list.def.
 * The commands' help, the choice by suffix and the errors follow from the table. */
#ifndef REFRAIN_FORMAT_H
#define REFRAIN_FORMAT_H

#include "common/error.h"
#include "match/event.h"
#include "match/turns.h"

/* The kinds of records that a PICL file has. system: those of PICL's event types. user: those of user events. tracing:
 * those of tracing, besides its begin and end. */
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
    struct refrain_turns *turns; /* null: events come in time order. Otherwise locations take turns, and the replay or
                                    the format sets turns->wrong if the output is invalid (turns.h) */
};

struct refrain_format {
    const char *name;    /* as in --format */
    const char *suffix;  /* an output with this suffix has this format, if --format is not given; null: none */
    const char *summary; /* for --help, a few words */
    bool directory;      /* the output is a directory, so it needs a path: standard output is refused */
    bool waiting;        /* its events have wait and peer_wait (waiting.h), also without --waiting */
    bool untold;         /* it gets events UNTOLD_*: numbers of operations during pauses */
    bool by_order;       /* its readers pair the nth receive of a channel with the nth send (filter_writer.h) */
    /* If the format is one file (file_writer.h): size and functions of its writer. `patchable`: bytes that have been
     * written can be overwritten (sink.h). */
    struct refrain_format_file {
        size_t bytes;
        struct refrain_writer functions;
        bool patchable;
    } file;
    /* Opens a writer for the request, which writer->end frees. Existing output stays until the new output is complete.
     * Null: refrain_file_writer_open() is called instead. */
    enum refrain_status (*open)(const struct refrain_format_request *request, struct refrain_writer **writer,
                                struct refrain_error *error);
    /* Makes another writer for the same output, for another thread, without begin and end. Called after begin; the
     * result lives until the end of the first writer. All events of a location go to one of the writers, in time
     * order; events of different locations may come in any order. Returns null without memory. If the member is
     * null, events of all locations must come in time order. */
    struct refrain_writer *(*part)(struct refrain_writer *writer);
};

/* The formats, in the order of the help; ends with null. */
extern const struct refrain_format *const refrain_formats[];

/* Opens a writer for the request. *writer is null if the status is not REFRAIN_OK. */
enum refrain_status refrain_format_open(const struct refrain_format *format,
                                        const struct refrain_format_request *request, struct refrain_writer **writer,
                                        struct refrain_error *error);

/* The format with this name; null if there is none. */
const struct refrain_format *refrain_format_named(const char *name);

/* The format whose suffix the path has; null if there is none. */
const struct refrain_format *refrain_format_of_path(const char *path);

/* The names of all formats for messages: "otf2, text and json". Owned by the table. */
const char *refrain_format_names(void);

#endif
