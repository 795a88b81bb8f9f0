/* loop_exits.h: was a loop left otherwise than by its condition? (what was learned of a loop's places -> formulas)
 *
 *     for (...) {            count of the loop: told when its condition ends it
 *         f();
 *         if (found)
 *             break;         what comes next lies outside of the loop: the iterations up to here count with those of
 *         g();               the next time that the loop is begun
 *     }
 */
#ifndef REFRAIN_LOOP_EXITS_H
#define REFRAIN_LOOP_EXITS_H

#include "model/trace_read.h"

/* Was the loop left at times by break, return, goto or a jump (longjmp)? `number`: of the loop's first slot. What
 * happened where nothing has a probe is not known. */
bool refrain_loop_left_early(const struct refrain_process *process, uint32_t thread, uint32_t number);

#endif
