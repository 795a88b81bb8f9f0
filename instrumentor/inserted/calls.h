/* Probes elsewhere: a test of the byte that says whether the probe is on, and a call. What a probe does is out of line,
 * since more than a call at each would cost the compiler too much; without optimisation nothing is inline, since that
 * would double the time to compile. */
#ifndef REFRAIN__SITES
#define refrain__jump() (void)0
REFRAIN__OUT void refrain__tell(unsigned int slot, void *place, unsigned long extra) {
    if (refrain__do_probe)
        refrain__do_probe(&refrain__u, slot, place, extra);
}
REFRAIN__INLINE int refrain__enter_at(refrain__frame *frame, unsigned int slot, void *frame_address) {
    if (refrain__on[slot])
        refrain__tell(slot, frame_address, (unsigned long)frame);
    return 0;
}
#define refrain__enter(frame, slot) refrain__enter_at(frame, slot, __builtin_frame_address(0))
REFRAIN__INLINE void refrain__leave(refrain__frame *frame, unsigned int slot) {
    if (refrain__on[slot])
        refrain__tell(slot, frame, (unsigned long)frame);
}
REFRAIN__INLINE void refrain__at(refrain__frame *frame, unsigned int slot) {
    if (refrain__on[slot])
        refrain__tell(slot, frame, 0);
}
REFRAIN__INLINE int refrain__if(refrain__frame *frame, unsigned int slot, int value) {
    if (refrain__on[slot])
        refrain__tell(value ? slot + 1 : slot + 2, frame, 0);
    return value;
}
REFRAIN__INLINE int refrain__loop(refrain__frame *frame, unsigned int slot, int value) {
    return refrain__if(frame, slot, value);
}
REFRAIN__INLINE void refrain__tell_count(refrain__frame *frame, unsigned int slot, unsigned long count) {
    if (refrain__on[slot])
        refrain__tell(slot, frame, count);
}
#endif
/* How an activation of the function with this slot ends. */
#define REFRAIN__LEAVES(slot) \
    REFRAIN__INLINE void refrain__leave_##slot(refrain__frame *frame) { \
        refrain__leave(frame, slot + 1); \
    }
