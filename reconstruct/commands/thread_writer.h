/* thread_writer.h: a writer that runs in threads of its own, so that writing goes on beside replaying (replay -> queues
 * of events -> other writers). */
#ifndef REFRAIN_THREAD_WRITER_H
#define REFRAIN_THREAD_WRITER_H

#include "match/event.h"

/* A writer that gives the events to `inner`, in their order, in another thread; or with n > 1 and `part` (format.h)
 * in so many threads: one of them has `inner`, the others its parts, and all events of a rank go to one of them. The
 * calling thread calls inner's begin before the others begin, and inner's end when they have ended. Null without
 * memory: then `inner` still belongs to the caller. */
struct refrain_writer *refrain_thread_writer(struct refrain_writer *inner,
                                             struct refrain_writer *(*part)(struct refrain_writer *inner), unsigned n);

#endif
