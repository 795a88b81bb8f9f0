/* sample.h: takes samples of what each thread runs (REFRAIN_SAMPLE).
 *
 *     a timer of each thread's processor time --signal--> sample.c: the functions on the stack
 *                                                             --> sample_table.c: counted by call path
 *
 * The kernel sends a thread a signal whenever it has used a certain amount of processor time. The handler unwinds the
 * stack by the tables that exceptions use. It reads the stack by a system call that fails if there is no memory. It
 * takes no lock, and allocates nothing except a table at the first sample of a thread. A thread that sleeps has no
 * samples. Samples need unwinding tables (x86-64) and a C library that finds them without a lock (glibc 2.35). */
#ifndef REFRAIN_SAMPLE_H
#define REFRAIN_SAMPLE_H

#include "visibility.h"
#include <stdbool.h>

/* Starts sampling in all existing threads if REFRAIN_SAMPLE is set. Prints a line if that is impossible. To be called
 * once, when the trace file is open, and not from a probe, since it does not keep the vector registers. */
REFRAIN_HIDDEN void refrain_sample_open(void);

/* Starts sampling in the calling thread, if it has been started in others. To be called before the thread's own
 * function. */
REFRAIN_SHARED void refrain_sample_begin_thread(void);

/* Ends sampling in all threads. A handler that is running may still complete its sample. */
REFRAIN_HIDDEN void refrain_sample_close(void);

#endif
