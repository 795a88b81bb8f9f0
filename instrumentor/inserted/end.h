/* Parts common to all kinds of probes, and functions that run once. */
REFRAIN__INLINE int refrain__count(refrain__frame *frame, unsigned int slot, unsigned long *count, int value) {
    if (value) {
        ++*count;
    } else {
        refrain__tell_count(frame, slot, *count);
        *count = 0;
    }
    return value;
}
/* Units that the linker does not list: a list with one unit. */
#ifndef REFRAIN__LISTED
static struct refrain__units refrain__units = {9ul, (void *)0, (void *)0, refrain__first_site, refrain__last_site,
    &refrain__tables, &refrain__u};
static void __attribute__((__constructor__(101), __no_instrument_function__)) refrain__begin(void) {
    if (refrain__do_register)
        refrain__do_register(&refrain__units);
}
static void __attribute__((__destructor__(101), __no_instrument_function__)) refrain__end(void) {
    if (refrain__do_unregister)
        refrain__do_unregister(&refrain__units);
}
#endif
#undef REFRAIN__WEAK
#undef REFRAIN__INLINE
#undef REFRAIN__SITES
#undef REFRAIN__LISTED
#undef REFRAIN__KEEP_UNIT
#undef REFRAIN__LEAVES
#undef REFRAIN__ON
#undef REFRAIN__ENTRIES
#undef REFRAIN__ENTRY
