/* Probes elsewhere: a test of the byte that says whether the probe is on, and a call. What a probe does is out of line,
 * since more than a call at each would cost the compiler too much; without optimisation nothing is inline, since that
 * would double the time to compile. */
#ifndef REFRAIN__SITES
REFRAIN__OUT void refrain__tell_enter(refrain__frame *frame, unsigned int slot, void *frame_address) {
    if (refrain__do_enter)
        *frame = refrain__do_enter(&refrain__u, slot, frame_address);
}
REFRAIN__INLINE int refrain__enter_at(refrain__frame *frame, unsigned int slot, void *frame_address) {
    if (refrain__on[slot])
        refrain__tell_enter(frame, slot, frame_address);
    return 0;
}
#define refrain__enter(frame, slot) refrain__enter_at(frame, slot, __builtin_frame_address(0))
REFRAIN__INLINE void refrain__leave(refrain__frame *frame) {
    if (frame->entry)
        refrain__do_leave(frame);
}
REFRAIN__OUT void refrain__tell_at(refrain__frame *frame, unsigned int slot) {
    if (frame->entry)
        refrain__do_at(frame, slot);
}
REFRAIN__OUT void refrain__tell_if(refrain__frame *frame, unsigned int slot, int value) {
    if (frame->entry)
        (void)refrain__do_if(frame, slot, value);
}
REFRAIN__OUT void refrain__tell_loop(refrain__frame *frame, unsigned int slot, int value) {
    if (frame->entry)
        (void)refrain__do_loop(frame, slot, value);
}
REFRAIN__OUT void refrain__tell_count(refrain__frame *frame, unsigned int slot, unsigned long count) {
    if (refrain__on[slot] && frame->entry)
        refrain__do_count(frame, slot, count);
}
REFRAIN__INLINE void refrain__at(refrain__frame *frame, unsigned int slot) {
    if (refrain__on[slot])
        refrain__tell_at(frame, slot);
}
REFRAIN__INLINE int refrain__if(refrain__frame *frame, unsigned int slot, int value) {
    if (refrain__on[slot])
        refrain__tell_if(frame, slot, value);
    return value;
}
REFRAIN__INLINE int refrain__loop(refrain__frame *frame, unsigned int slot, int value) {
    if (refrain__on[slot])
        refrain__tell_loop(frame, slot, value);
    return value;
}
#endif
