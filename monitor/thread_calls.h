/* thread_calls.h: calls of the thread library, and constructs of which an OpenMP runtime says when they begin and end
 * (launch/front/ompt.c), as regions (librefrain-threads.so, librefrain-record.so -> refrain/construct_names.h).
 *
 *     program                 librefrain-threads.so (preloaded)          this file
 *     pthread_mutex_lock -->  begin(MUTEX_LOCK, mutex, address) ------>  region "!$pthread mutex_lock(1)" begins
 *                             pthread_mutex_lock of the C library
 *                             end -------------------------------------> the region ends
 *
 * A region has the place of the call, or of the call of the OpenMP runtime. Mutexes, conditions, barriers and locks are
 * numbered in the order in which the program first uses them; those beyond the table have no number. A thread follows
 * pauses at its calls (pause.h). A call is not recorded
 *
 *     - before the trace is opened, that is before the first call of MPI or the first probe,
 *     - while the thread is in a call of MPI, in a probe or in a pause,
 *     - if it is made by the MPI library, the C library, an OpenMP runtime, refrain, or a layer (REFRAIN_LAYERS),
 *     - in a thread that one of these created. */
#ifndef REFRAIN_THREAD_CALLS_H
#define REFRAIN_THREAD_CALLS_H

#include "visibility.h"

/* Lets those of these libraries record that are loaded. Once, when the trace has been opened. */
REFRAIN_HIDDEN void refrain_thread_calls_open(void);

#endif
