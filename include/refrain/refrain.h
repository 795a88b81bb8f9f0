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
 * The calls do nothing where refrain is not there: a program that includes this header is built without librefrain, and
 * traced where it is run by `refrain record` or linked with refrain. That is by weak references, so the program is to
 * be a position-independent executable, as is the default of most systems. With REFRAIN_DISABLE defined nothing of the
 * calls is left in the program. Programs compiled by refrain-cc need the library.
 *
 * User regions and phases appear in every output as functions do, and nest with functions and with each other. One that
 * is still open when the function that opened it returns ends there. What is told is learned like all else: names,
 * values and numbers that repeat, or change in equal steps, take no memory.
 *
 * Names are NUL-terminated strings that stay valid and unchanged for the whole run (literals, usually): the first visit
 * copies them, later ones compare the pointer.
 *
 * Threads: any; each has regions, phases and counters of its own. Errors: none are reported; an end without a begin is
 * counted in the trace and ignored.
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

/* Opens a region. */
REFRAIN_MAYBE void refrain_region_begin(const char *name);

/* Closes the region this thread opened last. */
REFRAIN_MAYBE void refrain_region_end(void);

/* From here on the thread is in the phase `name`, a region that the next phase ends; null: in none. A phase that was
 * begun outside of the region that is open now goes on, and this one is within it. */
REFRAIN_MAYBE void refrain_phase(const char *name);

/* The same for the next iteration of a loop, whose number is told as the counter `name`. */
REFRAIN_MAYBE void refrain_iteration(const char *name, int64_t number);

/* A moment. */
REFRAIN_MAYBE void refrain_marker(const char *name);

/* The counter has this value from now on. */
REFRAIN_MAYBE void refrain_counter(const char *name, int64_t value);

/* Stops the tracing of this process: of the calling thread now, where it is in no MPI call, else and of other threads
 * at their next MPI call. What is paused is shown as the region "paused". MPI calls in it are counted only, functions
 * are not seen; those that are open stay so until they are left. A message with one end in a pause has no other end in
 * the trace; those after it are matched as ever. */
REFRAIN_MAYBE void refrain_pause(void);

/* Goes on with it. */
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
