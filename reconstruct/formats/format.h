/* format.h: the table of trace formats (--format, suffix of the output -> writer of event.h).
 *
 * A new format is one file, write_<name>.c, which defines one struct refrain_format, and one row in format_list.def.
 * The commands' help, the choice by suffix and the errors follow from the table. */
#ifndef REFRAIN_FORMAT_H
#define REFRAIN_FORMAT_H

#include "common/error.h"
#include "match/event.h"
#include "match/turns.h"

/* PICL: whether there are records of its own event types, of user events, and of tracing itself but its begin and end.
 */
struct refrain_picl_levels {
    bool system, user, tracing;
};

/* What the user asked for. Strings live as long as the writer. */
struct refrain_format_request {
    const char *path;  /* file or directory to write; null or "-": standard output (never of a directory format) */
    bool force;        /* what is there is overwritten */
    bool all;          /* text: also postings and completions of nonblocking operations */
    bool waiting;      /* formats with room for it: also what each call waited for */
    bool paragraph;    /* picl: states that do not overlap, sends and receives in pairs */
    bool picl_verbose; /* picl: all fields, and their formats written out */
    struct refrain_picl_levels picl_levels;
    struct refrain_turns *turns; /* events do not come by time; null: they do. What was written is void where `wrong`
                                    says why, which a format may say, too */
};

struct refrain_format {
    const char *name;    /* as in --format */
    const char *suffix;  /* an output whose name ends in it is of this format when --format is not given; null none */
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
    /* Null: events of all locations have to come in time order. Else a further writer for another thread, without begin
     * and end: it is asked for after begin, and lives until the writer's end. All events of a location come to one of
     * them, in time order; those of several locations in any order. Null without memory. */
    struct refrain_writer *(*part)(struct refrain_writer *writer);
};

/* The formats, in the order of the help; null behind the last. */
extern const struct refrain_format *const refrain_formats[];

/* A writer of what was asked for. *writer is null when the status is not REFRAIN_OK. */
enum refrain_status refrain_format_open(const struct refrain_format *format,
                                        const struct refrain_format_request *request, struct refrain_writer **writer,
                                        struct refrain_error *error);

/* The format of that name; null when there is none. */
const struct refrain_format *refrain_format_named(const char *name);

/* The format whose suffix the path ends in; null when there is none. */
const struct refrain_format *refrain_format_of_path(const char *path);

/* "otf2, text and json": the names, for messages; owned by the table. */
const char *refrain_format_names(void);

#endif
