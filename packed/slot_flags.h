/* slot_flags.h: computes how control reaches each slot of a unit, from the program tree (nodes -> flags of slots).
 * The monitor sets these flags when a unit begins, and the reader when it makes an image. So packed traces do not
 * contain them. */
#ifndef REFRAIN_SLOT_FLAGS_H
#define REFRAIN_SLOT_FLAGS_H

#include <refrain/trace.h>
#include <refrain/unit.h>

/* Sets REFRAIN_SLOT_KIND and REFRAIN_SLOT_OF_FUNCTION of the slots that a thread has in a unit, and how many slots each
 * loop contains (loop_slots of its count). Lower bits are kept. */
__attribute__((visibility("hidden"))) void refrain_slot_flags(struct refrain_slot *slots, uint32_t n_slots,
                                                              const struct refrain_node *nodes, uint32_t n_nodes);

#endif
