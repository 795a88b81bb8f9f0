/* event_names.h: what the kinds of events are called in formats that have no names of their own for them. */
#ifndef REFRAIN_EVENT_NAMES_H
#define REFRAIN_EVENT_NAMES_H

#include "event.h"

/* As in the text form: "enter", "send", "recv-post" ... */
const char *refrain_event_name(enum refrain_event_kind kind);

/* What is left out, in the plural: "messages sent", "one-sided accesses" ... */
const char *refrain_event_plural(enum refrain_event_kind kind);

#define REFRAIN_EVENT_KINDS (REFRAIN_EVENT_UNTOLD_COLLECTIVES + 1)

/* What a format cannot say, counted, and said once: in a writer's begin all zero. */
struct refrain_omitted {
    const char *format;
    uint64_t kinds[REFRAIN_EVENT_KINDS];
};

/* Says on standard error, in one line, how many events of which kinds the format has no place for; nothing when there
 * are none. */
void refrain_omitted_say(const struct refrain_omitted *omitted);

#endif
