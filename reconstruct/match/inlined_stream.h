/* inlined_stream.h: adds events of functions that the compiler inlined on call paths (location_stream.c -> align.c).
 *
 *     inner stream  enter step                              enter MPI_Send .. leave   ..   leave step
 *     this stream   enter step   enter phase  enter norm    enter MPI_Send .. leave   ..   leave norm, phase, step
 *                                the call of MPI_Send is in norm, which was inlined into phase, and phase into step
 *
 * Only functions of call paths have inlined functions (call_path.h), since these are known by the call sites on the
 * path. An inlined function is shown from the first call in it to the last one before a call from elsewhere: the time
 * between two calls belongs to the innermost function that contains both. Two inlined copies of a function in one
 * function are shown as one. */
#ifndef REFRAIN_INLINED_STREAM_H
#define REFRAIN_INLINED_STREAM_H

#include "match/stream.h"
#include "model/trace_read.h"

/* An open activation of the inner stream. */
struct refrain_inlined_level {
    const struct refrain_region_info *region;
    const struct refrain_inlined *in; /* the first n_open of its regions are open */
    size_t n_open;
    bool on_path; /* it is a function of a call path */
};

struct refrain_inlined_stream {
    struct refrain_stream stream;
    struct refrain_stream *inner;
    struct refrain_event *next; /* next event of the inner stream; null: not read yet */
    struct refrain_event last;  /* the last event of this stream */
    struct refrain_inlined_level *levels;
    size_t n, capacity;
    bool no_memory; /* the stream ended early */
};

/* `inner` has to outlive the stream. The value of its ENTER events points to the functions inlined at the call
 * (translate.h). */
void refrain_inlined_stream_open(struct refrain_inlined_stream *stream, struct refrain_stream *inner);
/* The address of the function in `stream.read`, which saved states have to translate (saved_parts.h). */
uintptr_t refrain_inlined_stream_code(void);

void refrain_inlined_stream_close(struct refrain_inlined_stream *stream);

#endif
