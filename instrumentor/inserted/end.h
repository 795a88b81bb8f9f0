/* What both kinds of probes share, and what runs once. */
REFRAIN__INLINE int refrain__count(refrain__frame *frame, unsigned int slot, unsigned long *count, int value) {
    if (value) {
        ++*count;
    } else {
        refrain__tell_count(frame, slot, *count);
        *count = 0;
    }
    return value;
}
static void __attribute__((__constructor__(101), __no_instrument_function__)) refrain__begin(void) {
    refrain__jump();
    if (refrain__do_register)
        refrain__do_register(&refrain__u);
}
static void __attribute__((__destructor__(101), __no_instrument_function__)) refrain__end(void) {
    if (refrain__do_unregister)
        refrain__do_unregister(&refrain__u);
}
#undef REFRAIN__WEAK
#undef REFRAIN__INLINE
#undef REFRAIN__OUT
#undef REFRAIN__SITES
#undef REFRAIN__LEAVES
