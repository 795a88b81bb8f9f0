/* tracing.h: opens and closes the trace file (for context.c, pool.c, tracing.c and unit.c). */
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

/* Returns a context for the calling thread. Null if REFRAIN_THREADS contexts are in use. */
REFRAIN_HIDDEN struct refrain_context *refrain_tracing_take_context(void);

/* The thread of this context ends. Its open activations end, as by pthread_exit(), and the next thread that
 * begins takes over the context and its location. A context whose thread jumped out of a probe is not used again. */
REFRAIN_HIDDEN void refrain_tracing_give_context(struct refrain_context *context);

/* Ends what is open in the calling thread, as exit() would, ends tracing in this thread, and records `how` in the trace
 * file. */
REFRAIN_HIDDEN void refrain_tracing_finish(enum refrain_finished how);

/* Removes this process's own file, since a pack holds its trace now. `last`: removes the directory, too. */
REFRAIN_HIDDEN void refrain_tracing_packed(bool last);

/* Reads the system's clocks and the probes' clock at the same moment. */
REFRAIN_HIDDEN void refrain_read_clock_pair(struct refrain_clock_pair *pair);

/* Copies the tables of all units registered so far into the trace file, and makes the tables of their sites. Later
 * units are copied by refrain_register(); the tables of their sites are made when the first site runs. Returns the
 * number of missing bytes, 0 if the pool had enough. */
REFRAIN_HIDDEN uint64_t refrain_units_open(void);

/* Makes the slots of this thread and of all threads before it. Slots of threads that never begin are not written. */
REFRAIN_HIDDEN void refrain_units_begin_thread(uint32_t thread);

/* Bytes in the trace file for the tables of all units registered so far, with the slots of `threads` threads. */
REFRAIN_HIDDEN uint64_t refrain_units_bytes(uint32_t threads);

/* Bytes in the trace file for the tables of these units' sites. */
REFRAIN_HIDDEN uint64_t refrain_units_site_tables_bytes(void);

/* Number of MPI call sites in the units that are in the trace file. */
REFRAIN_HIDDEN uint64_t refrain_units_mpi_calls(void);

/* Adds the MPI functions that the units registered so far call, by their tables. */
struct refrain_called;
REFRAIN_HIDDEN void refrain_units_called(struct refrain_called *called);

/* True if the program may use requests. The tables of instrumented code say it. */
REFRAIN_HIDDEN bool refrain_units_use_requests(void);

/* Switches off all probes: no unit is traced from now on (mode off, no memory, child of a fork). `forked`: this is the
 * child of a fork. */
REFRAIN_HIDDEN void refrain_units_close(bool forked);

/* Set to 1 by a constructor of the MPI part. Then the rank is unknown before MPI_Init. */
extern REFRAIN_SHARED int refrain_mpi_linked;

#endif
