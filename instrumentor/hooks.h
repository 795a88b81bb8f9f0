/* hooks.h: probes at the entries and exits of functions in assembler text, for C++ and Fortran (refrain_as.c).
 *
 *     text of the compiler -> assembly.h (functions, calls, loops) -> choose -> tables of the unit (tables.c)
 *                                                                            -> the text with sites
 *
 * The compiler has inlined and optimised before, so its code is the same as without probes: a function has one site of
 * five bytes more at its entry and before each exit. These are the sites of C (struct refrain_site, unit.h): the
 * monitor enables and disables them, and their records are those of C. The frame of an activation is the place of
 * its return address.
 *
 * An exception passes no exit. The activations that it leaves end where it is caught: a site stands before each
 * call of __cxa_begin_catch, which tells the monitor that control is in that function again. */
#ifndef REFRAIN_HOOKS_H
#define REFRAIN_HOOKS_H

#include "filter.h"
#include "text.h"

/* Appends `text` with probes to `out`. `all`: --detail=all or every: enables all probes from the start. False if no
 * function in it gets a probe, or if it has probes (C); `out` is then empty. */
bool refrain_hooks_insert(const struct refrain_text *text, const struct refrain_filter *filter, bool all,
                          struct refrain_text *out);

#endif
