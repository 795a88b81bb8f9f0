/* write_text.h: the writer of the format "text", for sinks other than files (refrain compare). */
#ifndef REFRAIN_WRITE_TEXT_H
#define REFRAIN_WRITE_TEXT_H

#include "formats/sink.h"
#include "match/event.h"

/* Makes a writer of lines to the sink, which it closes. `all`: also postings and completions of nonblocking calls;
 * `waiting`: waits of calls. If `sink` is null, and without memory: null, and the sink is closed. writer->end frees
 * it. */
struct refrain_writer *refrain_write_text(struct refrain_sink *sink, bool all, bool waiting,
                                          struct refrain_error *error);

#endif
