/* sample.h: samples of what each thread runs (REFRAIN_SAMPLE).
 *
 *     timer of each thread, by its processor time --signal--> sample.c: where the thread is, and who called it
 *                                                              --> sample_table.c: counted by call path
 *
 * The kernel sends a thread a signal each time that it has had the processor for so long. The handler follows the stack
 * by the tables that exceptions use, reads the stack by a call of the system that fails where there is no memory, and
 * counts. It takes no lock and allocates nothing but its table, when the thread's first sample comes. A thread that
 * waits without running has no samples. Only where unwinding tables are read (x86-64) and the C library finds them
 * without a lock (glibc 2.35). */
#ifndef REFRAIN_SAMPLE_H
#define REFRAIN_SAMPLE_H

#include "visibility.h"
#include <stdbool.h>

/* Begins to sample all threads that there are, if REFRAIN_SAMPLE asks for it. Prints a line where that cannot be.
 * Called once, when the trace file is open. Not to be called from a probe that keeps no vectors. */
REFRAIN_HIDDEN void refrain_sample_open(void);

/* A thread begins: its samples do, too, if others have. Called by that thread, before its own function. */
REFRAIN_SHARED void refrain_sample_begin_thread(void);

/* No thread takes a sample any more; one that is at it may still end it. */
REFRAIN_HIDDEN void refrain_sample_close(void);

#endif
