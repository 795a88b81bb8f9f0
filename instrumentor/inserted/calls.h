/* Probes where sites and entries are not available: a test of the byte that enables the probe, and a call. The rest
 * is not inline, since more code per probe would make compilation slow. */
#if !defined REFRAIN__SITES && !defined REFRAIN__ENTRIES
static __attribute__((__noinline__, __unused__, __no_instrument_function__)) void
refrain__tell(void *unit, unsigned int slot, void *place, unsigned long extra) {
#ifdef REFRAIN__LISTED
    __asm__ __volatile__(REFRAIN__KEEP_UNIT);
#endif
    if (refrain__do_probe)
        refrain__do_probe(unit, slot, place, extra);
}
REFRAIN__INLINE int refrain__enter_at(refrain__frame *frame, unsigned int slot, void *frame_address) {
    if (refrain__u.on[slot])
        refrain__tell(&refrain__u, slot, frame_address, (unsigned long)frame);
    return 0;
}
REFRAIN__INLINE void refrain__leave(refrain__frame *frame, unsigned int slot) {
    if (refrain__u.on[slot])
        refrain__tell(&refrain__u, slot, frame, (unsigned long)frame);
}
REFRAIN__INLINE void refrain__at(refrain__frame *frame, unsigned int slot) {
    if (refrain__u.on[slot])
        refrain__tell(&refrain__u, slot, frame, 0);
}
#define refrain__keep(frame) (void)0
#endif
#ifndef REFRAIN__SITES
#ifdef __x86_64__
#define refrain__enter(frame, slot) refrain__enter_at(frame, slot, __builtin_frame_address(0))
#else /* the frame pointer is at the lower end of the frame */
#define refrain__enter(frame, slot) refrain__enter_at(frame, slot, (char *)__builtin_dwarf_cfa() - 1)
#endif
REFRAIN__INLINE int refrain__if(refrain__frame *frame, unsigned int slot, int value) {
    if (refrain__u.on[slot])
        refrain__tell(&refrain__u, value ? slot + 1 : slot + 2, frame, 0);
    return value;
}
REFRAIN__INLINE void refrain__tell_count(refrain__frame *frame, unsigned int slot, unsigned long count) {
    if (refrain__u.on[slot])
        refrain__tell(&refrain__u, slot, frame, count);
}
#endif
#ifndef REFRAIN__ENTRIES
/* State of a function that is entered late: it is left only if it was entered. The compiler must believe that the
 * frame is in use from the beginning. Else it may outline a part of the function, which would have another stack
 * pointer. */
REFRAIN__INLINE refrain__late refrain__not_yet(refrain__frame *frame) {
    refrain__late late;
    late.entered = 0;
    late.frame = frame;
    refrain__keep(frame);
    return late;
}
REFRAIN__INLINE void refrain__leave_late(refrain__late *late, unsigned int slot) {
    if (late->entered)
        refrain__leave(late->frame, slot);
}
/* The function that runs when an activation of the function with this slot ends. */
#define REFRAIN__LEAVES(slot, kind, leave) \
    REFRAIN__INLINE void refrain__leave_##slot(refrain__##kind *activation) { \
        leave(activation, slot + 1); \
    }
#endif
/* The probe of a loop condition is that of a decision. (The test prevents a warning about an unused macro.) */
#define refrain__loop refrain__if
#ifdef refrain__loop
#endif
