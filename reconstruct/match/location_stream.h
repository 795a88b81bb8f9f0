/* location_stream.h: the events of a location as a stream, from a walk through the formulas or an event file
 * (cursor.c). */
#ifndef REFRAIN_LOCATION_STREAM_H
#define REFRAIN_LOCATION_STREAM_H

#include "match/align.h"
#include "match/cycle_events.h"
#include "match/inlined_stream.h"
#include "match/translate.h"
#include "walk/event_read.h"

struct refrain_location_stream {
    struct refrain_stream stream;
    struct refrain_translation translation;
    struct refrain_walk *walk;           /* source of reconstructed events; null for recorded ones */
    struct refrain_event_reader *reader; /* source of recorded events; null for reconstructed ones */
    struct refrain_walk *costs; /* only for recorded events: a walk through the formulas of the same events, for the
                                   time in probes; null: not wanted, or unknown */
    uint64_t cost;              /* time in probes up to the last event */
    bool with_costs;
    bool ended;                            /* the walk or file has no more records */
    struct refrain_inlined_stream inlined; /* adds functions that were inlined on call paths to these events */
};

/* Opens a thread's events. Uses the options recorded, compensate (also the events of a file get their time in probes)
 * and at_once. The caller closes the location also after an error. */
enum refrain_status refrain_location_stream_open(struct refrain_location_stream *location,
                                                 const struct refrain_process *process, uint32_t thread,
                                                 const struct refrain_cursor_options *options,
                                                 struct refrain_error *error);

/* The stream to read: with events of inlined functions, if the process has any. */
struct refrain_stream *refrain_location_stream_events(struct refrain_location_stream *location);

/* After the last event: the damage that ended the stream early, if any. */
enum refrain_status refrain_location_stream_status(const struct refrain_location_stream *location,
                                                   struct refrain_error *error);

/* Sets the unused parts of the location's memory to 0, so that copies of equal states are equal there. */
void refrain_location_stream_clear_unused(struct refrain_location_stream *location);

/* The address of the function in `stream.read`, which saved states have to translate (saved_parts.h). */
uintptr_t refrain_location_stream_code(void);

void refrain_location_stream_close(struct refrain_location_stream *location);

#endif
