/* event_names.h: names of the kinds of events for formats without names of their own, and the objects of events
 * (event_kinds.def). */
#ifndef REFRAIN_EVENT_NAMES_H
#define REFRAIN_EVENT_NAMES_H

#include "match/event.h"
#include "model/trace_read.h"

/* The kind with the name that refrain_event_name() returns. False if there is none. */
bool refrain_event_kind_named(const char *name, enum refrain_event_kind *kind);

/* The name of the kind in the plural, for omitted events: "messages sent", "one-sided accesses" ... */
const char *refrain_event_plural(enum refrain_event_kind kind);

/* By bit of enum refrain_file_mode: "read", "write", "create" ... */
extern const char *const refrain_file_mode_names[REFRAIN_FILE_MODES];

/* Origin of the offset of a SEEK: "start", "current", "end"; else "unknown". And the names by enum refrain_whence. */
const char *refrain_whence_name(int64_t whence);
extern const char *const refrain_whence_names[REFRAIN_WHENCES];

/* The window of the communicator (all members have the same number), or the file of the process, that an event is
 * about; -1: unknown. The name of this file; "": unknown. */
int64_t refrain_event_object(const struct refrain_trace *trace, const struct refrain_event *event);
const char *refrain_event_file_name(const struct refrain_trace *trace, const struct refrain_event *event);

/* Counts of events that a format cannot represent, for one report at the end. The begin function of a writer sets
 * them to zero. */
struct refrain_omitted {
    uint64_t kinds[REFRAIN_EVENT_KINDS];
};

/* Warns in one line how many events of which kinds the format omits. Prints nothing if there are none. */
void refrain_omitted_warn(const struct refrain_omitted *omitted, const char *format);

#endif
