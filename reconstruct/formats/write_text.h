/* write_text.h: the writer of the format "text" for other sinks than files (refrain compare). */
#ifndef REFRAIN_WRITE_TEXT_H
#define REFRAIN_WRITE_TEXT_H

#include "formats/sink.h"
#include "match/event.h"

/* A writer of lines into the sink, which it closes. `all`: also postings and completions of nonblocking calls;
 * `waiting`: what calls waited for. Null, with the sink closed, without memory, or when `sink` is null; freed by
 * writer->end. */
struct refrain_writer *refrain_write_text(struct refrain_sink *sink, bool all, bool waiting,
                                          struct refrain_error *error);

#endif
