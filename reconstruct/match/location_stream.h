/* location_stream.h: a location's events as a stream: a walk through what was learned, or an event file (cursor.c). */
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
    struct refrain_walk *walk;           /* null: recorded ... */
    struct refrain_event_reader *reader; /* ... events */
    struct refrain_walk *costs;          /* of recorded events: what was learned of the same ones, for what the probes
                                            between them took; null: not asked for, or not known */
    uint64_t cost;                       /* by the last event */
    bool with_costs;
    bool ended;                            /* no record is left */
    struct refrain_inlined_stream inlined; /* of these events, where functions are inlined on call paths */
};

/* Opens a thread's events; of the options it goes by recorded, compensate (of recorded events too it is to be known
 * what probes took), at_once and checkpoint_bytes. The caller closes the location also after an error. */
enum refrain_status refrain_location_stream_open(struct refrain_location_stream *location,
                                                 const struct refrain_process *process, uint32_t thread,
                                                 const struct refrain_cursor_options *options,
                                                 struct refrain_error *error);

/* The stream to be read. */
struct refrain_stream *refrain_location_stream_events(struct refrain_location_stream *location);

/* What turned out to be damaged on the way. */
enum refrain_status refrain_location_stream_status(const struct refrain_location_stream *location,
                                                   struct refrain_error *error);

/* Sets to 0 what lies unused in its memory, so that copies of its state at different moments are alike there. */
void refrain_location_stream_clear_unused(struct refrain_location_stream *location);

/* The address of the code that a stream refers to. */
uintptr_t refrain_location_stream_code(void);

void refrain_location_stream_close(struct refrain_location_stream *location);

#endif
