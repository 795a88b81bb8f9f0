/* loop_exits.h: finds loops that were left other than by their condition (learned successors of the places in a loop
 * -> formulas).
 *
 *     for (...) {            the count of the loop is recorded when its condition ends it
 *         f();
 *         if (found)
 *             break;         the next place is outside of the loop: these iterations are counted with those of the
 *         g();               next time the loop begins
 *     } */
#ifndef REFRAIN_LOOP_EXITS_H
#define REFRAIN_LOOP_EXITS_H

#include "model/trace_read.h"

/* True if the loop was sometimes left by break, return, goto or a jump (longjmp). `number`: first slot of the loop.
 * Exits between places without probes are not found. */
bool refrain_loop_left_early(const struct refrain_process *process, uint32_t thread, uint32_t number);

#endif
