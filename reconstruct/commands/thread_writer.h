/* thread_writer.h: a writer that runs in a thread of its own, so that writing goes on beside replaying (replay -> queue
 * of events -> another writer). */
#ifndef REFRAIN_THREAD_WRITER_H
#define REFRAIN_THREAD_WRITER_H

#include "event.h"

/* A writer that gives the events to `inner`, in their order, in another thread. The calling thread calls inner's begin
 * before the other thread begins, and inner's end when that has ended. Null without memory: then `inner` still belongs
 * to the caller. */
struct refrain_writer *refrain_thread_writer(struct refrain_writer *inner);

#endif
