/* event_names.h: what the kinds of events are called in formats that have no names of their own for them, and what they
 * are about (event_kinds.def). */
#ifndef REFRAIN_EVENT_NAMES_H
#define REFRAIN_EVENT_NAMES_H

#include "match/event.h"
#include "model/trace_read.h"

/* The kind that refrain_event_name() calls so; false where there is none. */
bool refrain_event_kind_named(const char *name, enum refrain_event_kind *kind);

/* What is left out, in the plural: "messages sent", "one-sided accesses" ... */
const char *refrain_event_plural(enum refrain_event_kind kind);

/* Of each bit of enum refrain_file_mode: "read", "write", "create" ... */
extern const char *const refrain_file_mode_names[REFRAIN_FILE_MODES];

/* What the offset of a SEEK counts from: "start", "current", "end"; "unknown". And the names by enum refrain_whence. */
const char *refrain_whence_name(int64_t whence);
extern const char *const refrain_whence_names[REFRAIN_WHENCES];

/* Is such an event about a file? And about a window? */
bool refrain_event_names_file(enum refrain_event_kind kind);
bool refrain_event_names_window(enum refrain_event_kind kind);

/* Which window of its communicator (all members have the same number), or which file of its process, an event is about;
 * -1 unknown. And the name of that file, "" unknown. */
int64_t refrain_event_object(const struct refrain_trace *trace, const struct refrain_event *event);
const char *refrain_event_file_name(const struct refrain_trace *trace, const struct refrain_event *event);

/* Counts of the events that a format has no place for, which are reported once. A writer's begin sets them to zero. */
struct refrain_omitted {
    uint64_t kinds[REFRAIN_EVENT_KINDS];
};

/* Says on standard error, in one line, how many events of which kinds the format has no place for; nothing when there
 * are none. */
void refrain_omitted_say(const struct refrain_omitted *omitted, const char *format);

#endif
