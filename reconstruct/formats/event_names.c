/* event_names.c: names of the kinds of events, and counts of those that a format omits (event_names.h). */
#include "formats/event_names.h"
#include "formats/warn.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const plurals[] = {
#define REFRAIN_EVENT_OF(kind, about, always, name, plural) plural,
#include "match/event_kinds.def"
#undef REFRAIN_EVENT_OF
};

enum position {
#define REFRAIN_EVENT_OF(kind, about, always, name, plural) POSITION_##kind,
#include "match/event_kinds.def"
#undef REFRAIN_EVENT_OF
    POSITIONS
};
_Static_assert(POSITIONS == REFRAIN_EVENT_KINDS, "all kinds");
#define REFRAIN_EVENT_OF(kind, about, always, name, plural)                                                            \
    _Static_assert((int)POSITION_##kind == (int)REFRAIN_EVENT_##kind, "in the order of read.h");
#include "match/event_kinds.def"
#undef REFRAIN_EVENT_OF

const char *const refrain_file_mode_names[REFRAIN_FILE_MODES] = {"read",   "write",  "create", "exclusive",
                                                                 "append", "delete", "unique", "sequential"};

const char *const refrain_whence_names[REFRAIN_WHENCES] = {"start", "current", "end"};

bool refrain_event_kind_named(const char *name, enum refrain_event_kind *kind) {
    for (unsigned i = 0; i < REFRAIN_EVENT_KINDS; i++)
        if (strcmp(name, refrain_event_name((enum refrain_event_kind)i)) == 0) {
            *kind = (enum refrain_event_kind)i;
            return true;
        }
    return false;
}

const char *refrain_whence_name(int64_t whence) {
    return whence >= 0 && whence < REFRAIN_WHENCES ? refrain_whence_names[whence] : "unknown";
}

const char *refrain_event_plural(enum refrain_event_kind kind) {
    return plurals[kind];
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

void refrain_omitted_warn(const struct refrain_omitted *omitted, const char *format) {
    char text[1024];
    size_t n = 0;
    for (unsigned kind = 0; kind < REFRAIN_EVENT_KINDS; kind++)
        if (omitted->kinds[kind] && n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s (%" PRIu64 ")", n ? ", " : "", plurals[kind],
                                  omitted->kinds[kind]);
    if (n > 0)
        refrain_warn("%s has no place for: %s; they are left out", format, text);
}
