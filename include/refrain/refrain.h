/* refrain.h: what a program may call by hand. Nothing here is needed to trace a program.
 *
 *     refrain_region_begin("solve");             a span of time with a name
 *     for (int i = 0; i < n; i++) {
 *         refrain_iteration("step", i);          the loop's iterations, one after the other
 *         ...
 *         refrain_counter("cells", n_cells);     a number that changes
 *         if (refined)
 *             refrain_marker("refined");         a moment
 *     }
 *     refrain_phase(NULL);                       ... and their end
 *     refrain_region_end();
 *
 * A program that includes this header needs no librefrain to be built or run: without it the calls do nothing. They are
 * traced where the program is run by `refrain record` or linked with librefrain. The header uses weak references for
 * that, so the program has to be a position-independent executable, which is the default on most systems. With
 * REFRAIN_DISABLE defined, the calls vanish from the program. Programs compiled by refrain-cc need the library.
 *
 * User regions and phases appear in every output as functions do, and nest with functions and with each other. One that
 * is still open when the function that opened it returns ends there. These calls are learned like all others: names,
 * values and numbers that repeat, or change in equal steps, take no further memory.
 *
 * Names are NUL-terminated strings that stay valid and unchanged for the whole run (literals, usually): the first call
 * with a name copies it, later calls compare the pointer.
 *
 * Threads: any thread may make these calls; each has regions, phases and counters of its own. Errors: no call reports
 * any; an end without a begin is ignored, and counted in the trace as a loss.
 */
#ifndef REFRAIN_REFRAIN_H
#define REFRAIN_REFRAIN_H

#include <stdint.h>

#ifdef REFRAIN_DISABLE
#define refrain_region_begin(name) ((void)0)
#define refrain_region_end() ((void)0)
#define refrain_phase(name) ((void)0)
#define refrain_iteration(name, number) ((void)0)
#define refrain_marker(name) ((void)0)
#define refrain_counter(name, value) ((void)0)
#define refrain_pause() ((void)0)
#define refrain_resume() ((void)0)
#else

#ifdef __cplusplus
extern "C" {
#endif

/* The library is there when the program is linked: refrain itself, and what refrain-cc has compiled. */
#if defined(REFRAIN_INSTRUMENTED) || defined(REFRAIN_BUILDING) || !defined(__GNUC__)
#define REFRAIN_MAYBE
#else
#define REFRAIN_MAYBE __attribute__((__weak__))
#endif

/* Begins a user region: it lasts until the matching refrain_region_end(). */
REFRAIN_MAYBE void refrain_region_begin(const char *name);

/* Ends the user region that this thread began last and has not ended, with the phase in it, if there is one. */
REFRAIN_MAYBE void refrain_region_end(void);

/* Begins the phase `name`, a user region that lasts until the thread begins another phase. Null only ends the phase. A
 * phase that was begun outside of the user region that is open now does not end: the new phase nests in it. */
REFRAIN_MAYBE void refrain_phase(const char *name);

/* Begins the phase `name` for the next iteration of a loop, and sets the counter of the same name to its number. */
REFRAIN_MAYBE void refrain_iteration(const char *name, int64_t number);

/* Marks this moment with a name. */
REFRAIN_MAYBE void refrain_marker(const char *name);

/* Sets a counter: it has this value until it is set again. */
REFRAIN_MAYBE void refrain_counter(const char *name, int64_t value);

/* Pauses the tracing of this process. The calling thread is paused at once; if it is in an MPI call (in a callback),
 * then at its next MPI call, like all other threads. The trace shows the pause as the region "paused". In it MPI calls
 * are only counted, and functions that are entered are not traced; functions that were open before stay open until they
 * return. A message with one end in a pause has no other end in the trace; later messages are matched as without the
 * pause. */
REFRAIN_MAYBE void refrain_pause(void);

/* Ends the pause, in the same way. Does nothing where tracing is not paused. */
REFRAIN_MAYBE void refrain_resume(void);

#ifdef __cplusplus
}
#endif

#if !defined(REFRAIN_INSTRUMENTED) && !defined(REFRAIN_BUILDING) && defined(__GNUC__)
#define refrain_region_begin(name) (refrain_region_begin ? refrain_region_begin(name) : (void)0)
#define refrain_region_end() (refrain_region_end ? refrain_region_end() : (void)0)
#define refrain_phase(name) (refrain_phase ? refrain_phase(name) : (void)0)
#define refrain_iteration(name, number) (refrain_iteration ? refrain_iteration(name, number) : (void)0)
#define refrain_marker(name) (refrain_marker ? refrain_marker(name) : (void)0)
#define refrain_counter(name, value) (refrain_counter ? refrain_counter(name, value) : (void)0)
#define refrain_pause() (refrain_pause ? refrain_pause() : (void)0)
#define refrain_resume() (refrain_resume ? refrain_resume() : (void)0)
#endif
#endif
#endif
