/* thread_writer.h: runs a writer in threads of its own, beside the replay (replay -> queues of events -> other
 * writers). */
#ifndef REFRAIN_THREAD_WRITER_H
#define REFRAIN_THREAD_WRITER_H

#include "match/event.h"

/* A writer that passes the events in their order to `inner`, in another thread. With n > 1 and `part` (format.h) it
 * uses n threads: one has `inner`, the others its parts; all events of a rank go to the same thread. The calling thread
 * calls inner's begin before the other threads start, and inner's end after they have ended. Null without memory: then
 * `inner` still belongs to the caller. */
struct refrain_writer *refrain_thread_writer(struct refrain_writer *inner,
                                             struct refrain_writer *(*part)(struct refrain_writer *inner), unsigned n);

#endif
