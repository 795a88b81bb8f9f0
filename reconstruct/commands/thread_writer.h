/* thread_writer.h: a writer that runs in a thread of its own, so that writing goes on beside replaying (replay -> queue
 * of events -> another writer). */
#ifndef REFRAIN_THREAD_WRITER_H
#define REFRAIN_THREAD_WRITER_H

#include "event.h"

/* A writer that gives the events to `inner`, in their order, in another thread. inner's begin and end are called by who
 * calls those of the result, the one before the thread begins, the other when it has ended. Null without memory; the
 * inner one stays the caller's then. */
struct refrain_writer *refrain_thread_writer(struct refrain_writer *inner);

#endif
