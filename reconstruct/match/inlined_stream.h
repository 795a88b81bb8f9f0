/* inlined_stream.h: functions that the compiler inlined on the way to a call become events (location_stream.c ->
 * align.c).
 *
 *     given    enter step                                     enter MPI_Send .. leave   ..   leave step
 *     becomes  enter step   enter phase  enter norm           enter MPI_Send .. leave   ..   leave norm, phase, step
 *                           as the next call is made in code of norm that was inlined into phase and that into step
 *
 * Only functions of call paths have them (call_path.h): what was inlined is known of the places that they are called
 * from. As with these the function is shown from the first call in it to the last one before a call from elsewhere: the
 * time between two calls belongs to the innermost function that both are made in. Two copies of a function's code in
 * one function are not told apart. */
#ifndef REFRAIN_INLINED_STREAM_H
#define REFRAIN_INLINED_STREAM_H

#include "match/stream.h"
#include "model/trace_read.h"

/* An activation that is open. */
struct refrain_inlined_level {
    const struct refrain_region_info *region;
    const struct refrain_inlined *in; /* the first n_open of its regions are open */
    size_t n_open;
    bool on_path; /* it is a function of a call path */
};

struct refrain_inlined_stream {
    struct refrain_stream stream;
    struct refrain_stream *inner;
    struct refrain_event *next; /* of the inner stream, and not given yet; null: it is to be read */
    struct refrain_event last;  /* that was given */
    struct refrain_inlined_level *levels;
    size_t n, capacity;
    bool no_memory; /* it ended early */
};

/* `inner` stays as long as the stream. Its ENTER events have in `value` where their calls are made (translate.h). */
void refrain_inlined_stream_open(struct refrain_inlined_stream *stream, struct refrain_stream *inner);
/* The address of the code that a stream refers to. */
uintptr_t refrain_inlined_stream_code(void);

void refrain_inlined_stream_close(struct refrain_inlined_stream *stream);

#endif
