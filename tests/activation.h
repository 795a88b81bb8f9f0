/* activation.h: probes of functions for tests that are not instrumented: the same calls as in instrumented code
 * (refrain/unit.h). */
#ifndef ACTIVATION_H
#define ACTIVATION_H

#include <refrain/unit.h>

struct activation {
    struct refrain_unit *unit;
    unsigned slot;
};

static inline void activation_leave(struct activation *frame) {
    refrain_probe(frame->unit, frame->slot + 1, frame, (unsigned long)frame);
}

#ifdef __x86_64__
#define ACTIVATION_PLACE __builtin_frame_address(0)
#else
#define ACTIVATION_PLACE ((char *)__builtin_dwarf_cfa() - 1)
#endif

/* The function of `unit_` with this slot has been entered, as its first statement; it is left at its end. */
#define ACTIVATION(frame, unit_, slot_)                                                                                \
    struct activation frame __attribute__((cleanup(activation_leave))) = {.unit = (unit_), .slot = (slot_)};           \
    refrain_probe(frame.unit, frame.slot, ACTIVATION_PLACE, (unsigned long)&frame)

#endif
