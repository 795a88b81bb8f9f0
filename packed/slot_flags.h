/* slot_flags.h: how control comes to each slot of a unit, which follows from its program tree (nodes -> flags of
 * slots). The monitor sets it when a unit begins, the reader when it lays an image out: it is not in packed traces. */
#ifndef REFRAIN_SLOT_FLAGS_H
#define REFRAIN_SLOT_FLAGS_H

#include <refrain/trace.h>
#include <refrain/unit.h>

/* Sets REFRAIN_SLOT_KIND and REFRAIN_SLOT_OF_FUNCTION of a thread's slots of a unit; the bits below stay. */
__attribute__((visibility("hidden"))) void refrain_slot_flags(struct refrain_slot *slots, uint32_t n_slots,
                                                              const struct refrain_node *nodes, uint32_t n_nodes);

#endif
