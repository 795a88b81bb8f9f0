/* tracing.h: what opening and closing a trace file needs of context.c, pool.c, tracing.c and unit.c. */
#ifndef REFRAIN_TRACING_H
#define REFRAIN_TRACING_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* Opens the trace file on first use. True once it is known whether the process is traced; false while another thread is
 * opening the file. */
REFRAIN_HIDDEN bool refrain_tracing_open(void);

/* A context for the calling thread; null beyond REFRAIN_THREADS. */
REFRAIN_HIDDEN struct refrain_context *refrain_tracing_take_context(void);

/* The thread that has this context ends: its open activations end, as by pthread_exit(), and the next thread that
 * begins takes over the context and its location. If the thread jumped out of a probe, its context is not used again.
 */
REFRAIN_HIDDEN void refrain_tracing_give_context(struct refrain_context *context);

/* The calling thread is not traced from now on (child of a fork). */
REFRAIN_HIDDEN void refrain_context_drop(void);

/* The context that all threads share which are not traced, if the calling thread is one of them; else null. */
REFRAIN_HIDDEN struct refrain_context *refrain_context_untraced(void);

/* Counts as lost the probes that ran while another thread was opening the trace file, if they are not counted yet. */
REFRAIN_HIDDEN void refrain_context_count_early(void);

/* The calling thread ends what is open, as exit() does, and is not traced from now on; the trace file says how. */
REFRAIN_HIDDEN void refrain_tracing_finish(enum refrain_finished how);

/* A pack now holds this process's trace: removes its own file and, with `last`, the directory. */
REFRAIN_HIDDEN void refrain_tracing_packed(bool last);

/* The system's clocks and the probes' at one moment. */
REFRAIN_HIDDEN void refrain_read_clock_pair(struct refrain_clock_pair *pair);

/* Copies the tables of all units registered so far, and makes those of their sites; from then on refrain_register() and
 * the first site do so by themselves. Returns the bytes that the pool did not have for it, 0 when all fit. */
REFRAIN_HIDDEN uint64_t refrain_units_open(void);

/* Makes the slots of this thread and of those before it: nothing is written to those of threads that do not come. */
REFRAIN_HIDDEN void refrain_units_begin_thread(uint32_t thread);

/* Bytes that the tables of all units registered so far take in the trace file, and those of their sites. */
REFRAIN_HIDDEN uint64_t refrain_units_bytes(uint32_t threads);
REFRAIN_HIDDEN uint64_t refrain_units_site_tables_bytes(void);

/* Calls of MPI functions in the units that are in the trace file. */
REFRAIN_HIDDEN uint64_t refrain_units_mpi_calls(void);

/* Adds the names in the tables of all units registered so far. */
struct refrain_called;
REFRAIN_HIDDEN void refrain_units_called(struct refrain_called *called);

/* May the program have requests? Its calls tell, where it is instrumented. */
REFRAIN_HIDDEN bool refrain_units_use_requests(void);

/* No unit is traced, from now on (mode off, no memory, child of a fork): all switchable probes are off. `forked`: in
 * the child of a fork. */
REFRAIN_HIDDEN void refrain_units_close(bool forked);

/* Set to 1 by a constructor of the MPI part: the rank is not known before MPI_Init. */
extern REFRAIN_SHARED int refrain_mpi_linked;

#endif
