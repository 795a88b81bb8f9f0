/* event_names.c: names of kinds of events, and what a format leaves out (event_names.h). */
#include "formats/event_names.h"
#include "formats/warn.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
    const char *name, *plural;
} kinds[REFRAIN_EVENT_KINDS] = {
    [REFRAIN_EVENT_ENTER] = {"enter", "entries"},
    [REFRAIN_EVENT_LEAVE] = {"leave", "exits"},
    [REFRAIN_EVENT_SEND] = {"send", "messages sent"},
    [REFRAIN_EVENT_SEND_COMPLETE] = {"send-complete", "completions of sends"},
    [REFRAIN_EVENT_RECV_POST] = {"recv-post", "postings of receives"},
    [REFRAIN_EVENT_RECV] = {"recv", "messages received"},
    [REFRAIN_EVENT_CANCEL] = {"cancel", "cancelled requests"},
    [REFRAIN_EVENT_COLLECTIVE] = {"collective", "collectives"},
    [REFRAIN_EVENT_COLLECTIVE_COMPLETE] = {"collective-complete", "completions of collectives"},
    [REFRAIN_EVENT_RMA] = {"rma", "one-sided accesses"},
    [REFRAIN_EVENT_IO] = {"io", "file accesses"},
    [REFRAIN_EVENT_WINDOW] = {"window", "calls that name a window"},
    [REFRAIN_EVENT_FILE] = {"file", "calls that name a file"},
    [REFRAIN_EVENT_ACCESS_COMPLETE] = {"access-complete", "completions of accesses"},
    [REFRAIN_EVENT_MOVED] = {"moved", "bytes that file accesses moved"},
    [REFRAIN_EVENT_SEEK] = {"seek", "seeks"},
    [REFRAIN_EVENT_MARKER] = {"marker", "markers"},
    [REFRAIN_EVENT_COUNTER] = {"counter", "values of counters"},
    [REFRAIN_EVENT_UNTOLD_SENDS] = {"untold-sends", "counts of messages sent in pauses"},
    [REFRAIN_EVENT_UNTOLD_RECEIVES] = {"untold-receives", "counts of messages received in pauses"},
    [REFRAIN_EVENT_UNTOLD_COLLECTIVES] = {"untold-collectives", "counts of collectives in pauses"},
};

const char *const refrain_file_mode_names[REFRAIN_FILE_MODES] = {"read",   "write",  "create", "exclusive",
                                                                 "append", "delete", "unique", "sequential"};

const char *const refrain_whence_names[REFRAIN_WHENCES] = {"start", "current", "end"};

bool refrain_event_names_file(enum refrain_event_kind kind) {
    return kind == REFRAIN_EVENT_IO || kind == REFRAIN_EVENT_FILE || kind == REFRAIN_EVENT_MOVED ||
           kind == REFRAIN_EVENT_SEEK;
}

const char *refrain_whence_name(int64_t whence) {
    return whence >= 0 && whence < REFRAIN_WHENCES ? refrain_whence_names[whence] : "unknown";
}

const char *refrain_event_name(enum refrain_event_kind kind) {
    return kinds[kind].name;
}

const char *refrain_event_plural(enum refrain_event_kind kind) {
    return kinds[kind].plural;
}

int64_t refrain_event_object(const struct refrain_trace *trace, const struct refrain_event *event) {
    const struct refrain_process *process = refrain_trace_process(trace, event->rank);
    if (!process || refrain_event_names_file(event->kind))
        return event->tag;
    const struct refrain_object_view *window = refrain_process_window(process, event->tag);
    return window ? (int64_t)window->record->slot : event->tag;
}

const char *refrain_event_file_name(const struct refrain_trace *trace, const struct refrain_event *event) {
    const struct refrain_process *process = refrain_trace_process(trace, event->rank);
    const struct refrain_object_view *file = process ? refrain_process_file(process, event->tag) : NULL;
    return file ? refrain_process_name(process, file->record->name) : "";
}

void refrain_omitted_say(const struct refrain_omitted *omitted) {
    char text[1024];
    size_t n = 0;
    for (unsigned kind = 0; kind < REFRAIN_EVENT_KINDS; kind++)
        if (omitted->kinds[kind] && n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s (%" PRIu64 ")", n ? ", " : "", kinds[kind].plural,
                                  omitted->kinds[kind]);
    if (n > 0)
        refrain_warn("%s has no place for: %s; they are left out", omitted->format, text);
}
