/* refrain.h: what a program may call by hand. Nothing here is needed to trace a program.
 *
 * A user region is a span of one thread's time with a name; it appears in every output as a function does. Regions nest
 * with functions and with each other; one that is still open when the function that opened it returns ends there. Where
 * the program is not linked with librefrain, define REFRAIN_DISABLE before including this header and the calls vanish.
 *
 * Threads: any. Errors: none are reported; an end without a begin is counted in the trace and ignored.
 */
#ifndef REFRAIN_REFRAIN_H
#define REFRAIN_REFRAIN_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef REFRAIN_DISABLE
#define refrain_region_begin(name) ((void)0)
#define refrain_region_end() ((void)0)
#else
/* Opens a region. `name` is a NUL-terminated string that stays valid and unchanged for the whole run (a literal,
 * usually): the first visit copies it, later visits compare the pointer. */
void refrain_region_begin(const char *name);

/* Closes the region this thread opened last. */
void refrain_region_end(void);
#endif

#ifdef __cplusplus
}
#endif
#endif
